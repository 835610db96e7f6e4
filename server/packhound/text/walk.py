"""The files under a root that are worth searching, and how one of them is read.

Ignore rules are git's: nested `.gitignore`, `.git/info/exclude`, the deeper file and the later line
win. `.packhoundignore` (same syntax) wins over them all, and `!name` in it forces a path in.
Symbolic links are never followed, so nothing outside the root can enter the index.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import translate
from pathlib import Path, PurePosixPath

from packhound.text.ignores import IgnoreRules, read_rules
from packhound.text.skipped import (
    BINARY_SUFFIXES,
    DATA_FILE_BYTES,
    DATA_SUFFIXES,
    GENERATED_FILES,
    SECRET_FILES,
    SKIPPED_FOLDERS,
)
from packhound.types import Document, FileStamp

IGNORE_FILES = (".packhoundignore", ".gitignore")
"""In order of authority within one folder."""

_UNWANTED = re.compile("|".join(map(translate, (*SECRET_FILES, *GENERATED_FILES))))
_MOST_RULES_BYTES = 100_000
"""The largest ignore files that people write have a tenth of it; longer ones say nothing."""
_ANY_LENGTH = 1 << 30
_SNIFF_BYTES = 8_192
_SECOND_NS = 1_000_000_000
_TICK_NS, _COARSE_TICK_NS = 50_000_000, 2 * _SECOND_NS
"""Longer than clocks of file systems stand still, and of those that only know whole seconds."""
_MINIFIED_LINE_BYTES = 1_000
_DEEPEST = 128
"""Levels of folders; nobody's sources lie deeper, and each level costs all those above it again."""
_STEP = 500
"""Entries of folders that are looked at in some 5 ms."""


@dataclass(frozen=True, slots=True)
class WalkLimits:
    """Caps of one walk, and globs that the user adds to the ignore files."""

    max_files: int = 100_000
    max_file_bytes: int = 1_000_000
    exclude: tuple[str, ...] = ()


def walk(root: Path, limits: WalkLimits) -> Iterator[tuple[str, FileStamp]]:
    """Paths of the searchable files under `root`, sorted within each folder, with their stamps.

    Unreadable folders are passed over. Stops after `limits.max_files`. Raises OSError when this
    process has no file handles or memory left, which says nothing about the files.
    """
    return (found for found in walk_by_steps(root, limits) if found)


def walk_by_steps(root: Path, limits: WalkLimits) -> Iterator[tuple[str, FileStamp] | None]:
    """As `walk`, with None every few milliseconds, for a caller that has other things to do too."""
    found = looked_at = 0
    rules = _Rules(root, limits.exclude)
    folders = [""]
    while folders:
        folder = folders.pop()
        rules.enter(folder)
        below = []
        for entry in _entries(root / folder):
            looked_at += 1
            if looked_at % _STEP == 0:
                yield None
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if rules.wants_folder(path, entry.name):
                    below.append(path)
            elif rules.wants_file(path, entry.name):
                stamp = _regular_stamp(entry)
                if stamp is None or not _size_allows(entry.name, stamp.size, limits):
                    continue
                yield path, stamp
                found += 1
                if found >= limits.max_files:
                    return
        folders.extend(reversed(below))


def searchable(root: Path, path: str, limits: WalkLimits) -> bool:
    """Whether `walk` would yield `path` now."""
    try:
        status = (root / path).lstat()
    except (OSError, ValueError):
        return False
    allowed = _size_allows(PurePosixPath(path).name, status.st_size, limits)
    return stat.S_ISREG(status.st_mode) and allowed and wanted(root, path, limits)


def is_folder(root: Path, path: str) -> bool:
    """Whether there is a folder at `path`, and no link to one."""
    try:
        return stat.S_ISDIR((root / path).lstat().st_mode)
    except (OSError, ValueError):
        return False


def fits(document: Document, limits: WalkLimits) -> bool:
    """Whether a text is not too long for its name."""
    return _size_allows(PurePosixPath(document.path).name, max(len(document.source), 1), limits)


def wanted(root: Path, path: str, limits: WalkLimits) -> bool:
    """Whether `walk` would yield `path`, were it a file of a legal size."""
    if not _encodable(path):
        return False
    rules = _Rules(root, limits.exclude)
    parents = [str(parent) for parent in PurePosixPath(path).parents][::-1]
    for folder in ("" if parent == "." else parent for parent in parents):
        if folder and not rules.wants_folder(folder, PurePosixPath(folder).name):
            return False
        rules.enter(folder)
    return rules.wants_file(path, PurePosixPath(path).name)


def read(root: Path, path: str, max_bytes: int) -> Document | None:
    """The file as a document; None if gone, too long, binary, minified, or not inside `root`.

    Raises OSError when this process has no file handles or memory left.
    """
    try:
        found = _found(root, path, max_bytes)
    except (OSError, ValueError) as error:
        _check_ours(error)
        return None
    if found is None:
        return None
    source, stamp = found
    text = as_utf8(source)
    if text is None or len(source) > max_bytes:
        return None
    return Document(path, text, stamp=_lasting(stamp, time.time_ns()))


def text_of(root: Path, path: str) -> bytes | None:
    """What `read` has for a file of any length; None where it cannot be read at present."""
    try:
        document = read(root, path, _ANY_LENGTH)
    except OSError:
        return None
    return document.source if document else None


def as_utf8(source: bytes) -> bytes | None:
    """`source` as UTF-8 without a byte order mark; None for what is not text or was minified."""
    if source.startswith((b"\xff\xfe", b"\xfe\xff")):
        return source.decode("utf-16", "replace").encode("utf-8")
    head = source[:_SNIFF_BYTES]
    if b"\0" in head:
        return None
    if len(head) == _SNIFF_BYTES and head.count(b"\n") < _SNIFF_BYTES // _MINIFIED_LINE_BYTES:
        return None
    return source.removeprefix(b"\xef\xbb\xbf")


class _Rules:
    """Ignore rules along the path from the root to the folder at hand."""

    def __init__(self, root: Path, exclude: Iterable[str]) -> None:
        self._root = root
        self._rules: dict[str, dict[str, IgnoreRules]] = {}
        self._excluded = read_rules("\n".join(exclude))
        self._repository = _read_rules(root, ".git/info/exclude")

    def enter(self, folder: str) -> None:
        prefix = f"{folder}/" if folder else ""
        found = {name: _read_rules(self._root, prefix + name) for name in IGNORE_FILES}
        self._rules[folder] = {name: rules for name, rules in found.items() if rules}

    def wants_folder(self, path: str, name: str) -> bool:
        if path.count("/") >= _DEEPEST:
            return False
        return self._wants(path + "/", unless=name in SKIPPED_FOLDERS)

    def wants_file(self, path: str, name: str) -> bool:
        low = name.lower()
        suffix = PurePosixPath(low).suffix
        skipped = suffix in BINARY_SUFFIXES or _UNWANTED.match(low)
        return self._wants(path, unless=bool(skipped))

    def _wants(self, path: str, *, unless: bool) -> bool:
        if self._excluded.verdict(path):
            return False
        ours = self._verdict(path, ".packhoundignore")
        if ours is not None:
            return not ours
        if unless:
            return False
        verdict = self._verdict(path, ".gitignore")
        if verdict is None:
            verdict = self._repository.verdict(path)
        return not verdict

    def _verdict(self, path: str, name: str) -> bool | None:
        """True: ignored; False: forced in; None: no rule speaks. The deepest rule wins."""
        folder = path.rstrip("/").rpartition("/")[0]
        while True:
            rules = self._rules.get(folder, {}).get(name)
            if rules:
                below = path[len(folder) + 1 :] if folder else path
                verdict = rules.verdict(below)
                if verdict is not None:
                    return verdict
            if not folder:
                return None
            folder = folder.rpartition("/")[0]


def _read_rules(root: Path, path: str) -> IgnoreRules:
    """The rules in an ignore file; none where there is no such file inside `root`."""
    try:
        found = _found(root, path, _MOST_RULES_BYTES)
    except (OSError, ValueError) as error:
        _check_ours(error)
        return read_rules("")
    return read_rules(found[0].decode("utf-8", "replace") if found else "")


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            found = [entry for entry in entries if _encodable(entry.name)]
    except OSError as error:
        _check_ours(error)
        return []
    return sorted(found, key=lambda entry: entry.name)


def _check_ours(error: OSError | ValueError) -> None:
    """Raise again what is about this process and not about the file."""
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
        raise error


def _encodable(name: str) -> bool:
    """File names that are no text (surrogates) cannot be named in a result."""
    return name.isprintable() or not any("\ud800" <= letter <= "\udfff" for letter in name)


def _regular_stamp(entry: os.DirEntry[str]) -> FileStamp | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return _stamp(status) if stat.S_ISREG(status.st_mode) else None


def _stamp(status: os.stat_result) -> FileStamp:
    return FileStamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _lasting(stamp: FileStamp, now_ns: int) -> FileStamp:
    """The stamp of a file just read; one that no file has if the file had just been written.

    The clock of a file system stands still between two ticks, so that the next change might leave
    the same stamp: such a file is read again at the next look.
    """
    changed_ns = stamp.mtime_ns if os.name == "nt" else stamp.ctime_ns
    tick_ns = _COARSE_TICK_NS if changed_ns % _SECOND_NS == 0 else _TICK_NS
    return replace(stamp, inode=-1) if 0 <= now_ns - changed_ns < tick_ns else stamp


def _size_allows(name: str, size: int, limits: WalkLimits) -> bool:
    suffix = PurePosixPath(name.lower()).suffix
    cap = DATA_FILE_BYTES if suffix in DATA_SUFFIXES else limits.max_file_bytes
    return 0 < size <= min(cap, limits.max_file_bytes)


def _found(root: Path, path: str, max_bytes: int) -> tuple[bytes, FileStamp] | None:
    """The bytes of a regular file and its stamp from before they were read."""
    handle = _open(root, path)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
            return None
        return _content(handle, status.st_size, max_bytes + 1), _stamp(status)
    finally:
        os.close(handle)


def _content(handle: int, size: int, most: int) -> bytes:
    """The bytes of an open file, which should be `size`, but `most` at most."""
    source = os.read(handle, min(size + 1, most))
    while len(source) != size and len(source) < most:
        more = os.read(handle, most - len(source))
        if not more:
            break
        source += more
    return source


def _open(root: Path, path: str) -> int:
    """Open a file inside `root` without following a link, even one that is put there meanwhile."""
    *folders, name = path.split("/")
    if os.open not in os.supports_dir_fd:
        return _open_by_name(root, path)
    if ".." in folders or name in ("", ".."):
        raise OSError(errno.EINVAL, "not a path inside the folder")
    at = os.open(root, _FOLDER)
    try:
        for folder in folders:
            above, at = at, os.open(folder, _FOLDER | os.O_NOFOLLOW, dir_fd=at)
            os.close(above)
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    finally:
        os.close(at)


_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


def _open_by_name(root: Path, path: str) -> int:
    """The same on Windows, where folders cannot be opened, and links need rights."""
    handle = os.open(root / path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        if (root / path).resolve().is_relative_to(root.resolve()):
            return handle
    except RuntimeError:  # Links that go round in circles.
        pass
    os.close(handle)
    raise OSError(errno.ELOOP, "it leads out of the folder")
