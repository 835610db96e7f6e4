"""Lines that match a regular expression in the texts that a snapshot was made from."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
