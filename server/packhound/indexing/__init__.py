"""Keeping one index up to date: a work queue, and the one thread that takes its tasks.

Texts of open documents come first, then walks of the folder and passes over files that differ. The
other modules do one part each: scanning, parsing in bulk, saving, giving memory back.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
