"""The lines of an ignore file to what they say of a path, as git reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from packhound.files.globs import path_pattern

_LONGEST = 1_000
"""Characters of a line; longer ones are no rules."""


class IgnoreRules:
    """The rules of one file; paths are relative to its folder, those of folders end with `/`.

    What is below a folder is judged like the folder, unless a later line speaks of it.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        read = (_rule(line, f"r{n}_") for n, line in enumerate(lines))
        self._rules = [rule for rule in read if rule][::-1]
        self._any = re.compile("|".join(pattern for _, pattern in self._rules) or "(?!)")

    def __bool__(self) -> bool:
        return bool(self._rules)

    def verdict(self, path: str) -> bool | None:
        """True: ignored; False: forced in; None: no line speaks of it. The last one wins."""
        if not self._any.fullmatch(path):
            return None
        return next(ignores for ignores, rule in self._rules if re.fullmatch(rule, path))


@lru_cache(maxsize=256)
def read_rules(text: str) -> IgnoreRules:
    """The rules of a file with this text; files are read far more often than they change."""
    lines = text.removeprefix("\ufeff").split("\n")
    return IgnoreRules(line.removesuffix("\r") for line in lines)


def _rule(line: str, group: str) -> tuple[bool, str] | None:
    """Whether what a line names is ignored, and the regular expression of it."""
    if line.startswith("#") or len(line) > _LONGEST:
        return None
    glob = _without_trailing_spaces(line)
    forced = glob.startswith("!")
    glob = glob[1:] if forced else glob
    if glob in ("", "/"):
        return None
    return not forced, path_pattern(glob, group)


def _without_trailing_spaces(line: str) -> str:
    kept = line.rstrip(" ")
    escaped = len(kept) - len(kept.rstrip("\\"))
    return f"{kept} " if escaped % 2 and kept != line else kept
