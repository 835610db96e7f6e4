"""The scan of a snapshot's texts for a pattern, past the files that cannot match."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from packhound.core.errors import Cancelled
from packhound.files import compile_globs
from packhound.grep.pattern import Pattern
from packhound.grep.trigrams import TrigramFilters
from packhound.index import FileEntry, Snapshot

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


def select(snapshot: Snapshot, paths: Sequence[str], exclude: Sequence[str]) -> list[FileEntry]:
    """Return the files that any of `paths` and none of `exclude` means, by path."""
    included, excluded = (compile_globs(tuple(globs)).fullmatch for globs in (paths, exclude))
    return [
        entry
        for path, entry in sorted(snapshot.files.items())
        if (not paths or included(path)) and not (exclude and excluded(path))
    ]


def scan(
    snapshot: Snapshot,
    entries: Iterable[FileEntry],
    pattern: Pattern,
    source: Source,
    filters: TrigramFilters,
    cancel: threading.Event | None = None,
) -> Matches:
    """Return the matches in some files. Raises Cancelled when `cancel` is set meanwhile."""
    offsets: dict[str, list[int]] = {}
    unread: list[str] = []
    n_unfiltered = 0
    for number, entry in enumerate(entries):
        if not number % _SLICE and cancel is not None and cancel.is_set():
            raise Cancelled("the search was cancelled")
        if not filters.admits(entry.digest, pattern.hashes):
            continue
        n_unfiltered += entry.digest not in filters
        text = source(entry.path, snapshot)
        if text is None:
            unread.append(entry.path)
        elif lines := pattern.lines(text):
            offsets[entry.path] = lines
    return Matches(offsets, tuple(unread), n_unfiltered)
