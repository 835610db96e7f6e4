"""Text without files: terms and stems, lines and offsets, an editor's edits, words of a path."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
