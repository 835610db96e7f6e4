"""A private copy of a folder as the user sees it, with a patch on top; the folder is only read.

Files that git tracks and that did not change come out of git's objects, all others from the disk.
No filter, hook or attribute counts, and no link is followed. A copy has a lock that the kernel
frees however its process ends, so that the next one removes what a killed one left.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
import stat
import subprocess
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from packhound import files, git
from packhound.core.errors import Cancelled, SettingsError, StoreError
from packhound.core.file_lock import FileLock
from packhound.core.private_file import make_private_folder
from packhound.core.trace import traced
from packhound.core.user_folders import cache_folder
from packhound.redact import visible_line

_LFS = b"version https://git-lfs.github.com/spec/"
_LINK, _SUBMODULE = "120000", "160000"
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE)
_MAX_NAMED = 5
_APART_NS = 2_000_000_000
_CANCELLED_EACH = 100
"""Files after which is asked if anybody still waits."""


class CopyLimits(NamedTuple):
    """Bounds of a copy; `include` are globs of files of secrets that it shall have."""

    max_files: int = 50_000
    max_bytes: int = 1_000_000_000
    include: tuple[str, ...] = ()


@dataclass(frozen=True)
class Copy:
    """A copy: its `folder`, and the private `home` that it lies in, for what belongs to it.

    `base_digest` is that of all paths, texts and modes without the patch. `notes` name, a line
    each, what is not in it as the user has it.
    """

    folder: Path
    home: Path
    base_digest: str
    n_files: int
    n_bytes: int
    notes: tuple[str, ...] = ()


@contextmanager
def materialize(
    root: Path,
    unsaved: Mapping[str, bytes],
    patch: Mapping[str, git.PatchedFile],
    limits: CopyLimits | None = None,
    cancel: threading.Event | None = None,
    *,
    asks_git: bool = False,
) -> Iterator[Copy]:
    """Yield a copy of a folder with texts that are not saved, and a patch; it goes at the end.

    With `asks_git` it is a working tree whose objects are those of the folder's repository. Raises
    SettingsError: it would be too large; StoreError: it cannot be written; Cancelled.
    """
    remove_leavings()
    runs = runs_folder()
    name = secrets.token_hex(8)
    home, lock = runs / name, FileLock(runs / f"{name}.lock")
    if not lock.acquire():
        raise StoreError(f"'{runs}' cannot be used: a new lock is taken")
    try:
        folder = home / "copy" / (root.name or "root")
        try:
            home.mkdir(mode=0o700)
            folder.mkdir(parents=True)
            copy = _Copying(root, folder, limits or CopyLimits(), cancel).copy(
                unsaved, patch, asks_git=asks_git
            )
        except OSError as error:
            raise StoreError(f"'{home}' cannot be written: {error}") from error
        yield copy
    finally:
        _remove(home)
        (runs / f"{name}.lock").unlink(missing_ok=True)
        lock.release()


def remove_leavings() -> int:
    """Remove the copies whose processes were killed; return how many."""
    n_removed = 0
    for path in sorted(runs_folder().glob("*.lock")):
        lock = FileLock(path)
        with suppress(StoreError):
            if lock.acquire():
                _remove(path.with_suffix(""))
                path.unlink(missing_ok=True)
                lock.release()
                n_removed += 1
    return n_removed


def runs_folder() -> Path:
    """Return the private folder of all copies."""
    folder = cache_folder() / "runs"
    make_private_folder(folder)
    return folder


def _remove(folder: Path) -> None:
    """Remove a folder, whatever rights and depth a run gave to what is in it."""

    def unlock(_function: object, path: str, _info: object) -> None:
        with suppress(OSError):
            for each in (Path(path).parent, Path(path)):
                if not each.is_symlink():
                    each.chmod(0o700)
            if Path(path).is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                Path(path).unlink(missing_ok=True)

    with suppress(RecursionError):
        shutil.rmtree(folder, onerror=unlock)
    if folder.exists():
        subprocess.run(["rm", "-rf", "--", str(folder)], check=False, capture_output=True)


class _Copying:
    """One copy in the making."""

    def __init__(
        self, root: Path, folder: Path, limits: CopyLimits, cancel: threading.Event | None
    ) -> None:
        self._root, self._folder, self._limits, self._cancel = root, folder, limits, cancel
        self._base: dict[str, bytes] = {}
        self._links: dict[str, str] = {}
        self._n_files = self._n_bytes = 0
        self._remarks: dict[str, list[str]] = {}
        runs = folder.parents[2]
        # A cache folder may lie in the folder that is copied.
        self._cache_prefix = f"{runs.relative_to(root)}/" if runs.is_relative_to(root) else "\0"
        self._includes = files.compile_globs(limits.include) if limits.include else None

    @traced("check: copy")
    def copy(
        self, unsaved: Mapping[str, bytes], patch: Mapping[str, git.PatchedFile], *, asks_git: bool
    ) -> Copy:
        """Write all of it."""
        repository = git.open_repository(self._root)
        tracked = git.tracked_files(self._root) if repository.state == "ready" else []
        attributes = git.attributes_of(self._root, (t.path for t in tracked), _ATTRIBUTES)
        for path in sorted(attributes["export-subst"]):
            self._name("git archive would put the commit into (export-subst)", path)
        blobs, statuses, paths = list[git.Blob](), dict[str, os.stat_result](), {*unsaved, *patch}
        # Of these nobody knows which of the two was checked out.
        replaced = git.replaced_objects(self._root) if tracked else set()
        written_index = repository.stamp()[1] if repository.state == "ready" else 0
        for file in tracked:
            if file.mode == _SUBMODULE:
                self._name("submodule, copied as its files are on the disk", file.path)
                continue
            try:
                status = os.lstat(self._root / file.path)
            except OSError:
                continue
            is_same = files.stamp_of(status) == file.stamp and file.stamp.mtime_ns < written_index
            is_same = is_same and file.mode != _LINK and file.path not in attributes["filter"]
            is_same = is_same and file.name not in replaced
            if file.path in patch and file.path not in unsaved and is_same:
                self._base[file.path] = _digest_of(file.name.encode(), status.st_mode)
            if file.path in paths or self._is_secret(file.path):
                pass
            elif is_same:
                blobs.append(git.Blob(file.name, file.stamp.size, file.path))
                statuses[file.path] = status
            else:
                self._from_disk(file.path)
            paths.add(file.path)
        for blob, text in git.read_blobs(self._root, blobs):
            if text is None or len(text) != blob.size:  # Its lines end otherwise on the disk.
                self._from_disk(blob.path)
            else:
                status = statuses[blob.path]
                self._base[blob.path] = _digest_of(blob.name.encode(), status.st_mode)
                self._write(blob.path, text, status.st_mode, status.st_mtime_ns)
        self._untracked(paths)
        self._overlay(unsaved, patch)
        self._make_links()
        if asks_git:
            self._clone(repository)
        rows = b"".join(
            path.encode("utf-8", "surrogateescape") + b"\0" + digest + b"\n"
            for path, digest in sorted(self._base.items())
        )
        return Copy(
            self._folder,
            self._folder.parents[1],
            hashlib.blake2b(rows, digest_size=16).hexdigest(),
            self._n_files,
            self._n_bytes,
            tuple(self._notes()),
        )

    def _untracked(self, paths: Collection[str]) -> None:
        for path, kind in files.walk_unignored(self._root, git.user_ignore_file(self._root)):
            if path in paths or path.startswith(self._cache_prefix):
                continue
            if kind == "secret" and self._is_secret(path):
                continue
            if kind == "other":
                self._name("no plain file, left out", path)
            else:
                self._from_disk(path)

    def _overlay(self, unsaved: Mapping[str, bytes], patch: Mapping[str, git.PatchedFile]) -> None:
        # Tools keep what they know of a file by its time to the second, and its size: each of its
        # texts has a time of its own.
        for path, text in unsaved.items():
            self._base[path] = _digest_of(_digest(text), self._mode(path))
            if path not in patch:
                self._write(path, text, self._mode(path), self._later(path))
        for path, file in patch.items():
            if file.before is not None and file.old_path == path:
                self._base.setdefault(path, _digest_of(_digest(file.before), self._mode(path)))
            if file.after is not None:
                mode = int(file.mode, 8) if file.mode else self._mode(file.old_path)
                self._write(path, file.after, mode, self._later(path) + _APART_NS)

    def _later(self, path: str) -> int:
        """Return a time after that of a file on the disk, now if it can be, in nanoseconds."""
        with suppress(OSError):
            saved = os.lstat(self._root / path).st_mtime_ns
            return max(time.time_ns(), saved + _APART_NS)
        return time.time_ns()

    def _mode(self, path: str) -> int:
        try:
            return os.lstat(self._root / path).st_mode
        except OSError:
            return 0

    def _from_disk(self, path: str) -> None:
        """Copy a file or a link as the disk has it; what has gone or cannot be read is named."""
        self._count()
        with suppress(OSError):
            self._links[path] = str((self._root / path).readlink())
            self._base[path] = b"link" + os.fsencode(self._links[path])
            return
        target = self._create(path)
        try:
            with os.fdopen(target, "wb", closefd=False):
                copied = files.copy_bytes(
                    self._root, path, target, self._limits.max_bytes - self._n_bytes
                )
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno in _NO_ROOM:
                raise
            copied = None
        finally:
            size = os.fstat(target).st_size
            os.close(target)
        if copied is None:
            (self._folder / path).unlink()
            self._refuse_size(path)
            self._name("cannot be read, left out", path)
            return
        self._n_bytes += size
        digest, status = copied
        self._base[path] = _digest_of(digest, status.st_mode)
        self._finish(path, status.st_mode, status.st_mtime_ns)

    def _refuse_size(self, path: str) -> None:
        with suppress(OSError):
            status = os.lstat(self._root / path)
            if stat.S_ISREG(status.st_mode):
                self._check_bytes(status.st_size)

    def _write(self, path: str, text: bytes, mode: int, mtime_ns: int) -> None:
        self._count()
        self._check_bytes(len(text))
        with os.fdopen(self._create(path), "wb") as file:
            file.write(text)
        self._n_bytes += len(text)
        if text.startswith(_LFS):
            self._name("a pointer of Git LFS, not the file itself", path)
        self._finish(path, mode, mtime_ns)

    def _create(self, path: str) -> int:
        target = self._folder / path
        try:
            return os.open(target, _CREATE, 0o644)
        except FileNotFoundError:
            target.parent.mkdir(parents=True, exist_ok=True)
            return os.open(target, _CREATE, 0o644)

    def _finish(self, path: str, mode: int, mtime_ns: int) -> None:
        if mode & stat.S_IXUSR:
            (self._folder / path).chmod(0o755)
        os.utime(self._folder / path, ns=(mtime_ns, mtime_ns))

    def _make_links(self) -> None:
        # Last, so that nothing is written through one.
        for path, target in self._links.items():
            link = self._folder / path
            link.parent.mkdir(parents=True, exist_ok=True)
            try:
                link.symlink_to(target)
            except OSError:
                self._name("a link that cannot be made", path)
                continue
            where = os.path.normpath((self._root / path).parent / target)
            if not Path(where).is_relative_to(self._root):
                self._name("a link that leads out of the folder", path)

    def _clone(self, repository: git.Repository) -> None:
        if repository.state != "ready" or repository.prefix:
            self._name("no .git in the copy: the folder is not the top of a repository", ".")
        elif not git.clone_without_files(self._root, self._folder):
            self._name("no .git in the copy: git does not clone it", ".")

    def _is_secret(self, path: str) -> bool:
        """Return True for a file of secrets that nobody has named; it is in the notes."""
        if not files.is_secret_by_name(path.rpartition("/")[2]):
            return False
        if self._includes and self._includes.fullmatch(path):
            return False
        self._name("left out since it holds secrets by its name (changes.include)", path)
        return True

    def _count(self) -> None:
        if self._cancel and self._n_files % _CANCELLED_EACH == 0 and self._cancel.is_set():
            raise Cancelled("the copy was cancelled")
        if self._n_files >= self._limits.max_files:
            raise SettingsError(
                f"the copy of '{visible_line(str(self._root))}' would have more than"
                f" {self._limits.max_files:,} files; raise 'changes.maxFiles', or have git ignore"
                f" what no check needs"
            )
        self._n_files += 1

    def _check_bytes(self, size: int) -> None:
        if self._n_bytes + size > self._limits.max_bytes:
            raise SettingsError(
                f"the copy of '{visible_line(str(self._root))}' would have more than"
                f" {self._limits.max_bytes / 1e6:,.0f} MB; raise 'changes.maxMegabytes', or have"
                " git ignore what no check needs"
            )

    def _name(self, what: str, path: str) -> None:
        self._remarks.setdefault(what, []).append(path)

    def _notes(self) -> Iterator[str]:
        for what, paths in self._remarks.items():
            more = f" and {len(paths) - _MAX_NAMED:,} more" if len(paths) > _MAX_NAMED else ""
            yield f"{what}: {visible_line(', '.join(paths[:_MAX_NAMED]))}{more}"


def _digest(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=16).digest()


def _digest_of(text: bytes, mode: int) -> bytes:
    """Return the digest of a file from that of its text, or its blob's name, and its rights."""
    return text + (b"x" if mode & stat.S_IXUSR else b"-")


_ATTRIBUTES = ("filter", "export-subst")
