"""The files of a root that are searched: ignore rules as git reads them, walking, safe reading."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
