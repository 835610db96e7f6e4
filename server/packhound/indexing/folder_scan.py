"""Which files of a folder differ from the index: by a walk over all, or among those named."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Mapping
from pathlib import Path, PurePosixPath

from packhound.core.types import FileStamp
from packhound.files.walk import IGNORE_FILES, WalkLimits, is_folder, is_searchable, walk_by_steps
from packhound.index.file_entry import FileEntry
from packhound.parsing.pool.pool import NOT_STARTED

_MEND_AFTER_S = 30.0
"""Between two attempts at files for which no parser could be started; it doubles."""

Differences = dict[str, bool]
"""Paths, and whether to read the file (True) or to drop it from the index."""


class Look:
    """A walk over the whole folder, a few milliseconds at a time, until it is `over`."""

    def __init__(self, root: Path, limits: WalkLimits, *, mending: bool) -> None:
        """`mending` says to read also what could not be parsed the last time."""
        self._steps = walk_by_steps(root, limits)
        self._mending = mending
        self._seen: set[str] = set()
        self.over = False

    @property
    def n_seen(self) -> int:
        """Files that it met so far."""
        return len(self._seen)

    def step(self, files: Mapping[str, FileEntry], opened: Container[str]) -> Differences:
        """What the next slice finds to differ from `files`; those `opened` count as they are."""
        found: Differences = {}
        for met in self._steps:
            if met is None:
                return found
            path, stamp = met
            self._seen.add(path)
            if path not in opened and self._differs(files.get(path), stamp):
                found[path] = True
        self.over = True
        found.update((path, False) for path in files if path not in self._seen)
        return found

    def _differs(self, entry: FileEntry | None, stamp: FileStamp) -> bool:
        if entry is None or entry.stamp != stamp:
            return True
        return self._mending and entry.degraded == NOT_STARTED


class Mending:
    """When to try again what no parser could be started for; seldom, as it may be in vain."""

    def __init__(self) -> None:
        self._at, self._wait_s = 0.0, _MEND_AFTER_S

    def due(self) -> bool:
        """Whether it is time; asked again, it is not until a longer pause is over."""
        now = time.monotonic()
        due = now >= self._at
        if due:
            self._at, self._wait_s = now + self._wait_s, 2 * self._wait_s
        return due


def sorted_out(
    root: Path, named: Iterable[str], files: Mapping[str, FileEntry], limits: WalkLimits
) -> tuple[Differences, bool]:
    """What to do about paths that may have changed, and whether to look at everything as well."""
    found: Differences = {}
    everything, folders = False, set[str]()
    for path in named:
        if path.rpartition("/")[2] in IGNORE_FILES:
            everything = True
        elif is_searchable(root, path, limits):
            found[path] = True
        elif path in files:
            found[path] = False
        elif is_folder(root, path):
            everything = True
        else:
            folders = folders or {str(above) for p in files for above in PurePosixPath(p).parents}
            everything = everything or path in folders
    return found, everything
