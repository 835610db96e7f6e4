"""Spans: when each stage of a request ran, and for how long.

Nothing is recorded unless somebody asked: `recording` for what its own thread does,
`recording_everything` for all threads of a process that does one thing.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")

MAX_SPANS = 20_000
"""Spans that one trace keeps; the first ones, as a first reading has one for each file."""


class Span(NamedTuple):
    """One run of a stage: nanoseconds of the clock that all processes of a machine share."""

    stage: str
    start_ns: int
    end_ns: int
    thread: int


_of_request: ContextVar[list[Span] | None] = ContextVar("spans", default=None)
_of_process: list[list[Span]] = []


@contextmanager
def recording() -> Iterator[list[Span]]:
    """Record the stages that this thread runs meanwhile."""
    spans: list[Span] = []
    token = _of_request.set(spans)
    try:
        yield spans
    finally:
        _of_request.reset(token)


@contextmanager
def recording_everything() -> Iterator[list[Span]]:
    """Record the stages that any thread of this process runs meanwhile."""
    spans: list[Span] = []
    _of_process.append(spans)
    try:
        yield spans
    finally:
        _of_process.remove(spans)


@contextmanager
def span(stage: str) -> Iterator[None]:
    """Record what is done within as one run of a stage."""
    spans = _spans()
    start_ns = time.perf_counter_ns()
    try:
        yield
    finally:
        if spans is not None and len(spans) < MAX_SPANS:
            spans.append(Span(stage, start_ns, time.perf_counter_ns(), threading.get_ident()))


def traced(stage: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Have each call of a function recorded as one run of a stage."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @wraps(function)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            if _spans() is None:
                return function(*args, **kwargs)
            with span(stage):
                return function(*args, **kwargs)

        return call

    return decorate


def _spans() -> list[Span] | None:
    spans = _of_request.get()
    return spans if spans is not None else _of_process[-1] if _of_process else None


def stage_rows(spans: Sequence[Span]) -> list[dict[str, Any]]:
    """Return stage, milliseconds and runs of each stage, in the order of their first begin.

    A stage's time has that of the stages within it.
    """
    total: dict[str, list[int]] = {}
    for each in sorted(spans, key=lambda each: (each.start_ns, -each.end_ns)):
        ns, n = total.get(each.stage, (0, 0))
        total[each.stage] = [ns + each.end_ns - each.start_ns, n + 1]
    return [{"stage": stage, "ms": round(ns / 1e6, 3), "n": n} for stage, (ns, n) in total.items()]


def chrome_events(spans: Sequence[Span], trace_id: str) -> list[dict[str, Any]]:
    """Return spans of this process as complete events of Chrome's trace format, in microseconds."""
    return [
        {
            "name": each.stage,
            "ph": "X",
            "ts": each.start_ns / 1e3,
            "dur": (each.end_ns - each.start_ns) / 1e3,
            "pid": os.getpid(),
            "tid": each.thread,
            "args": {"trace": trace_id},
        }
        for each in sorted(spans, key=lambda each: (each.start_ns, -each.end_ns))
    ]
