"""Queries with known answers, and the tests whether a node is one of them."""

from __future__ import annotations

from dataclasses import dataclass, field

REPORT = "report"
"""The category of a bug report, which is scored by files and functions."""


@dataclass(frozen=True, slots=True)
class Target:
    """A relevant path, narrowed to 1-based inclusive lines or to a function where known."""

    path: str
    start_line: int | None = None
    end_line: int | None = None
    function: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A node with a grade: 3 wanted first, 2 clearly relevant, 1 useful context."""

    path: str
    name: str
    start_line: int
    end_line: int
    grade: int


@dataclass(frozen=True, slots=True)
class Case:
    """One query and its relevant targets, or graded answers.

    `folder` is relative to the folder of all corpora. Paths of `answers` are relative to the
    repository, of which `root` is the indexed folder. `focus` is the user's file, or "". `where` is
    the place in the suite.
    """

    text: str
    targets: tuple[Target, ...]
    category: str
    repository: str
    language: str
    folder: str
    functions: tuple[Target, ...] = ()
    answers: tuple[Answer, ...] = ()
    root: str = ""
    focus: str = ""
    where: str = field(default="", compare=False)


def same_path(path: str, second: str) -> bool:
    """Return True if one path ends with the other, whole components only."""
    return f"/{path}".endswith(f"/{second}") or f"/{second}".endswith(f"/{path}")


def same_function(function: str, qualname: str) -> bool:
    """Return True if a qualified name ends with `Class.method`, whatever it is nested in."""
    return f".{qualname.replace('::', '.')}".endswith(f".{function}")
