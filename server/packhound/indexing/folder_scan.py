"""Files of a folder that differ from the index: all by a walk, or those among named paths."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Mapping
from pathlib import Path, PurePosixPath
from threading import Event

from packhound.core.status import LOCK_FILE, why_in_part
from packhound.core.trace import traced
from packhound.core.types import FileStamp
from packhound.files import (
    IGNORE_FILES,
    Omissions,
    WalkLimits,
    is_folder,
    is_lock_file,
    is_searchable,
    walk_by_steps,
)
from packhound.index import FileEntry
from packhound.parsing import NOT_STARTED

Differences = dict[str, bool]
"""Paths, and whether to read the file (True) or to drop it from the index."""


class FolderScan:
    """Walk over the whole folder, a few milliseconds at a time, until it is `over`."""

    def __init__(
        self, root: Path, limits: WalkLimits, cancelled: Event, *, retry_unparsed: bool
    ) -> None:
        """With `retry_unparsed`, files that no parser could be started for differ too."""
        self.omissions = Omissions()
        self.in_part: dict[str, str] = {}
        """Files of the index that are not wholly in it, and why."""
        self._steps = walk_by_steps(root, limits, self.omissions)
        self._retry_unparsed = retry_unparsed
        self._seen: set[str] = set()
        self.is_there = root.is_dir()
        self.cancelled = cancelled
        self.over = False
        self.started = time.monotonic()

    def has_seen(self, path: str) -> bool:
        """Return True if the walk has met a file that may be indexed at `path`."""
        return path in self._seen

    @property
    def n_seen(self) -> int:
        """Number of files met so far."""
        return len(self._seen)

    @traced("list files")
    def step(self, files: Mapping[str, FileEntry], open_paths: Container[str]) -> Differences:
        """Return how the next slice differs from `files`; open documents never do."""
        differences: Differences = {}
        for file in self._steps:
            if file is None:
                return differences
            path, stamp = file
            self._seen.add(path)
            entry = files.get(path)
            if is_lock_file(path):
                self.in_part[path] = LOCK_FILE
            elif entry is not None and (why := why_in_part(entry.degraded)):
                self.in_part[path] = why
            if path not in open_paths and self._differs(entry, stamp):
                differences[path] = True
        self.over = True
        differences.update((path, False) for path in files if path not in self._seen)
        return differences

    def _differs(self, entry: FileEntry | None, stamp: FileStamp) -> bool:
        if entry is None or entry.stamp != stamp:
            return True
        return self._retry_unparsed and entry.degraded == NOT_STARTED


def classify_changed_paths(
    root: Path, paths: Iterable[str], files: Mapping[str, FileEntry], limits: WalkLimits
) -> tuple[Differences, bool]:
    """Return what to do about paths that may have changed, and True if all must be scanned."""
    differences: Differences = {}
    rescan, indexed_folders = False, set[str]()
    for path in paths:
        if path.rpartition("/")[2] in IGNORE_FILES:
            rescan = True
        elif is_searchable(root, path, limits):
            differences[path] = True
        elif path in files:
            differences[path] = False
        elif is_folder(root, path):
            rescan = True
        else:
            indexed_folders = indexed_folders or _parents(files)
            rescan = rescan or path in indexed_folders
    return differences, rescan


def _parents(paths: Iterable[str]) -> set[str]:
    return {str(parent) for path in paths for parent in PurePosixPath(path).parents}
