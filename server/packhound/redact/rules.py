"""Rules in the format of gitleaks, if there is a file of them: `gitleaks.toml` beside this module.

gitleaks (MIT) publishes its rules as TOML: an id, a regular expression in Go's dialect, keywords
that a text must contain, and in which group the secret is.
"""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from pathlib import Path

RULES = Path(__file__).with_name("gitleaks.toml")

_INLINE_FLAG = re.compile(r"(?<!^)\(\?i\)")
_CLASSES = {"[[:alnum:]]": "[0-9A-Za-z]", "[[:alpha:]]": "[A-Za-z]", r"\z": r"\Z"}

Rule = tuple[str, re.Pattern[str], tuple[str, ...]]


@lru_cache(maxsize=1)
def extra_rules() -> tuple[Rule, ...]:
    """Kind, pattern and keywords of each rule; none where there is no file of them."""
    return read_rules(RULES) if RULES.is_file() else ()


def read_rules(path: Path) -> tuple[Rule, ...]:
    """The rules of a file whose expressions Python can run; `generic-api-key` has its own here."""
    try:
        tomllib = importlib.import_module("tomllib")
    except ImportError:  # Python 3.10
        return ()
    rules: list[Rule] = []
    for row in tomllib.loads(path.read_text("utf-8")).get("rules", ()):
        if "regex" in row and row["id"] != "generic-api-key":
            try:
                pattern = re.compile(_translated(row["regex"]))
            except re.error:
                continue
            rules.append((row["id"], pattern, tuple(map(str.lower, row.get("keywords", ())))))
    return tuple(rules)


def _translated(expression: str) -> str:
    """Go's regular expression as Python's: flags in the middle hold to the end of their group."""
    for theirs, ours in _CLASSES.items():
        expression = expression.replace(theirs, ours)
    while (inline := _INLINE_FLAG.search(expression)) is not None:
        end = _group_end(expression, inline.end())
        inner = expression[inline.end() : end]
        expression = f"{expression[: inline.start()]}(?i:{inner}){expression[end:]}"
    return expression


def _group_end(expression: str, start: int) -> int:
    """Where the group that is open at `start` closes."""
    depth, at, in_class = 0, start, False
    while at < len(expression):
        character = expression[at]
        if character == "\\":
            at += 1
        elif in_class:
            in_class = character != "]"
        elif character == "[":
            in_class = True
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth < 0:
                return at
        at += 1
    return len(expression)
