"""Language models: the tokens of a text, by an offline upper bound or exactly, and their price."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
