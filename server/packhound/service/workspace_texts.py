"""The indexed texts of a folder, as sources of records read them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from packhound.core.caching import ByteLru
from packhound.core.records import SourceName
from packhound.index import FileEntry
from packhound.knowledge import Stamp, WorkspaceText
from packhound.service.indexed_folder import IndexedFolder

_CACHE_BYTES = 1_000_000
"""Of references to the code of commits, of which a search shows tens."""


class WorkspaceTexts:
    """The files of a folder's index, unsaved text included. Any thread may call."""

    def __init__(self, folder: IndexedFolder) -> None:
        self._folder = folder
        self._references = ByteLru[object, tuple[str, ...]](_CACHE_BYTES, sys.getsizeof)

    @property
    def generation(self) -> int:
        """Number of the current state."""
        return self._folder.snapshot.generation

    @property
    def paths(self) -> Iterable[str]:
        """The paths of all files."""
        return self._folder.snapshot.files

    def stamp(self, path: str) -> Stamp | None:
        """Return the digest of a file and when it was written, None if it is gone."""
        entry = self._folder.snapshot.files.get(path)
        if entry is None:
            return None
        return Stamp(entry.digest, entry.stamp.mtime_ns / 1e9 if entry.stamp else 0.0)

    def folders(self, source: SourceName) -> list[Path]:
        """Return the folders that a setting names; relative ones are of the workspace."""
        settings = self._folder.settings
        named: dict[SourceName, Sequence[str]] = {
            "knowledge": settings.knowledge.folders,
            "episodes": settings.episodes.session_logs,
        }
        names = named.get(source, ())
        return [Path(self._folder.root, Path(name).expanduser()) for name in names]

    def code_with(self, path: str, lines: frozenset[str]) -> tuple[str, ...]:
        """Return references to the code of a path that has some of these lines, in its order."""
        snapshot = self._folder.snapshot
        entry = snapshot.files.get(path)
        if entry is None:
            return ()
        key = path, entry.digest, lines
        references = self._references.get(key)
        if references is None:
            text = self._folder.source(path, snapshot)
            if text is None:
                return ()
            references = _references(entry, text.decode("utf-8", "replace").splitlines(), lines)
            self._references.put({key: references})
        return references

    def text(self, path: str) -> WorkspaceText | None:
        """Return the text of a file, None if it is gone or newer than the index."""
        snapshot = self._folder.snapshot
        text = self._folder.source(path, snapshot)
        if text is None:
            return None
        return WorkspaceText(text, self._folder.is_on_disk(snapshot, path))


def _references(entry: FileEntry, text: Sequence[str], lines: frozenset[str]) -> tuple[str, ...]:
    """Return references to the innermost nodes around some lines, indentation aside."""
    numbers = [number for number, line in enumerate(text) if line.strip() in lines]
    positions = sorted({*entry.innermost(numbers)} - {-1})
    names = dict.fromkeys(map(entry.qualname, positions))
    return tuple(f"{entry.path}#{name}" for name in names if name)
