"""Folders that are read on request and that nobody edits: other commits, sources of dependencies.

Each has an engine with an index of its own in the cache, which begins as a copy of the index with
the most files in common, so that only files that differ are parsed.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from packhound.core.errors import RootError, SettingsError
from packhound.core.private_file import make_private_folder, write_private_atomic
from packhound.core.settings import Settings
from packhound.core.settings_reader import changed
from packhound.core.status import Reading
from packhound.git import Revision, find_revision, open_repository, remote_names, write_revision
from packhound.redact import visible_line
from packhound.service.dependencies import find_dependency
from packhound.service.indexed_folder import IndexedFolder
from packhound.service.remotes import MAX_OPEN, READ_ONLY, Other
from packhound.service.roots import REVISIONS, index_folder, real_path

if TYPE_CHECKING:
    from packhound.service.engine import Engine

_SAVE_S = 5.0
_COMMIT_DIGITS = 12


class _Place(NamedTuple):
    folder: Path
    label: str
    note: str


class OtherRoots:
    """The other roots of one folder, opened when they are first asked for. Any thread may call."""

    def __init__(self, folder: IndexedFolder) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        # Replaced as a whole, the one asked last at the end: `at` waits for no reading of a commit.
        self._opened: dict[Path, Other] = {}
        self._remotes = folder.peers.remotes

    @cached_property
    def repositories(self) -> list[str]:
        """The names of the folder's repository, as a team's store knows it."""
        return remote_names(self._folder.root)

    def beside(
        self, query: str, cloned: Collection[str], seconds: float
    ) -> tuple[list[Other], list[str]]:
        """Return the remotes of the user's settings that can be asked, and notes on others.

        None is `cloned`. Waits some seconds for the reading of what is pulled.
        """
        folder = self._folder
        if not folder.settings.team.remotes:
            return [], []
        self._remotes.follow(self)
        return self._remotes.beside(query, folder.settings, cloned, folder.peers, seconds)

    def fetch(self, root: Other, query: str) -> str:
        """Bring files for a question, of a repository too large to pull; return a note on that."""
        return self._remotes.fetch([root], query, self._folder.settings)[0]

    def look(self) -> list[str]:
        """Pull the remotes of the user's settings now; return notes on those that were not."""
        self._remotes.follow(self)
        return self._remotes.look(self._folder.settings, self._folder.peers)

    def open(self, address: str) -> Other:
        """Return what `rev:NAME`, `deps:NAME` or `repo:NAME` stands for; it may not be read yet.

        Raises SettingsError: there is no such revision, dependency or repository.
        """
        from packhound.service.engine import Engine  # An engine has these.

        source, _, name = address.partition(":")
        if source == "repo":
            self._remotes.follow(self)
            return self._remotes.open(name, self._folder.settings, self._folder.peers)
        with self._lock:
            place = self._revision(name) if source == "rev" else self._dependency(name)
            opened = dict(self._opened)
            other = opened.pop(place.folder, None)
            if other is None:
                settings = changed(self._folder.settings, READ_ONLY)
                engine = Engine.open(
                    place.folder, settings, self._folder.on_change, peers=self._folder.peers
                )
                other = Other(engine, place.label, place.note)
            other = opened[place.folder] = other._replace(note=place.note)
            unused = [opened.pop(folder) for folder in [*opened][:-MAX_OPEN]]
            self._opened = opened
            for each in unused:
                each.engine.close()
            return other

    def at(self, folder: str) -> Other | None:
        """Return the other root at a path, as rows of answers name it, if it is open."""
        opened = self._opened.values()
        found = next((other for other in opened if str(other.engine.root) == folder), None)
        return found or self._remotes.at(folder)

    @property
    def pending(self) -> int:
        """Number of files that are still to be read."""
        return sum(engine.index.queue.pending for engine in self._engines)

    @property
    def readings(self) -> list[Reading]:
        """Readings of those that are not complete."""
        readings = [engine.reading for engine in self._engines]
        return [reading for reading in readings if not reading.is_complete]

    @property
    def _engines(self) -> list[Engine]:
        return [other.engine for other in self._opened.values()] + self._remotes.named_engines

    def close(self) -> None:
        """Close all of them; their indexes stay in the cache."""
        self._remotes.leave(self)
        with self._lock:
            opened, self._opened = self._opened, {}
            for other in opened.values():
                other.engine.close()

    def _revision(self, name: str) -> _Place:
        """Return the folder with the files of a commit, written from git's objects if need be."""
        root = self._folder.root
        revision = find_revision(root, name)
        if revision is None:
            repository = open_repository(root)
            folder = repository.folder if repository.is_bare else root
            raise SettingsError(
                f"'rev:{visible_line(name[:200])}' is no branch, tag or commit in "
                f"'{visible_line(str(folder))}'"
            )
        short = revision.commit[:_COMMIT_DIGITS]
        folder = _folder_of(root, revision)
        if not self._is_written(folder):
            self._folder.queue.flush(_SAVE_S)  # Its index is what that of the commit begins with.
            _write(root, revision, folder, self._folder.settings)
        day = datetime.fromtimestamp(revision.seconds, timezone.utc).date().isoformat()
        most = self._folder.settings.index.max_file_kilobytes
        note = (
            f"rev:{visible_line(name[:200])} is commit {short} of {day}, without its links,"
            f" submodules and files over {most:,} kB"
        )
        return _Place(folder, f"rev@{short}", note)

    def _dependency(self, name: str) -> _Place:
        found = find_dependency(self._folder.root, name)
        if isinstance(found, str):
            raise SettingsError(found)
        label = f"deps@{name.replace('/', '+')}"
        version = f" {found.version}" if found.version else ""
        note = f"deps:{visible_line(name)} is{version} in {visible_line(str(found.path))}"
        folder = found.path if found.path.is_dir() else self._copy(found.path)
        return _Place(folder, label, note)

    def _copy(self, file: Path) -> Path:
        """Return a folder with a copy of one file, beside the commits. Raises SettingsError."""
        try:
            text = file.read_bytes()
            name = hashlib.sha256(text).hexdigest()
            folder = index_folder(self._folder.root) / REVISIONS / name
            if not self._is_written(folder):
                make_private_folder(folder)
                write_private_atomic(folder / file.name, text)
        except OSError as error:
            raise SettingsError(f"'{visible_line(str(file))}' cannot be read: {error}") from None
        return folder

    def _is_written(self, folder: Path) -> bool:
        """Return True if a folder of the cache is there; if not, close what was opened of it."""
        if folder.is_dir():
            return True
        if cleared := self._opened.get(folder):
            self._opened = {f: o for f, o in self._opened.items() if f != folder}
            cleared.engine.close()
        return False


def checked_out(root: Path) -> Path:
    """Return a folder; for a bare repository that of the files of its HEAD, written if need be.

    Raises RootError: nothing is committed there, or git does not read it.
    """
    real = real_path(root)
    if not ((real / "HEAD").is_file() and (real / "objects").is_dir() and (real / "refs").is_dir()):
        return root
    revision = find_revision(real, "HEAD")
    if revision is None:
        raise RootError(f"the bare repository '{visible_line(str(root))}' has no commit at HEAD")
    folder = _folder_of(real, revision)
    try:
        if not folder.is_dir():
            _write(real, revision, folder, Settings())
        if not (folder / ".git").exists():  # By which git finds the history of these files.
            write_private_atomic(folder / ".git", f"gitdir: {real}\n".encode())
    except (OSError, SettingsError) as problem:
        raise RootError(visible_line(str(problem))) from None
    return folder


def _folder_of(root: Path, revision: Revision) -> Path:
    return index_folder(root) / REVISIONS / revision.commit


def _write(root: Path, revision: Revision, folder: Path, settings: Settings) -> None:
    make_private_folder(folder.parent)
    max_bytes = settings.index.max_file_kilobytes * 1_000
    try:
        write_revision(root, revision, folder, settings.index.max_files, max_bytes)
    except OSError as error:
        raise SettingsError(
            f"commit {revision.commit} cannot be read: {visible_line(str(error))}"
        ) from None
