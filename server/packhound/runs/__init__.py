"""Checks of a proposal in a private copy: the copy, the tools that run there, what they say."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
