"""The files under a root that are worth searching.

Ignore rules are git's: nested `.gitignore`, `.git/info/exclude`, the deeper file and the later line
win. `.packhoundignore` (same syntax) wins over them all, and `!name` in it forces a path in.
Symbolic links are never followed, so nothing outside the root can enter the index.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path, PurePosixPath

from packhound.core.types import Document, FileStamp
from packhound.files.gitignore import IgnoreRules, read_rules
from packhound.files.reader import raise_if_out_of_resources, read_bytes, stamp_of
from packhound.files.skip_lists import (
    BINARY_SUFFIXES,
    DATA_FILE_BYTES,
    DATA_SUFFIXES,
    GENERATED_FILES,
    SECRET_FILES,
    SKIPPED_FOLDERS,
)

IGNORE_FILES = (".packhoundignore", ".gitignore")
"""In order of authority within one folder."""

_UNWANTED = re.compile("|".join(map(translate, (*SECRET_FILES, *GENERATED_FILES))))
_MOST_RULES_BYTES = 100_000
"""The largest ignore files that people write have a tenth of it; longer ones say nothing."""
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


def is_searchable(root: Path, path: str, limits: WalkLimits) -> bool:
    """Whether `walk` would yield `path` now."""
    try:
        status = (root / path).lstat()
    except (OSError, ValueError):
        return False
    allowed = _size_allows(PurePosixPath(path).name, status.st_size, limits)
    return stat.S_ISREG(status.st_mode) and allowed and is_included(root, path, limits)


def is_folder(root: Path, path: str) -> bool:
    """Whether there is a folder at `path`, and no link to one."""
    try:
        return stat.S_ISDIR((root / path).lstat().st_mode)
    except (OSError, ValueError):
        return False


def fits_size_limit(document: Document, limits: WalkLimits) -> bool:
    """Whether a text is not too long for its name."""
    return _size_allows(PurePosixPath(document.path).name, max(len(document.source), 1), limits)


def is_included(root: Path, path: str, limits: WalkLimits) -> bool:
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
        found = read_bytes(root, path, _MOST_RULES_BYTES)
    except (OSError, ValueError) as error:
        raise_if_out_of_resources(error)
        return read_rules("")
    return read_rules(found[0].decode("utf-8", "replace") if found else "")


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            found = [entry for entry in entries if _encodable(entry.name)]
    except OSError as error:
        raise_if_out_of_resources(error)
        return []
    return sorted(found, key=lambda entry: entry.name)


def _encodable(name: str) -> bool:
    """File names that are no text (surrogates) cannot be named in a result."""
    return name.isprintable() or not any("\ud800" <= letter <= "\udfff" for letter in name)


def _regular_stamp(entry: os.DirEntry[str]) -> FileStamp | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return stamp_of(status) if stat.S_ISREG(status.st_mode) else None


def _size_allows(name: str, size: int, limits: WalkLimits) -> bool:
    suffix = PurePosixPath(name.lower()).suffix
    cap = DATA_FILE_BYTES if suffix in DATA_SUFFIXES else limits.max_file_bytes
    return 0 < size <= min(cap, limits.max_file_bytes)
