"""Garbage collection and glibc's allocator, tuned for large arrays and few collections.

Only glibc retains much of what was freed; with other C libraries there is nothing to tune.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from functools import cache

from packhound.core.caching import empty_large_memos

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of mallopt(3)."""
_MMAP_BYTES = 6_000_000
"""Above an array with a number for each of a million nodes, as searches have some: handed out anew
page by page, each takes 2 ms."""
_TRIM_BYTES = 16_000_000
"""Returned at once and asked for again, the temporary arrays of a first indexing are half a
second of the system's time."""

_MAX_ARENAS = 2
_GC_THRESHOLD = 200_000


def raise_gc_threshold() -> None:
    """Collect cycles of garbage after so many new objects only, from now on.

    Requests leave none, which `tests/test_garbage.py` holds, and a collection over the objects of a
    whole index delays an answer by 70 ms.
    """
    gc.set_threshold(_GC_THRESHOLD)


def limit_malloc_arenas() -> None:
    """Have the allocator retain less of what is freed, from now on.

    By default it learns from the first large arrays to carve all later ones out of its arenas, one
    for each thread, whose holes then grow for as long as the process lives.
    """
    library = _glibc()
    if library:
        library.mallopt(_MMAP_THRESHOLD, _MMAP_BYTES)
        library.mallopt(_TRIM_THRESHOLD, _TRIM_BYTES)
        library.mallopt(_ARENA_MAX, _MAX_ARENAS)


def collect_all_and_trim() -> None:
    """Collect all garbage, as after an index was dropped, which is full of cycles, and trim."""
    gc.collect()
    malloc_trim()


def collect_and_trim() -> None:
    """Collect recent garbage, empty memos of words and trim the heap; for a moment without work.

    The memos of what many files or an afternoon's edits have read take 40 MB.
    """
    empty_large_memos()
    gc.collect(0)
    malloc_trim()


def malloc_trim() -> None:
    """Return free memory to the system; after many files were read it is half.

    Takes some ten milliseconds, during which other threads go on.
    """
    library = _glibc()
    if library:
        library.malloc_trim(0)


@cache
def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    try:
        library = ctypes.CDLL(None)
        return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None
    except OSError:
        return None
