"""Writing of files in a folder: each in one step, and all or none, whenever the process is killed.

Nothing is written through a link or outside the folder, and no file that is not as it was expected.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from packhound.core.errors import StoreError
from packhound.core.file_lock import FileLock
from packhound.core.private_file import append_private, make_private_folder, read_private

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | _BINARY
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_BY_HANDLE = os.open in os.supports_dir_fd


@dataclass(frozen=True, slots=True)
class Replacement:
    """A file and what shall be in its place; a text is None where there is, or shall be, none.

    It has the permissions `mode`, else those of the file `like`, else it keeps its own;
    `executable` changes them.
    """

    path: str
    before: bytes | None
    after: bytes | None
    like: str = ""
    executable: bool | None = None
    mode: int | None = None


class _Journal(msgspec.Struct):
    """The journal that takes back some writes, by the file that each is prepared in.

    They are whole once the files `beside` them, which somebody else changes, are too.
    """

    undo: dict[str, Replacement]
    beside: Sequence[Replacement]


class Interrupted(msgspec.Struct, frozen=True):
    """Paths of writes that were taken back, and of those that somebody has changed since.

    `damaged` is the journal, kept, if it cannot be read: then both are unknown.
    """

    taken_back: Sequence[str] = ()
    changed: Sequence[str] = ()
    damaged: Path | None = None


class WriteError(Exception):
    """The error that was raised while files were written, after which they were taken back.

    But for those that `stayed`: written, and changed by somebody since.
    """

    def __init__(self, problem: Exception, stayed: Sequence[str]) -> None:
        super().__init__(str(problem))
        self.problem, self.stayed = problem, stayed


@contextmanager
def replaced_files(
    root: Path,
    replacements: Sequence[Replacement],
    journals: Path,
    beside: Sequence[Replacement] = (),
) -> Iterator[None]:
    """Write all of some files, or none: what is raised within the context takes them back.

    Until its end a journal in a private folder has what takes them back after a kill (`take_back`);
    `beside` are files that somebody else shall change within it. Raises WriteError: one cannot be
    written or has changed (OSError), or what was raised within; StoreError: no journal.
    """
    make_private_folder(journals)
    token = secrets.token_hex(6)
    journal, lock = journals / token, FileLock(journals / f"{token}.lock")
    prepared = [(each, f".packhound-{secrets.token_hex(6)}.tmp") for each in replacements]
    undo = {
        name: Replacement(each.path, each.after, each.before, mode=_mode_of(root, each.path))
        for each, name in prepared
    }
    if not lock.acquire():
        raise StoreError(f"'{journals}' cannot be used: a new lock is taken")
    created, placed = list[str](), set[str]()
    try:
        append_private(journal, msgspec.json.encode(_Journal(undo, beside)))
        try:
            _replace(root, prepared, created, placed)
            yield
        except BaseException as problem:
            stayed = [path for path in _undo(root, [*undo.values()]) if path in placed]
            _clean(root, prepared, created)
            if isinstance(problem, Exception):
                raise WriteError(problem, stayed) from problem
            raise
    finally:
        journal.unlink(missing_ok=True)
        lock.release()
        with suppress(OSError):
            (journals / f"{token}.lock").unlink()


def _replace(
    root: Path,
    prepared: Sequence[tuple[Replacement, str]],
    created: list[str],
    placed: set[str],
) -> None:
    """Put files in their places; add the folders that are `created`, and the paths, as it goes."""
    for each, temporary in prepared:
        _prepare(root, each, temporary, created)
    # What goes comes last: until then its text is at two places.
    for each, temporary in sorted(prepared, key=lambda pair: pair[0].after is None):
        _put(root, each, temporary)
        placed.add(each.path)
    _clean(root, prepared, [])
    for each, _ in prepared:
        if each.after is None:
            _remove_empty_folders(root, each.path)


def take_back(root: Path, journals: Path) -> Iterator[Interrupted]:
    """Take back what killed processes wrote by half; what is whole, or being written, stays."""
    for path in sorted(journals.glob("*.lock")):
        lock, journal = FileLock(path), path.with_suffix("")
        try:
            if not lock.acquire():
                continue
            # It is written first: without one there is nothing to take back.
            if text := read_private(journal):
                yield from _taken_back(root, msgspec.json.decode(text, type=_Journal))
            journal.unlink(missing_ok=True)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            yield Interrupted(damaged=journal)
        except StoreError:
            yield Interrupted(damaged=journal)
            continue  # It may become readable.
        finally:
            lock.release()
        path.unlink(missing_ok=True)


def _taken_back(root: Path, journal: _Journal) -> Iterator[Interrupted]:
    """Take back what a journal has, unless all of it is written; yield what was taken back."""
    undo = [*journal.undo.values()]
    _clean(root, [(each, name) for name, each in journal.undo.items()], [])
    aims = [(each.path, each.before) for each in undo]
    aims += [(each.path, each.after) for each in journal.beside]
    if not all(_is_as(root, path, text) for path, text in aims):
        written = [each.path for each in undo if not _is_back(root, each)]
        changed = _undo(root, undo)
        yield Interrupted([p for p in written if p not in changed], changed)


def _undo(root: Path, undo: Sequence[Replacement]) -> list[str]:
    """Take back what was written; return the paths that somebody has changed since, as they are."""
    changed = []
    for each in reversed(undo):
        temporary = f".packhound-{secrets.token_hex(6)}.tmp"
        try:
            if not _is_back(root, each):
                _prepare(root, each, temporary, [])
                _put(root, each, temporary)
        except OSError:
            changed.append(each.path)
        _clean(root, [(each, temporary)], [])
        if each.after is None:
            _remove_empty_folders(root, each.path)
    return changed


def _is_back(root: Path, undo: Replacement) -> bool:
    """Return True for a file that is as it was before, or was never written."""
    return _is_as(root, undo.path, undo.after) and _mode_of(root, undo.path) == undo.mode


def _is_as(root: Path, path: str, text: bytes | None) -> bool:
    try:
        with _folder_of(root, path) as (prefix, handle):
            return _read(prefix + path.rpartition("/")[2], handle) == text
    except FileNotFoundError:
        return text is None
    except OSError:
        return False


def _prepare(root: Path, each: Replacement, temporary: str, created: list[str]) -> None:
    """Write the text of a file beside it, on disk when this returns."""
    if each.after is None:
        return
    mode = _mode_of(root, each.like or each.path) if each.mode is None else each.mode
    with _folder_of(root, each.path, created) as (prefix, handle):
        # The user's mask counts for a new file.
        file = os.open(prefix + temporary, _NEW | _BINARY, 0o666, dir_fd=handle)
        with os.fdopen(file, "wb") as stream:
            stream.write(each.after)
            stream.flush()
            if os.name != "nt":
                bits = stat.S_IMODE(os.fstat(file).st_mode) if mode is None else mode
                if each.executable is not None:
                    bits = bits | (bits & 0o444) >> 2 if each.executable else bits & ~0o111
                os.fchmod(file, bits)
            os.fsync(file)


def _put(root: Path, each: Replacement, temporary: str) -> None:
    """Put a file in its place, if what is there is what was expected. Raises OSError."""
    name = each.path.rpartition("/")[2]
    with _folder_of(root, each.path) as (prefix, handle):
        if _read(prefix + name, handle) != each.before:
            raise OSError(errno.EBUSY, "it was changed meanwhile", each.path)
        if each.after is None:
            os.unlink(prefix + name, dir_fd=handle)
        elif each.before is None and _BY_HANDLE:
            # Unlike a rename it fails if a file has come there since.
            os.link(prefix + temporary, prefix + name, src_dir_fd=handle, dst_dir_fd=handle)
        else:
            os.replace(prefix + temporary, prefix + name, src_dir_fd=handle, dst_dir_fd=handle)
        if handle is not None:
            os.fsync(handle)


def _clean(root: Path, prepared: Sequence[tuple[Replacement, str]], folders: Sequence[str]) -> None:
    """Delete what was prepared and is not in its place, and some folders if they are empty."""
    for each, temporary in prepared:
        with suppress(OSError), _folder_of(root, each.path) as (prefix, handle):
            os.unlink(prefix + temporary, dir_fd=handle)
    for folder in reversed(folders):
        with suppress(OSError), _folder_of(root, folder) as (prefix, handle):
            os.rmdir(prefix + folder.rpartition("/")[2], dir_fd=handle)


def _remove_empty_folders(root: Path, path: str) -> None:
    """Remove the folders of a path that has gone, as git does, up to one with other files."""
    while "/" in path:
        path = path.rpartition("/")[0]
        with suppress(OSError), _folder_of(root, path) as (prefix, handle):
            os.rmdir(prefix + path.rpartition("/")[2], dir_fd=handle)


def _mode_of(root: Path, path: str) -> int | None:
    with suppress(OSError), _folder_of(root, path) as (prefix, handle):
        name = prefix + path.rpartition("/")[2]
        return stat.S_IMODE(os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode)
    return None


def _read(name: str, handle: int | None) -> bytes | None:
    """Return the bytes of a regular file, None where nothing is. Raises OSError for a link."""
    try:
        file = os.open(name, _READ, dir_fd=handle)
    except FileNotFoundError:
        return None
    with os.fdopen(file, "rb") as stream:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", name)
        return stream.read()


@contextmanager
def _folder_of(
    root: Path, path: str, created: list[str] | None = None
) -> Iterator[tuple[str, int | None]]:
    """Yield the folder of a path, through no link: what its names begin with, and its handle.

    Folders that are missing are created, and added to `created`, if it is given. Raises OSError.
    """
    folders = path.split("/")[:-1]
    if not _BY_HANDLE:
        folder = root.joinpath(*folders)
        if created is not None:
            folder.mkdir(parents=True, exist_ok=True)
        if not folder.resolve().is_relative_to(root.resolve()):
            raise OSError(errno.ELOOP, "it leads out of the folder", path)
        yield f"{folder}{os.sep}", None
        return
    handle = os.open(root, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
    try:
        for n, name in enumerate(folders, 1):
            if created is not None:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=handle)
                    created.append("/".join(folders[:n]))
            child = os.open(name, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = child
        yield "", handle
    finally:
        os.close(handle)
