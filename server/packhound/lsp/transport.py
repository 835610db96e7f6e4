"""Byte streams of the protocol: standard input and output; `tcp` has the other."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Stream:
    """`read` returns the next bytes, b"" at the end; `write` writes all or raises OSError."""

    read: Callable[[], bytes]
    write: Callable[[bytes], None]


def take_stdio() -> Stream:
    """Reserve standard input and output for the protocol.

    Prints go to standard error from then on, and child processes inherit neither pipe.
    """
    input_fd, output_fd = os.dup(0), os.dup(1)
    null_fd = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_fd, 0)
    os.close(null_fd)
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (input_fd, output_fd):
            msvcrt.setmode(descriptor, os.O_BINARY)

    def read() -> bytes:
        try:
            return os.read(input_fd, CHUNK)
        except OSError:
            return b""

    def write(frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:
            rest = rest[os.write(output_fd, rest) :]

    return Stream(read, write)
