"""The index on disk: a SQLite store of packed rows with checksums, one writer, atomic saves.

A save writes the dirty rows of a snapshot; a load accepts exactly what one save wrote, or nothing.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
