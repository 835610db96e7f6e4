"""Parser process: reads frames of tasks from stdin, writes one analysed file for each to stdout.

It is a process of its own because tree-sitter has no dependable bound on time or memory: the
pool kills it. It exits when its stdin closes, and by itself from a parse without end, so that it
does not outlive a pool that was killed.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from packhound.core.errors import PluginError
from packhound.core.types import Document, ParsedFile
from packhound.parsing.analyse import analyse
from packhound.parsing.analysed_file import AnalysedFile
from packhound.parsing.extract.windows import parse_as_windows
from packhound.parsing.parse import parse
from packhound.parsing.pool import framing
from packhound.parsing.tree_cache import TreeCache

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

ParseFile = Callable[["Document", "TreeCache | None"], "ParsedFile"]

_GRAMMARS_MB = 96
_INTERPRETER_MB = 160
"""Address space on top of what parsing may take; the second counts where it cannot be asked for."""


def main(memory_mb: int, max_parse_s: float, with_texts: bool, extractors: str = "") -> None:
    """Serve until stdin ends; the process ends itself after `max_parse_s` a document.

    `with_texts` is that of `analyse`, `extractors` are those of `Extractors.encode`.
    """
    _limit_memory(memory_mb)
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    parse_file = _with_extractors(extractors) if extractors else parse
    if not extractors:
        gc.disable()  # Parsing makes no cycles; looking for them takes a twentieth of the time.
    framing.write_frame(replies, framing.READY)
    trees = TreeCache()
    while True:
        try:
            batch = framing.read_frame(requests)
        except framing.BrokenFrame:
            return
        assert isinstance(batch, tuple)
        # The one clock of Python's that ends a process whatever native code it is in.
        faulthandler.dump_traceback_later(max_parse_s * len(batch), exit=True)
        for value in batch:
            fields = cast("tuple[Any, ...]", value)
            if len(fields) <= 1 + len(framing.PatternTask._fields):
                framing.write_frame(replies, _answer_on_pattern(fields))
                continue
            file = _analyse(framing.decode_task(value), trees, with_texts, parse_file)
            framing.write_frame(replies, framing.encode_file(file))
        faulthandler.cancel_dump_traceback_later()


def _answer_on_pattern(value: tuple[Any, ...]) -> framing.Plain:
    from packhound.parsing.patterns import serve  # Most processes are asked for none.

    kind, *fields = value
    if kind == framing.ExampleTask.__name__:
        return serve.open_example(framing.ExampleTask(*fields))
    if kind == framing.RelaxTask.__name__:
        return serve.relax_pattern(framing.RelaxTask(*fields))
    if kind == framing.ReadTask.__name__:
        return serve.read_pattern(framing.ReadTask(*fields))
    try:
        return serve.find_pattern(framing.PatternTask(*fields))
    except Exception:  # Catch all: one bad file must not be a dead worker.
        return None


def _with_extractors(encoded: str) -> ParseFile:
    """Return `parse` with extractors, which cannot write into the stream of answers."""
    from packhound.parsing.extract.plugin_nodes import extract_nodes
    from packhound.parsing.extractors import Extractors

    extractors, sys.stdout = Extractors.decode(encoded), sys.stderr

    def parse_file(document: Document, trees: TreeCache | None) -> ParsedFile:
        extractor = extractors.of(document.path)
        if extractor is None:
            return parse(document, trees)
        try:
            return extract_nodes(document, extractor)
        except PluginError as problem:
            return replace(parse(document, trees), degraded=str(problem))

    return parse_file


def _analyse(
    task: framing.Task, trees: TreeCache, with_texts: bool, parse_file: ParseFile
) -> AnalysedFile:
    document, plain_reason, indexed, is_open = task
    if plain_reason is None:
        try:  # Catch all: one bad file must not be a dead worker.
            parsed = parse_file(document, trees if is_open else None)
            return analyse(document, parsed, with_texts=with_texts, indexed=indexed)
        except Exception as error:
            plain_reason = f"parsing failed: {type(error).__name__}: {error}"
    windows = parse_as_windows(document, plain_reason)
    return analyse(document, windows, with_texts=with_texts, indexed=indexed)


def _limit_memory(memory_mb: int) -> None:
    if resource is None:
        return
    limit = _address_space() + ((memory_mb + _GRAMMARS_MB) << 20)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ValueError, OSError):
        return  # A stricter limit is in force already.


def _address_space() -> int:
    """Return the bytes of address space in use now."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError):
        return _INTERPRETER_MB << 20
    return pages * os.sysconf("SC_PAGE_SIZE")
