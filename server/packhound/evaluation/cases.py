"""Queries with known answers, and when a node is one of them."""

from __future__ import annotations

from dataclasses import dataclass

REPORT = "report"
"""The category of a bug report, which is scored by files and functions."""


@dataclass(frozen=True, slots=True)
class Target:
    """A right answer: a path, narrowed to 1-based inclusive lines or to a function where known."""

    path: str
    start_line: int | None = None
    end_line: int | None = None
    function: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One query and its right answers. `folder` is relative to the folder of all corpora."""

    text: str
    targets: tuple[Target, ...]
    category: str
    repository: str
    language: str
    folder: str
    functions: tuple[Target, ...] = ()


def same_path(left: str, right: str) -> bool:
    """Whether one path ends with the other, whole components only."""
    return f"/{left}".endswith(f"/{right}") or f"/{right}".endswith(f"/{left}")


def same_function(wanted: str, qualname: str) -> bool:
    """`Class.method` is found by the method itself, whatever it is nested in."""
    return f".{qualname.replace('::', '.')}".endswith(f".{wanted}")
