"""The text files of a source: those of the workspace's index, and those of other folders.

A file is parsed again when it changed. Folders outside the workspace are read as the workspace is:
with git's ignore rules, links not followed.
"""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from packhound.core.log import log
from packhound.core.records import Record, SourceName
from packhound.core.types import FileStamp
from packhound.files import WalkLimits, open_text, walk_by_steps
from packhound.sources import Source

_SCAN_S = 1.0
"""Seconds for which a look at the folders counts."""
_MAX_LINE = 1 << 20
_MAX_BYTES = 256 << 20
_LIMITS = WalkLimits(max_file_bytes=1 << 40)
"""Larger files than `_MAX_BYTES` are seen, and named as a problem."""


class Stamp(NamedTuple):
    """An identity that differs when a file's text does, and when it was written, 0 if unknown."""

    identity: object
    date: float


class WorkspaceText(NamedTuple):
    """The text of a file; `is_on_disk` is False for one that an editor has not saved."""

    source: bytes
    is_on_disk: bool


class WorkspaceTexts(Protocol):
    """The indexed files of the workspace, unsaved text included."""

    @property
    def generation(self) -> int:
        """Number of the current state."""

    @property
    def paths(self) -> Iterable[str]:
        """The paths of all files, relative to the root."""

    def stamp(self, path: str) -> Stamp | None:
        """Return the stamp of a file, None if it is gone."""

    def folders(self, source: SourceName) -> Sequence[Path]:
        """Return the folders elsewhere that the settings name for a source."""

    def code_with(self, path: str, lines: frozenset[str]) -> Sequence[str]:
        """Return references to the indexed code of a path that has some of these lines."""

    def text(self, path: str) -> WorkspaceText | None:
        """Return the text of a file, None if it is gone."""


class TextFile(NamedTuple):
    """A file by the path that records show, read in one pass so that large ones fit."""

    path: str
    date: float
    lines: Iterator[str]


class TextFiles(Source):
    """Source of text files of the workspace and of other folders; subclasses choose and read them.

    One thread at a time calls.
    """

    def __init__(self, workspace: WorkspaceTexts) -> None:
        self._workspace = workspace
        self._generation = -1
        self._scanned: tuple[float, Sequence[Path]] = (-_SCAN_S, ())
        self._inside: Mapping[str, Stamp] = {}
        self._outside: dict[str, tuple[Path, str, Stamp]] = {}
        self._parsed: dict[str, tuple[object, tuple[Record, ...]]] = {}
        self._unsaved: set[str] = set()
        self._n_changes = 0
        self._folder_problems: tuple[str, ...] = ()
        self._file_problems: dict[str, str] = {}

    def is_document(self, path: str) -> bool:
        """Return True for the path of a file of the workspace that has records."""
        return self.is_document_outside(path)

    def is_document_outside(self, path: str) -> bool:
        """Return True for the path of a file of another folder that has records."""
        raise NotImplementedError

    def walk(self, folder: Path) -> Iterable[tuple[str, FileStamp]]:
        """Yield what another folder has, as in the workspace."""
        return filter(None, walk_by_steps(folder, _LIMITS))

    def parse(self, file: TextFile) -> Iterable[Record]:
        """Return the records of a file. Raises ValueError if it has none."""
        raise NotImplementedError

    def version(self) -> object:
        """Return what differs once a file changed; folders are looked at each second."""
        if self._workspace.generation != self._generation:
            self._generation = self._workspace.generation
            documents = filter(self.is_document, self._workspace.paths)
            stamps = ((path, self._workspace.stamp(path)) for path in documents)
            inside = {path: stamp for path, stamp in stamps if stamp}
            self._n_changes += inside != self._inside
            self._inside = inside
        folders, now = self._workspace.folders(self.name), time.monotonic()
        if folders != self._scanned[1] or now - self._scanned[0] >= _SCAN_S:
            outside = self._scan(folders)
            self._n_changes += outside != self._outside
            self._outside, self._scanned = outside, (now, folders)
        return self._n_changes

    def records(self) -> list[Record]:
        """Return the records of all files, each of a distinct id; a bad file becomes a problem."""
        self._file_problems = {}
        before, self._parsed = self._parsed, {}
        outside = {path: stamp for path, (_, _, stamp) in self._outside.items()}
        for path, stamp in {**self._inside, **outside}.items():
            parsed = before.get(path)
            if parsed is None or parsed[0] != stamp:
                try:
                    file = TextFile(path, stamp.date, self._lines(path))
                    parsed = stamp, tuple(self.parse(file))
                except (OSError, ValueError) as error:
                    self._file_problems[path] = f"'{path}' cannot be read: {error}"
                    log.warning("%s", self._file_problems[path])
                    continue
            self._parsed[path] = parsed
        records = [record for _, parsed in self._parsed.values() for record in parsed]
        return distinct(records)

    def is_on_disk(self, record: Record) -> bool:
        """Return False for a record of a text that an editor has not saved."""
        return record.path not in self._unsaved

    def problems(self) -> tuple[str, ...]:
        """Return the folders and files that could not be read, a line each."""
        return (*self._folder_problems, *self._file_problems.values())

    def _scan(self, folders: Sequence[Path]) -> dict[str, tuple[Path, str, Stamp]]:
        files: dict[str, tuple[Path, str, Stamp]] = {}
        problems = []
        for folder in folders:
            n_documents = 0
            for name, status in self.walk(folder):
                if not self.is_document_outside(name):
                    continue
                n_documents += 1
                if status.size > _MAX_BYTES:
                    problems.append(_too_large(folder / name, status.size))
                    continue
                files[str(folder / name)] = (folder, name, Stamp(status, status.mtime_ns / 1e9))
            if not folder.is_dir():
                problems.append(f"folder '{folder}' is not there; change the setting that names it")
            elif not n_documents:
                problems.append(f"folder '{folder}' has no documents")
        if tuple(problems) != self._folder_problems:
            for problem in problems:
                log.warning("%s", problem)
        self._folder_problems = tuple(problems)
        return files

    def _lines(self, path: str) -> Iterator[str]:
        if path in self._outside:
            folder, name, _ = self._outside[path]
            return open_text(folder, name, _MAX_LINE)
        text = self._workspace.text(path) or WorkspaceText(b"", True)
        (set.discard if text.is_on_disk else set.add)(self._unsaved, path)
        return iter(io.StringIO(text.source.decode("utf-8", "replace"), newline=None))


def _too_large(path: Path, size: int) -> str:
    return f"'{path}' has {size >> 20:,} MB; must have at most {_MAX_BYTES >> 20:,}: split it"


def distinct(records: Iterable[Record]) -> list[Record]:
    """Return records with ids that differ: a second one gets a digest of its reference."""
    by_id: dict[str, Record] = {}
    for record in records:
        identity = record.id
        if identity in by_id:
            digest = hashlib.blake2b(record.reference.encode("utf-8", "replace"), digest_size=6)
            identity = f"{identity}-{digest.hexdigest()}"
        by_id[identity] = record._replace(id=identity)
    return [*by_id.values()]
