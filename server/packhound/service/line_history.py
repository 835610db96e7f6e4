"""Hits with the commits of their lines, for searches that ask for them."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from packhound.core.line_history import LineHistory
from packhound.core.types import Hit
from packhound.git import line_histories
from packhound.index import Snapshot
from packhound.service.indexed_folder import IndexedFolder

_MAX_S = 10.0
"""After it git is asked for no further file."""


def add_line_history(
    folder: IndexedFolder, snapshot: Snapshot, hits: Sequence[Hit]
) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    """Return hits of a snapshot with the history of their lines, and a note if git took too long.

    Records, and files that changed meanwhile, have none.
    """
    by_path: defaultdict[str, list[int]] = defaultdict(list)
    for position, hit in enumerate(hits):
        if hit.record is None:
            by_path[hit.node.path].append(position)
    histories: dict[int, LineHistory] = {}
    started, n_late = time.monotonic(), 0
    for path, positions in by_path.items():
        if time.monotonic() - started > _MAX_S:
            n_late += len(positions)
        elif (text := folder.source(path, snapshot)) is not None:
            spans = [hits[position].node.span for position in positions]
            ranges = [(span.start_line, span.end_line) for span in spans]
            rows = line_histories(folder.root, path, text, ranges)
            histories |= zip(positions, rows, strict=True)
    late = (f"git took too long: {n_late:,} hits are without commits",) if n_late else ()
    return tuple(replace(hit, git=histories.get(i)) for i, hit in enumerate(hits)), late
