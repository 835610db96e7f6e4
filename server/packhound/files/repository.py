"""Rules of git from outside the opened folder: above it, of its repository, of its user.

Files are read and no git is run, so nothing of the repository chooses what runs.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from packhound.files.gitignore import IgnoreRules, parse_rules
from packhound.files.reader import raise_if_out_of_resources, read_bytes

_MAX_RULES_BYTES = 100_000
"""The largest ignore files that people write have a tenth of it; longer ones are not read."""
_MAX_POINTER_BYTES = 4_096


class OuterRules:
    """The `.gitignore` files above a folder, `info/exclude` and the user's ignore file.

    A folder that its repository ignores is no part of it, so that only the user's file counts.
    """

    def __init__(self, root: Path, user_ignore_file: Path | None) -> None:
        user_rules = _read_user_rules(user_ignore_file)
        top = _find_top(root)
        parts = root.relative_to(top).parts if top else ()
        self._prefix = "".join(f"{part}/" for part in parts)
        # The length of the path of each file's folder, and its rules, the weakest first.
        self._stack = [(0, user_rules)]
        if top is None:
            return
        self._stack.append((0, read_rules(_common_git_folder(top), "info/exclude")))
        folder, path = top, ""
        for part in parts:
            self._stack.append((len(path), read_rules(folder, ".gitignore")))
            folder, path = folder / part, f"{path}{part}/"
            if self._verdict(path):
                self._prefix, self._stack = "", [(0, user_rules)]
                return

    def verdict(self, path: str) -> bool | None:
        """Return that of `IgnoreRules` for a path relative to the folder."""
        return self._verdict(self._prefix + path)

    def _verdict(self, path: str) -> bool | None:
        for offset, rules in reversed(self._stack):
            verdict = rules.verdict(path[offset:]) if rules else None
            if verdict is not None:
                return verdict
        return None


def read_rules(folder: Path | None, path: str) -> IgnoreRules:
    """Read an ignore file; there are no rules where there is no such file inside `folder`."""
    content = _read(folder, path, _MAX_RULES_BYTES) if folder else b""
    return parse_rules(content.decode("utf-8", "replace"))


def _read_user_rules(path: Path | None) -> IgnoreRules:
    if path is None:
        return parse_rules("")
    try:
        path = path.resolve()  # Unlike a file of the workspace, the user's own may be a link.
    except (OSError, RuntimeError):
        return parse_rules("")
    return read_rules(path.parent, path.name)


def _find_top(root: Path) -> Path | None:
    """Return the top of the working tree that `root` lies in."""
    for folder in (root, *root.parents):
        try:
            status = (folder / ".git").lstat()
        except (OSError, ValueError):
            continue
        # As git does, to a repository of another user above the folder nothing is left to say.
        is_own = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
        return folder if folder == root or is_own else None
    return None


def _common_git_folder(top: Path) -> Path | None:
    """Return the folder that all working trees of a repository share."""
    with contextlib.suppress(OSError):
        if (top / ".git").is_dir():
            return top / ".git"
    # A linked working tree, or a submodule: gitrepository-layout(5).
    pointer = _read_pointer(top, ".git")
    if not pointer.startswith("gitdir: "):
        return None
    git_folder = _join(top, pointer.removeprefix("gitdir: "))
    common = _read_pointer(git_folder, "commondir") if git_folder else ""
    return _join(git_folder, common) if git_folder and common else git_folder


def _join(folder: Path, path: str) -> Path | None:
    # A share of another machine would be asked for, with the user's credentials.
    return None if path.startswith(("//", "\\\\")) else folder / path


def _read_pointer(folder: Path, path: str) -> str:
    return os.fsdecode(_read(folder, path, _MAX_POINTER_BYTES)).strip("\r\n")


def _read(folder: Path, path: str, max_bytes: int) -> bytes:
    try:
        file = read_bytes(folder, path, max_bytes)
    except (OSError, ValueError) as error:
        raise_if_out_of_resources(error)
        return b""
    return file[0] if file else b""
