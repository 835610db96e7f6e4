"""The daemon: the one process of a user that has live folders, for all editors and agents."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
