"""Memory that was needed for a while, given back to the system."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Return what the allocator holds and nobody uses; after many files were read it is half.

    Only glibc keeps so much; elsewhere nothing is done. Takes some ten milliseconds, during which
    other threads go on.
    """
    if sys.platform != "linux":
        return
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):
        return  # Another C library.
