"""An operation: one question or action that every front has, with its request and its answer.

The answer is a tree of JSON values, in which a row of code carries its `NodeRef` under `NODE` until
it leaves: `registry.answer` puts in its place whose the row is and, for editors, where it is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, NamedTuple

import msgspec

from packhound import service
from packhound.core.settings import Settings
from packhound.core.types import Json as Json
from packhound.operations.text import Row, Text

NODE = "node"


class Request(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The fields of a request with their limits and defaults; JSON Schema is made from them."""


@dataclass(frozen=True, slots=True)
class Call:
    """An asker: its folders, the settings of its session, and whether it has given up.

    An agent gets what leaves the machine: `is_agent` has patterns matched against texts without
    secrets, since totals of secrets would tell them letter by letter. With `is_typing` a query may
    be half typed, and is no episode. `report` takes what a long operation knows before its answer:
    the `step` that begins, `n_done` of `n_steps`, or rows of the answer.
    """

    roots: service.Roots
    settings: Settings
    cancel: threading.Event | None = None
    is_agent: bool = False
    is_typing: bool = False
    report: Callable[[Json], None] = lambda _progress: None


class Page(NamedTuple):
    """The page of an answer that has left, made from the arguments too, and what it asks for."""

    make: Callable[[Row, Row], str]
    fields: Json


@dataclass(frozen=True)
class Operation:
    """An operation: its texts, its request, and what it does.

    `run` gets the call and a checked request, `text` the answer that has left; the docstring of
    `run` says what the answer has. Operations of a `group` other than "default" are offered to
    agents where the setting `mcp.tools` names it. One that `writes` is no reading tool for clients,
    and `idempotent` if calling it again changes nothing more. Fields whose names are `unlisted`
    cost no model a token; `instead` tells it when another tool is better. Answers of one that
    `lists` name what of the folders was not looked at. A `batch` is the field of which a call may
    have further values, in `also`.
    """

    name: str
    title: str
    description: str
    request: type[Request]
    run: Callable[[Call, Any], Json]
    text: Callable[[Row], Text]
    group: str = "default"
    writes: bool = False
    idempotent: bool = True
    unlisted: str = ""
    instead: str = ""
    lists: bool = False
    batch: str = ""
    by_name: bool = False
    page: Page | None = None

    @property
    def returns(self) -> str:
        """The members of the answer, as the docstring of `run` says it after `Answer:`."""
        paragraph = cleandoc(self.run.__doc__ or "").partition("\nAnswer: ")[2]
        return " ".join(paragraph.split())

    @property
    def takes_patch(self) -> bool:
        """Return True if it can be asked as if a patch were applied."""
        return self.is_about_code and self.name != "status"

    @property
    def asks_elsewhere(self) -> bool:
        """Return True if it can be asked of another commit, a dependency or a repository."""
        return self.name != "changes"

    @property
    def is_about_code(self) -> bool:
        """Return True if an answer depends on which files were read."""
        return self.group in ("default", "explain", "docs") and not self.writes
