"""A parsing worker: reads frames of documents from stdin, writes one analysis for each to stdout.

It lives in a process of its own because tree-sitter has no dependable bound on time or memory: the
pool kills it. It exits when its stdin closes, and by itself from a parse without end, so that it
does not outlive a pool that was killed.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
from pathlib import Path

from packhound.parsing.analyse import Analysis, analyse
from packhound.parsing.extract.windows import windowed
from packhound.parsing.parse import parse
from packhound.parsing.pool.framing import (
    READY,
    BrokenFrame,
    Task,
    packed_analysis,
    read_frame,
    unpacked_task,
    write_frame,
)
from packhound.parsing.tree_cache import Trees

_GRAMMARS_MB = 96
_INTERPRETER_MB = 160
"""Address space on top of what parsing may take; the second counts where it cannot be asked for."""


def main(memory_mb: int, longest_s: float, with_texts: bool) -> None:
    """Serve until stdin ends; a document that takes longer than `longest_s` ends the process.

    `with_texts` is that of `analyse`.
    """
    _limit_memory(memory_mb)
    gc.disable()  # Parsing makes no cycles, and looking for them takes a twentieth of the time.
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    write_frame(replies, READY)
    trees = Trees()
    while True:
        try:
            batch = read_frame(requests)
        except BrokenFrame:
            return
        assert isinstance(batch, tuple)
        # The one clock of Python's that ends a process whatever native code it is in.
        faulthandler.dump_traceback_later(longest_s * len(batch), exit=True)
        for packed in batch:
            analysis = _analysis(unpacked_task(packed), trees, with_texts)
            write_frame(replies, packed_analysis(analysis))
        faulthandler.cancel_dump_traceback_later()


def _analysis(task: Task, trees: Trees, with_texts: bool) -> Analysis:
    document, plain, known, again = task
    if plain is None:
        try:  # The fence: one bad file must not be a dead worker.
            parsed = parse(document, trees if again else None)
            return analyse(document, parsed, with_texts=with_texts, known=known)
        except Exception as error:
            plain = f"parsing failed: {type(error).__name__}: {error}"
    return analyse(document, windowed(document, plain), with_texts=with_texts, known=known)


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
