"""Walk over the files of a root that are indexed.

Ignore rules are git's: the deeper `.gitignore` and the later line win, and those above the root,
`info/exclude` and the user's own file count too. `.packhoundignore` (same syntax) wins over them
all, and `!name` in it re-includes what is skipped by default. Symbolic links are never followed, so
nothing outside the root can enter the index.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from packhound.core.types import FileStamp
from packhound.files.gitignore import IgnoreRules, parse_rules
from packhound.files.reader import (
    max_disk_bytes,
    raise_if_out_of_resources,
    stamp_of,
    suffix,
)
from packhound.files.repository import OuterRules, read_rules
from packhound.files.skip_lists import (
    BINARY_SUFFIXES,
    GENERATED_FILES,
    SECRET_FILES,
    SKIPPED_FOLDERS,
)

IGNORE_FILES = (".packhoundignore", ".gitignore")
"""In order of authority within one folder."""

LeftOut: TypeAlias = "Counter[tuple[str, bool]]"
"""Files, or folders (True) whose contents are not looked at, by the reason to leave them out."""

_SECRET_FILES, _GENERATED_FILES = (
    re.compile("|".join(map(translate, globs))) for globs in (SECRET_FILES, GENERATED_FILES)
)
_MAX_DEPTH = 128
"""Levels of folders; nobody's sources lie deeper, and each level costs all those above it again."""
_STEP = 500
"""Folder entries that take some 5 ms."""


@dataclass(frozen=True, slots=True)
class WalkLimits:
    """Caps of a walk, globs that the user excludes, and the file that `core.excludesFile` names.

    Files with a suffix of `extracted` are indexed though tools write them.
    """

    max_files: int = 100_000
    max_file_bytes: int = 1_000_000
    exclude: tuple[str, ...] = ()
    user_ignore_file: Path | None = None
    extracted: frozenset[str] = frozenset()


def walk(root: Path, limits: WalkLimits) -> Iterator[tuple[str, FileStamp]]:
    """Yield the paths of the files to index, sorted within each folder, with their stamps.

    Unreadable folders are skipped. Stops after `limits.max_files`. Raises OSError when this process
    has no file handles or memory left, which says nothing about the files.
    """
    return (entry for entry in walk_by_steps(root, limits) if entry)


def walk_by_steps(
    root: Path, limits: WalkLimits, left_out: LeftOut | None = None
) -> Iterator[tuple[str, FileStamp] | None]:
    """As `walk`, with None every few milliseconds, for a caller that has other things to do too.

    What is left out is counted in `left_out`.
    """
    n_files = n_entries = 0
    rules = _Rules(root, limits)
    folders = [""]
    while folders:
        folder = folders.pop()
        rules.enter(folder)
        subfolders = []
        for entry in _entries(root / folder):
            n_entries += 1
            if n_entries % _STEP == 0:
                yield None
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder:
                reason = rules.why_no_folder(path, entry.name)
                if not reason:
                    subfolders.append(path)
            else:
                stamp = None
                reason = rules.why_no_file(path, entry.name)
                if not reason:
                    stamp = _regular_stamp(entry)
                    reason = _why_no_stamp(entry.name, stamp, limits)
                if stamp and not reason:
                    yield path, stamp
                    n_files += 1
                    if n_files >= limits.max_files:
                        return
            if reason and left_out is not None:
                left_out[reason, is_folder] += 1
        folders.extend(reversed(subfolders))


def is_searchable(root: Path, path: str, limits: WalkLimits) -> bool:
    """Return True if `walk` would yield `path` now."""
    try:
        status = (root / path).lstat()
    except (OSError, ValueError):
        return False
    if not stat.S_ISREG(status.st_mode):
        return False
    name = PurePosixPath(path).name
    return _may_be_indexed(name, status.st_size, limits) and is_included(root, path, limits)


def is_folder(root: Path, path: str) -> bool:
    """Return True if there is a folder at `path`, and no link to one."""
    try:
        return stat.S_ISDIR((root / path).lstat().st_mode)
    except (OSError, ValueError):
        return False


def is_included(root: Path, path: str, limits: WalkLimits) -> bool:
    """Return True if the rules include `path`, be there a file or not."""
    if not _is_encodable(path):
        return False
    rules = _Rules(root, limits)
    name = PurePosixPath(path).name
    parents = [str(parent) for parent in PurePosixPath(path).parents][::-1]
    for folder in ("" if parent == "." else parent for parent in parents):
        if folder and rules.why_no_folder(folder, PurePosixPath(folder).name):
            return False
        rules.enter(folder)
    return not rules.why_no_file(path, name)


class _Rules:
    """Ignore rules of the folders entered so far; a folder is judged before it is entered."""

    def __init__(self, root: Path, limits: WalkLimits) -> None:
        self._root = root
        self._rules: dict[str, dict[str, list[tuple[int, IgnoreRules]]]] = {}
        self._extracted = limits.extracted
        self._excluded = parse_rules("\n".join(limits.exclude))
        self._outer = OuterRules(root, limits.user_ignore_file)

    def enter(self, folder: str) -> None:
        """Read the rules of a folder; those above it follow, with where their paths begin."""
        prefix = f"{folder}/" if folder else ""
        above = self._rules[folder.rpartition("/")[0]] if folder else {}
        self._rules[folder] = {}
        for name in IGNORE_FILES:
            rules, outer = read_rules(self._root, prefix + name), above.get(name, [])
            self._rules[folder][name] = [(len(prefix), rules), *outer] if rules else outer

    def why_no_folder(self, path: str, name: str) -> str:
        """Return why a folder is left out, or nothing."""
        if path.count("/") >= _MAX_DEPTH:
            return "too deep"
        skipped = "dependencies and output of tools" if name in SKIPPED_FOLDERS else ""
        return self._why_not(path + "/", skipped)

    def why_no_file(self, path: str, name: str) -> str:
        """Return why a file is left out, or nothing."""
        lower, skipped = name.lower(), ""
        if suffix(lower) in BINARY_SUFFIXES:
            skipped = "binary by name"
        elif _SECRET_FILES.match(lower) or (
            suffix(lower) not in self._extracted and _GENERATED_FILES.match(lower)
        ):
            skipped = "credentials or generated by name"
        return self._why_not(path, skipped)

    def _why_not(self, path: str, skipped: str) -> str:
        if self._excluded.verdict(path):
            return "index.exclude"
        verdict = self._verdict(path, ".packhoundignore")
        if verdict is not None:
            return ".packhoundignore" if verdict else ""
        if skipped:
            return skipped
        verdict = self._verdict(path, ".gitignore")
        if verdict is None:
            verdict = self._outer.verdict(path)
        return "git's ignore files" if verdict else ""

    def _verdict(self, path: str, name: str) -> bool | None:
        """Return that of `IgnoreRules`; the deepest file with a matching rule wins."""
        folder = path.rstrip("/").rpartition("/")[0]
        for start, rules in self._rules[folder][name]:
            verdict = rules.verdict(path[start:])
            if verdict is not None:
                return verdict
        return None


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            named = [entry for entry in entries if _is_encodable(entry.name)]
    except OSError as error:
        raise_if_out_of_resources(error)
        return []
    return sorted(named, key=lambda entry: entry.name)


def _is_encodable(name: str) -> bool:
    """Return False for names that are no text (surrogates), which no result could hold."""
    return name.isprintable() or not any("\ud800" <= letter <= "\udfff" for letter in name)


def _regular_stamp(entry: os.DirEntry[str]) -> FileStamp | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return stamp_of(status) if stat.S_ISREG(status.st_mode) else None


def _why_no_stamp(name: str, stamp: FileStamp | None, limits: WalkLimits) -> str:
    if stamp is None:
        return "links and special files"
    if _may_be_indexed(name, stamp.size, limits):
        return ""
    return "too large" if stamp.size else "empty"


def _may_be_indexed(name: str, size: int, limits: WalkLimits) -> bool:
    """Return False for files whose size rules them out; `read` decides, without a BOM."""
    return 0 < size <= max_disk_bytes(name, limits.max_file_bytes)
