"""Lines of an ignore file to rules, as git reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from packhound.files.globs import anchor, glob_to_regex

_MAX_LINE = 1_000
"""Characters of a line; longer ones are no rules."""


class IgnoreRules:
    """The rules of one file; paths are relative to its folder, those of folders end with `/`.

    A rule speaks of the path that it matches alone. What lies below an ignored folder is ignored
    because nobody looks into it, so a folder that is re-included re-includes nothing below it.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        parsed = (_parse_rule(line, f"r{n}_") for n, line in enumerate(lines))
        self._rules = [rule for rule in parsed if rule][::-1]
        self._any = re.compile("|".join(pattern for _, pattern in self._rules) or "(?!)")

    def __bool__(self) -> bool:
        return bool(self._rules)

    def verdict(self, path: str) -> bool | None:
        """Return True for ignored, False for re-included, None if none matches; the last wins."""
        if not self._any.fullmatch(path):
            return None
        return next(ignores for ignores, rule in self._rules if re.fullmatch(rule, path))


@lru_cache(maxsize=256)
def parse_rules(text: str) -> IgnoreRules:
    """Parse the text of an ignore file; files are read far more often than they change."""
    lines = text.removeprefix("\ufeff").split("\n")
    return IgnoreRules(line.removesuffix("\r") for line in lines)


def _parse_rule(line: str, group: str) -> tuple[bool, str] | None:
    """Return whether the rule ignores, and the regular expression of the paths it matches."""
    if line.startswith("#") or len(line) > _MAX_LINE:
        return None
    glob = _strip_trailing_spaces(line)
    negated = glob.startswith("!")
    glob = glob[1:] if negated else glob
    if glob in ("", "/"):
        return None
    folder_end = "/" if glob.endswith("/") else "/?"
    return not negated, f"(?s:{glob_to_regex(anchor(glob), group)}{folder_end})"


def _strip_trailing_spaces(line: str) -> str:
    stripped = line.rstrip(" ")
    n_backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return f"{stripped} " if n_backslashes % 2 and stripped != line else stripped
