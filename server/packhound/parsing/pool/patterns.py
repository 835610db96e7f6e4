"""Patterns with holes, read and looked for in parser processes that all folders share.

They are apart from those that parse edits, start with the first pattern, and end when nobody has
asked for a while. A file that kills one is left out.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, cast

from packhound.core.errors import Cancelled
from packhound.core.types import Document
from packhound.parsing.pool.batch_run import BatchRun
from packhound.parsing.pool.framing import (
    ExampleTask,
    PatternTask,
    ReadTask,
    RelaxTask,
    encode_pattern_task,
)
from packhound.parsing.pool.pool import ParsePool

_WORKERS = 2
_IDLE_S = 60.0


class Capture(NamedTuple):
    """Text of a hole: its name, the offsets of the first byte and the one after the last."""

    name: str
    start: int
    end: int


class PatternMatch(NamedTuple):
    """A place that matches a pattern, in bytes, and what the named holes are there."""

    start: int
    end: int
    captures: tuple[Capture, ...]


@dataclass(frozen=True, slots=True)
class CodePattern:
    """A pattern, and by each of its languages the literals that a matching text has.

    An example is code of which parts are to become holes.
    """

    text: str
    literals: dict[str, tuple[bytes, ...]]
    is_example: bool = False


class PatternProblem(NamedTuple):
    """A text that is no pattern: why in which language, and where in it, in characters."""

    reason: str
    language: str
    offset: int


def read_pattern(
    text: str, languages: Sequence[str], *, is_explicit: bool
) -> tuple[int, CodePattern] | PatternProblem | None:
    """Return where in a text a pattern begins, and the pattern.

    An explicit pattern is all of the text. None where nothing is known of any of the languages.
    """
    task = ReadTask(text, tuple(languages), is_explicit)
    answers = _processes().ask([encode_pattern_task(task)])
    if not answers:
        return PatternProblem("could not be read in time", "", 0)
    start, literals, problem = cast("tuple[Any, ...]", answers[0])
    if start < 0:
        return PatternProblem(problem[2], problem[0], problem[1]) if problem else None
    return start, CodePattern(text[start:], dict(literals))


def relax_pattern(pattern: CodePattern) -> list[tuple[str, CodePattern]]:
    """Return what a pattern has with the pattern in which that is a hole: first literals."""
    return _read_opened(RelaxTask, pattern)


def open_example(pattern: CodePattern) -> list[tuple[str, CodePattern]]:
    """Return patterns of the structure of code, each wider than the last, and what is open in it.

    First all literals are holes, then names too, then the arguments of calls, then calls.
    """
    return _read_opened(ExampleTask, pattern)


def _read_opened(
    kind: type[RelaxTask] | type[ExampleTask], pattern: CodePattern
) -> list[tuple[str, CodePattern]]:
    """Return the patterns that a task makes of one, with what it says of each."""
    languages = [*pattern.literals]
    tasks = [encode_pattern_task(kind(pattern.text, language)) for language in languages[:1]]
    answers = _processes().ask(tasks) if tasks else []
    opened = []
    for text, parts in cast("list[tuple[str, str]]", answers[0]) if answers else ():
        read = read_pattern(text, languages, is_explicit=True)
        if read is not None and not isinstance(read, PatternProblem):
            opened.append((parts, read[1]))
    return opened


def find_pattern(
    pattern: CodePattern,
    documents: Iterable[Document],
    until: float = float("inf"),
    cancel: threading.Event | None = None,
) -> Iterator[tuple[Document, tuple[PatternMatch, ...] | None]]:
    """Yield each document with its matches by start, in no order; None where it has no tree.

    After `until` (time.monotonic) no more come. Raises Cancelled as `cancel` says.
    """
    limit = _Limit(until, cancel)
    run = BatchRun(iter(documents), _WORKERS, limit, partial(_find, _processes(), pattern))
    try:
        yield from chain.from_iterable(run.start())
    except Cancelled:
        if cancel is not None and cancel.is_set():
            raise Cancelled("the search was cancelled") from None


def find_errors(document: Document) -> list[int]:
    """Return the offsets of what is no code in a document of a language; none if it has no tree."""
    _, found = _find(_processes(), CodePattern("", {}), [document])[0]
    return [match.start for match in found or ()]


def _find(
    pool: ParsePool, pattern: CodePattern, documents: list[Document]
) -> list[tuple[Document, tuple[PatternMatch, ...] | None]]:
    """Return the matches in each document; the one over which a process dies has no tree."""
    found: list[tuple[Document, tuple[PatternMatch, ...] | None]] = []
    while len(found) < len(documents):
        rest = documents[len(found) :]
        tasks = [PatternTask(pattern.text, d.language or "", d.path, d.source) for d in rest]
        answers = pool.ask([encode_pattern_task(task) for task in tasks])
        found += zip(rest, map(_matches, answers), strict=False)
        if len(answers) < len(rest):
            found.append((rest[len(answers)], None))
    return found


def _matches(answer: Any) -> tuple[PatternMatch, ...] | None:  # noqa: ANN401 - a plain value
    if answer is None:
        return None
    return tuple(
        PatternMatch(start, end, tuple(Capture(*capture) for capture in captures))
        for start, end, captures in answer
    )


class _Limit(threading.Event):
    """Set when a time has come, or when another event is set."""

    def __init__(self, until: float, cancel: threading.Event | None) -> None:
        super().__init__()
        self._until, self._cancel = until, cancel

    def is_set(self) -> bool:
        """Return True if it is time to stop."""
        cancelled = self._cancel is not None and self._cancel.is_set()
        return cancelled or time.monotonic() > self._until


class _Shared:
    """The processes, and the timer that ends them."""

    pool: ParsePool | None = None
    timer: threading.Timer | None = None
    lock = threading.Lock()


def _processes() -> ParsePool:
    with _Shared.lock:
        if _Shared.timer is not None:
            _Shared.timer.cancel()
        _Shared.timer = threading.Timer(_IDLE_S, _end)
        _Shared.timer.daemon = True
        _Shared.timer.start()
        if _Shared.pool is None:
            _Shared.pool = ParsePool(_WORKERS, with_texts=False)
        return _Shared.pool


def _end() -> None:
    with _Shared.lock:
        pool, _Shared.pool = _Shared.pool, None
    if pool is not None:
        pool.close()
