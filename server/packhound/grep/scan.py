"""The scan of a snapshot's texts for a pattern, past the files that cannot match."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from packhound.core.errors import Cancelled
from packhound.files import compile_globs
from packhound.grep.ngrams import NgramFilters
from packhound.grep.pattern import Pattern
from packhound.index import Snapshot

Source: TypeAlias = Callable[[str, Snapshot], "bytes | None"]
"""Returns the text that a snapshot was made from; None if the file changed since."""

_SLICE = 64
"""Files between two looks at whether the caller still waits."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The offset of the first match of each matching line, by path, in the order of paths.

    `unread` are the paths whose text changed since the snapshot, `n_unfiltered` counts the files
    that were read for want of a filter.
    """

    offsets: dict[str, list[int]]
    unread: tuple[str, ...]
    n_unfiltered: int

    @property
    def n_lines(self) -> int:
        """Number of matching lines."""
        return sum(map(len, self.offsets.values()))


class SortedFiles:
    """The paths of a snapshot in their order, and the filters that there were of the files.

    It keeps no snapshot alive.
    """

    def __init__(self, snapshot: Snapshot, filters: NgramFilters) -> None:
        self._snapshot, self._n_filters = weakref.ref(snapshot), filters.n_added
        self.paths = sorted(snapshot.files)
        self.filters = filters.table([snapshot.files[path].digest for path in self.paths])

    def is_of(self, snapshot: Snapshot, filters: NgramFilters) -> bool:
        """Return True if neither files nor filters have changed."""
        latest = self._snapshot()
        same_files = latest is not None and latest.files is snapshot.files
        return same_files and self._n_filters == filters.n_added


def select(paths: Sequence[str], exclude: Sequence[str]) -> Callable[[str], bool]:
    """Return a function that says of a path if any of `paths` and none of `exclude` means it."""
    included, excluded = (compile_globs(tuple(globs)).fullmatch for globs in (paths, exclude))
    return lambda path: (
        (not paths or bool(included(path))) and not (exclude and bool(excluded(path)))
    )


def scan(
    snapshot: Snapshot,
    files: SortedFiles,
    is_selected: Callable[[str], bool],
    pattern: Pattern,
    source: Source,
    cancel: threading.Event | None = None,
    can_match: Callable[[str, Snapshot], bool] | None = None,
) -> Matches:
    """Return the matches in the selected files. Raises Cancelled when `cancel` is set meanwhile.

    `can_match` says of a file if its text is worth asking `source` for.
    """
    offsets: dict[str, list[int]] = {}
    unread: list[str] = []
    candidates = files.filters.candidates(pattern.hashes)
    for number, position in enumerate(candidates.tolist()):
        if not number % _SLICE and cancel is not None and cancel.is_set():
            raise Cancelled("the search was cancelled")
        path = files.paths[position]
        if not is_selected(path) or (can_match and not can_match(path, snapshot)):
            continue
        text = source(path, snapshot)
        if text is None:
            unread.append(path)
        elif lines := pattern.lines(text):
            offsets[path] = lines
    n_unfiltered = int(files.filters.lacks_filter[candidates].sum())
    return Matches(offsets, tuple(unread), n_unfiltered)
