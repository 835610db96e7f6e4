"""Request and answer of a grep. Lines are 0-based."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from packhound.core.cell_place import CellPlace
from packhound.core.types import NodeRef
from packhound.grep.pattern import Case

NO_FILE_NOTE = "no indexed file has a path that 'paths' and 'exclude' let through"


@dataclass(frozen=True, slots=True)
class GrepRequest:
    """A search for the lines that match `pattern`, a literal where `regex` is off.

    `paths` and `exclude` are globs. `limit` bounds the matching lines that are shown, from `offset`
    on; `context` are further lines above and below each. With `count_only` the answer has the
    number of lines of each file. `query` ranks the definitions that hold the lines.
    """

    pattern: str
    regex: bool = True
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
    """The lines of one definition; `node` is None where no node of the index has them."""

    path: str
    node: NodeRef | None
    lines: tuple[GrepLine, ...]


@dataclass(frozen=True, slots=True)
class GrepResults:
    """One page of an answer, and its totals: `n_lines` in `n_files` of a generation.

    `counts` are the matching lines of each file, by path, if only those were asked for.
    `next_offset` is where to go on, -1 at the end.
    """

    pattern: str
    groups: tuple[GrepGroup, ...]
    counts: tuple[tuple[str, int], ...]
    n_lines: int
    n_files: int
    count_only: bool
    next_offset: int
    generation: int
    took_ms: float
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows that limit and offset count: files if `count_only`, else lines."""
        return self.n_files if self.count_only else self.n_lines


def next_request(request: GrepRequest, page: GrepResults) -> GrepRequest:
    """Return what is left to ask of the next folder after the page of one."""
    n_rows = max(0, min(page.n_rows - request.offset, request.limit))
    offset = max(0, request.offset - page.n_rows)
    return replace(request, offset=offset, limit=request.limit - n_rows)


def merge_pages(request: GrepRequest, pages: Sequence[GrepResults]) -> GrepResults:
    """Return the pages of several folders, each asked for the rest of the one before, as one."""
    next_offset = request.offset + request.limit
    return replace(
        pages[0],
        groups=tuple(group for page in pages for group in page.groups),
        counts=tuple(row for page in pages for row in page.counts),
        n_lines=sum(page.n_lines for page in pages),
        n_files=sum(page.n_files for page in pages),
        next_offset=next_offset if next_offset < sum(page.n_rows for page in pages) else -1,
        generation=sum(page.generation for page in pages),
        took_ms=sum(page.took_ms for page in pages),
        notes=tuple(merge_grep_notes([page.notes for page in pages])),
    )


def merge_grep_notes(notes: Sequence[Sequence[str]]) -> list[str]:
    """Return the notes on several folders; globs are of no use where no folder has a file."""
    merged = dict.fromkeys(note for each in notes for note in each)
    return [n for n in merged if n != NO_FILE_NOTE or all(NO_FILE_NOTE in each for each in notes)]
