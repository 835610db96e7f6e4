"""Memory that was needed for a while, given back to the system, and what is looked for in it.

Only glibc keeps much of what was freed; with other C libraries there is nothing to give back.
"""

from __future__ import annotations

import ctypes
import gc
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of mallopt(3)."""
_LARGE_BYTES = 4_000_000
_AT_HAND_BYTES = 16_000_000
"""Given back at once and asked for again, the temporary arrays of a first indexing are half a
second of the system's time."""

_ARENAS = 2
_COLLECT_AFTER = 200_000


def collect_seldom() -> None:
    """Look for cycles of garbage after so many new objects only, from now on.

    Answers leave none, and a look at the objects of a whole index takes 70 ms of one of them.
    """
    gc.set_threshold(_COLLECT_AFTER)


def keep_little() -> None:
    """Have the allocator keep less of what is freed, from now on.

    Left alone it learns from the first large arrays to carve all later ones out of its heaps, one
    for each thread, whose holes then grow for as long as the process lives.
    """
    library = _glibc()
    if library:
        library.mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
        library.mallopt(_TRIM_THRESHOLD, _AT_HAND_BYTES)
        library.mallopt(_ARENA_MAX, _ARENAS)


def collect() -> None:
    """Look for cycles of garbage now, as after an index was let go of, which is full of them."""
    gc.collect()
    give_back()


def tidy() -> None:
    """Look for cycles among what came lately, and give back memory; for a moment without work."""
    gc.collect(0)
    give_back()


def give_back() -> None:
    """Return what the allocator holds and nobody uses; after many files were read it is half.

    Takes some ten milliseconds, during which other threads go on.
    """
    library = _glibc()
    if library:
        library.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    try:
        library = ctypes.CDLL(None)
        return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None
    except OSError:
        return None
