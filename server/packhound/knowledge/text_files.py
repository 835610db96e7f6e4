"""The text files of a source: those of the workspace's index, and those of other folders.

A file is parsed again when it changed. Folders outside the workspace are read as the workspace is:
with git's ignore rules, links not followed.
"""

from __future__ import annotations

import hashlib
import io
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from packhound.core.records import Record
from packhound.core.types import FileStamp
from packhound.files import WalkLimits, open_text, walk_by_steps

log = logging.getLogger("packhound")

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

    def stamps(self, is_document: Callable[[str], bool]) -> Mapping[str, Stamp]:
        """Return the chosen files by their paths, which are relative to the root."""

    def text(self, path: str) -> WorkspaceText | None:
        """Return the text of a file, None if it is gone."""


class TextFile(NamedTuple):
    """A file by the path that records show, read in one pass so that large ones fit."""

    path: str
    date: float
    lines: Iterator[str]


Parse = Callable[[TextFile], Iterable[Record]]
Walk = Callable[[Path], Iterable[tuple[str, FileStamp]]]


class TextFiles:
    """Records of the text files that `is_document` chooses; of other folders, all Markdown.

    One thread at a time calls.
    """

    def __init__(
        self,
        workspace: WorkspaceTexts,
        folders: Callable[[], Sequence[Path]],
        is_document: Callable[[str], bool],
        is_document_outside: Callable[[str], bool],
        parse: Parse,
        walk: Walk | None = None,
    ) -> None:
        """`walk` yields what other folders have, without it as in the workspace."""
        self._workspace = workspace
        self._folders = folders
        self._is_document = is_document
        self._is_document_outside = is_document_outside
        self._parse = parse
        self._walk = walk or _walk
        self._generation = -1
        self._scanned: tuple[float, Sequence[Path]] = (-_SCAN_S, ())
        self._inside: Mapping[str, Stamp] = {}
        self._outside: dict[str, tuple[Path, str, Stamp]] = {}
        self._parsed: dict[str, tuple[object, tuple[Record, ...]]] = {}
        self._unsaved: set[str] = set()
        self._n_changes = 0
        self._folder_problems: tuple[str, ...] = ()
        self._file_problems: dict[str, str] = {}

    def version(self) -> int:
        """Return a number that differs once a file changed; folders are looked at each second."""
        if self._workspace.generation != self._generation:
            self._generation = self._workspace.generation
            inside = self._workspace.stamps(self._is_document)
            self._n_changes += inside != self._inside
            self._inside = inside
        folders, now = self._folders(), time.monotonic()
        if folders != self._scanned[1] or now - self._scanned[0] >= _SCAN_S:
            outside = self._scan(folders)
            self._n_changes += outside != self._outside
            self._outside, self._scanned = outside, (now, folders)
        return self._n_changes

    def records(self) -> list[Record]:
        """Return the records of all files, each of a distinct id; a bad file becomes a problem."""
        self._file_problems = {}
        before, self._parsed = self._parsed, {}
        for path, stamp in self._inside.items():
            self._read(path, stamp, before, partial(self._lines_inside, path))
        for path, (folder, name, stamp) in self._outside.items():
            self._read(path, stamp, before, partial(open_text, folder, name, _MAX_LINE))
        records = [record for _, parsed in self._parsed.values() for record in parsed]
        return distinct(records)

    def is_on_disk(self, record: Record) -> bool:
        """Return False for a record of a text that an editor has not saved."""
        return record.path not in self._unsaved

    @property
    def problems(self) -> tuple[str, ...]:
        """Folders and files that could not be read, a line each."""
        return (*self._folder_problems, *self._file_problems.values())

    def _scan(self, folders: Sequence[Path]) -> dict[str, tuple[Path, str, Stamp]]:
        files: dict[str, tuple[Path, str, Stamp]] = {}
        problems = []
        for folder in folders:
            n_documents = 0
            for name, status in self._walk(folder):
                if not self._is_document_outside(name):
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

    def _read(
        self,
        path: str,
        stamp: Stamp,
        before: Mapping[str, tuple[object, tuple[Record, ...]]],
        lines: Callable[[], Iterator[str]],
    ) -> None:
        """Parse a file unless it is as it was."""
        parsed = before.get(path)
        if parsed is None or parsed[0] != stamp:
            try:
                parsed = stamp, tuple(self._parse(TextFile(path, stamp.date, lines())))
            except (OSError, ValueError) as error:
                self._file_problems[path] = f"'{path}' cannot be read: {error}"
                log.warning("%s", self._file_problems[path])
                return
        self._parsed[path] = parsed

    def _lines_inside(self, path: str) -> Iterator[str]:
        text = self._workspace.text(path) or WorkspaceText(b"", True)
        (set.discard if text.is_on_disk else set.add)(self._unsaved, path)
        return iter(io.StringIO(text.source.decode("utf-8", "replace"), newline=None))


def _walk(folder: Path) -> Iterable[tuple[str, FileStamp]]:
    return filter(None, walk_by_steps(folder, _LIMITS))


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
