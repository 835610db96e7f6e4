"""A parsing worker: reads frames of documents from stdin, writes one analysis for each to stdout.

It lives in a process of its own because tree-sitter has no dependable bound on time or memory: the
pool kills it. It exits when its stdin closes, so it never outlives the pool.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO

from packhound.syntax.analyse import Analysis, analyse
from packhound.syntax.frames import (
    READY,
    BrokenFrame,
    Plain,
    packed_analysis,
    read_frame,
    unpacked_document,
    write_frame,
)
from packhound.syntax.parse import parse, windowed
from packhound.types import Document

_GRAMMARS_MB = 96
_INTERPRETER_MB = 160
"""Address space on top of what parsing may take; the second counts where it cannot be asked for."""


def main(memory_mb: int) -> None:
    """Serve until stdin ends."""
    _limit_memory(memory_mb)
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    write_frame(replies, READY)
    while True:
        try:
            batch = read_frame(requests)
        except BrokenFrame:
            return
        _serve(batch, replies)


def _serve(batch: Plain, replies: IO[bytes]) -> None:
    assert isinstance(batch, tuple)
    for packed in batch:
        document, plain = unpacked_document(packed)
        write_frame(replies, packed_analysis(_analysis(document, plain)))


def _analysis(document: Document, plain: str | None) -> Analysis:
    if plain is not None:
        return analyse(document, windowed(document, plain))
    try:  # The fence: one bad file must not be a dead worker.
        return analyse(document, parse(document))
    except Exception as error:
        why = f"parsing failed: {type(error).__name__}: {error}"
        return analyse(document, windowed(document, why))


def _limit_memory(memory_mb: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    limit = _address_space() + ((memory_mb + _GRAMMARS_MB) << 20)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ValueError, OSError):
        return  # A stricter limit is in force already.


def _address_space() -> int:
    """Bytes of address space in use now."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError):
        return _INTERPRETER_MB << 20
    return pages * os.sysconf("SC_PAGE_SIZE")
