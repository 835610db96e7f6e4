"""Cells of notebooks, beside the lines of a notebook's text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from packhound.core.types import CellPlace, Hit, Results
from packhound.index import Snapshot
from packhound.text import CellSpan, cell_at, cells_in, is_notebook

if TYPE_CHECKING:
    from packhound.service.indexed_folder import IndexedFolder

_MAX_NOTES = 5
"""Broken notebooks that a status names."""


def add_cells(
    results: Results, notes: Sequence[str], folder: IndexedFolder, snapshot: Snapshot
) -> Results:
    """Return results of a snapshot with notes before theirs; hits in notebooks say their cell."""
    results = replace(results, remarks=(*notes, *results.remarks))
    paths = {hit.node.path for hit in results.hits if is_notebook(hit.node.path)}
    if not paths:
        return results
    cells = {path: cells_in(folder.source(path, snapshot) or b"") for path in paths}
    return replace(results, hits=tuple(_place(hit, cells) for hit in results.hits))


def broken_notebooks(snapshot: Snapshot) -> tuple[str, ...]:
    """Return a note on each notebook that cannot be read as one, and how many more there are."""
    notes = [
        f"{path} is searched as plain text: {entry.degraded}"
        for path, entry in sorted(snapshot.files.items())
        if entry.degraded and is_notebook(path)
    ]
    n_more = len(notes) - _MAX_NOTES
    more = [f"{n_more:,} more notebooks are searched as plain text"] if n_more > 0 else []
    return (*notes[:_MAX_NOTES], *more)


def _place(hit: Hit, cells: dict[str, list[CellSpan]]) -> Hit:
    line = hit.node.span.start_line
    cell = cell_at(cells.get(hit.node.path, ()), line)
    return replace(hit, cell=CellPlace.of(cell.number, line - cell.line)) if cell else hit
