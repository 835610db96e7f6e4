"""The files of a snapshot that a pattern is looked for in, and the lines that match."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from packhound.files import compile_globs, without_negated
from packhound.grep.ngrams import NgramFilters
from packhound.index import Snapshot

Source: TypeAlias = Callable[[str, Snapshot], "bytes | None"]
"""Returns the text that a snapshot was made from; None if the file changed since."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The offset of the first match of each matching line, by path, in the order of paths.

    `unread` are the paths whose text changed since the snapshot, and `notes` say what else is not
    known.
    """

    offsets: dict[str, list[int]]
    unread: tuple[str, ...]
    notes: Sequence[str] = ()

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
    paths, exclude = without_negated(paths, exclude)
    included, excluded = (compile_globs(globs).fullmatch for globs in (paths, exclude))
    return lambda path: (
        (not paths or bool(included(path))) and not (exclude and bool(excluded(path)))
    )
