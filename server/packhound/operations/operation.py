"""An operation: one question or action that every front has, with its request and its answer.

The answer is a tree of JSON values, in which a row of code carries its `NodeRef` under `NODE` until
it leaves: `registry.answer` puts in its place whose the row is and, for editors, where it is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

from packhound.core.settings import Settings
from packhound.core.types import MAX_HITS
from packhound.core.types import Json as Json
from packhound.operations.text import Row, Text

if TYPE_CHECKING:
    from packhound.service import Roots

NODE = "node"

MAX_TEXT = 1_000
"""Characters of a name, a path or a glob."""
_MAX_ITEMS = 100

Word: TypeAlias = Annotated[str, Meta(max_length=MAX_TEXT)]
Globs: TypeAlias = Annotated[
    tuple[Word, ...], Meta(max_length=_MAX_ITEMS, description="Only paths that match one of these.")
]
ExcludedGlobs: TypeAlias = Annotated[
    tuple[Word, ...], Meta(max_length=_MAX_ITEMS, description="No such paths.")
]
Words: TypeAlias = Annotated[tuple[Word, ...], Meta(max_length=_MAX_ITEMS)]
Reference: TypeAlias = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=4_096,
        description="PATH:LINE or PATH#NAME, as search prints it.",
    ),
]
References: TypeAlias = Annotated[
    tuple[Annotated[str, Meta(max_length=4_096)], ...],
    Meta(max_length=_MAX_ITEMS, description="Code that it is about, as path#Name or path:line."),
]
Also: TypeAlias = Annotated[
    tuple[Annotated[str, Meta(max_length=4_096)], ...],
    Meta(max_length=20, description="More of them, in one call."),
]
Line: TypeAlias = Annotated[
    int, Meta(ge=0, le=10_000_000, description="1-based line, where the path has none.")
]
Limit: TypeAlias = Annotated[int, Meta(ge=1, le=MAX_HITS, description="Maximum number of hits.")]
LimitOfSettings: TypeAlias = Annotated[
    Limit, Meta(description="Maximum number of hits, else search.limit.")
]
Offset: TypeAlias = Annotated[int, Meta(ge=0, le=10_000_000, description="Where to continue.")]
SnippetLines: TypeAlias = Annotated[
    int, Meta(ge=0, le=60, description="Lines of code of each hit.")
]
MaxTokens: TypeAlias = Annotated[int, Meta(ge=100, le=100_000, description="Tokens at most.")]
FocusPath: TypeAlias = Annotated[
    str,
    Meta(
        max_length=MAX_TEXT,
        description="PATH or PATH:LINE where the user is: what is near ranks higher.",
    ),
]


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

    roots: Roots
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
    and `idempotent` if calling it again changes nothing more. Fields that are `unlisted` cost no
    model a token; `instead` tells it when another tool is better. Answers of one that `lists` name
    what of the folders was not looked at. A `batch` is the field of which a call may have further
    values, in `also`.
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
    unlisted: tuple[str, ...] = ()
    instead: str = ""
    lists: bool = False
    batch: str = ""
    by_name: bool = False
    page: Page | None = None

    @property
    def returns(self) -> str:
        """What the answer has: the paragraph of the docstring of `run` that begins with `Answer:`."""
        paragraph = cleandoc(self.run.__doc__ or "").partition("\nAnswer: ")[2]
        return " ".join(paragraph.split())

    @property
    def takes_patch(self) -> bool:
        """Return True if it can be asked as if a patch were applied."""
        return self.is_about_code and self.name != "status"

    @property
    def is_about_code(self) -> bool:
        """Return True if an answer depends on which files were read."""
        return self.group in ("default", "explain", "docs") and not self.writes
