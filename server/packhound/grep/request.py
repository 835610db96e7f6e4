"""Request and answer of a grep. Lines are 0-based."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from packhound.core.types import CellPlace, NodeRef

Case = Literal["sensitive", "ignore", "smart"]
NO_FILE_NOTE = "no indexed file has a path that 'paths' and 'exclude' let through"


@dataclass(frozen=True, slots=True)
class GrepRequest:
    """A search for the lines that match `pattern`, a literal where `regex` is off.

    With `structural` it is code with holes, and the lines are those where such code begins.

    `paths` and `exclude` are globs. `limit` bounds the matching lines that are shown, from `offset`
    on; `context` are further lines above and below each. With `count_only` the answer has the
    number of lines of each file. `query` ranks the definitions that hold the lines.
    """

    pattern: str
    regex: bool = True
    structural: bool = False
    case: Case = "sensitive"
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    count_only: bool = False
    context: int = 0
    query: str = ""
    limit: int = 50
    offset: int = 0


class GrepLine(NamedTuple):
    """A line of a file, whether it matches or is context, and its place in a notebook."""

    number: int
    text: str
    is_match: bool
    cell: CellPlace | None = None


@dataclass(frozen=True, slots=True)
class GrepGroup:
    """The lines of one definition; `node` is None where no node of the index has them.

    `score` says how well it answers the question of the request, if that ranked it; `root` is the
    folder, where several were asked.
    """

    path: str
    node: NodeRef | None
    lines: tuple[GrepLine, ...]
    score: float | None = None
    root: str = ""


class FileCount(NamedTuple):
    """The number of matching lines of a file, and its folder where several were asked."""

    path: str
    lines: int
    root: str = ""


@dataclass(frozen=True, slots=True)
class GrepResults:
    """One page of an answer, and its totals: `n_lines` in `n_files` of a generation.

    `counts` are the matching lines of each file, by path, if only those were asked for.
    `next_offset` is where to go on, -1 at the end.
    """

    pattern: str
    groups: tuple[GrepGroup, ...]
    counts: tuple[FileCount, ...]
    n_lines: int
    n_files: int
    next_offset: int
    generation: int
    took_ms: float
    notes: tuple[str, ...] = ()


def merge_grep_notes(notes: Sequence[Sequence[str]]) -> list[str]:
    """Return the notes on several folders; globs are of no use where no folder has a file."""
    merged = dict.fromkeys(note for each in notes for note in each)
    return [n for n in merged if n != NO_FILE_NOTE or all(NO_FILE_NOTE in each for each in notes)]
