"""Holes of a pattern: `$NAME` is one node, `$_` any, `$$$NAME` and `$$$` any number of nodes.

The same name twice is the same code twice.
"""

from __future__ import annotations

import re
from typing import NamedTuple

HOLE = re.compile(r"\$\$\$(?P<run>[A-Z][A-Z0-9_]*\b)?|(?<!\$)\$(?P<one>_|[A-Z][A-Z0-9_]*)(?![\w{])")
PREFIXES = ("pkho1e", "Pkho1e")
"""Of identifiers in the place of holes; some grammars want types to begin with a capital."""
_STAND_IN = re.compile(rb"\$?([pP]kho1e_([nrs])_(\w*)_z)(?::? \1)?")
_STATEMENTS = re.compile(rb"[pP]kho1e_s_(\w*)_z\(\);")
_LAST_STATEMENTS = re.compile(r"(?<=[;{}])(\s*)\$\$\$([A-Z][A-Z0-9_]*)?(?=\s*\})")
_PARAMETERS = re.compile(r"((?:@[\w.]+\([^()]*\)\s*)*[^()]*\()([^()]+)(?=\))")
_PARAMETER = {
    **dict.fromkeys(("java", "csharp", "dart"), "{0} {0}"),
    **dict.fromkeys(("kotlin", "scala", "swift"), "{0}: {0}"),
    "php": "${0}",
}
"""A parameter by language, where a name alone is none."""


class Hole(NamedTuple):
    """A hole: its name, "" for none, and if it is any number of nodes."""

    name: str
    is_run: bool


def fill_holes(pattern: str, prefix: str) -> str:
    """Return a pattern with an identifier in the place of each hole."""

    def stand_in(hole: re.Match[str]) -> str:
        name = hole["run"] or (hole["one"] or "").removeprefix("_")
        return f"{prefix}_{'r' if hole[0].startswith('$$$') else 'n'}_{name}_z"

    return HOLE.sub(stand_in, pattern)


def fill_parameters(pattern: str, language: str, prefix: str) -> str:
    """Return a pattern with a parameter in the place of each hole that is one of a definition."""
    match, parameter = _PARAMETERS.match(pattern), _PARAMETER.get(language)
    if not match or not parameter:
        return pattern
    filled = [
        parameter.format(fill_holes(each.strip(), prefix)) if HOLE.fullmatch(each.strip()) else each
        for each in match[2].split(",")
    ]
    return f"{match[1]}{', '.join(filled)}{pattern[match.end() :]}"


def fill_statements(pattern: str, language: str, prefix: str) -> str:
    """Return a pattern of C# with a statement for `$$$` at the end of a block.

    Its grammar, unlike others, repairs no missing semicolon there.
    """
    if language != "csharp":
        return pattern
    return _LAST_STATEMENTS.sub(lambda run: f"{run[1]}{prefix}_s_{run[2] or ''}_z();", pattern)


def hole_of(text: bytes) -> Hole | None:
    """Return the hole that the text of a node stands for."""
    if statements := _STATEMENTS.fullmatch(text):
        return Hole(statements[1].decode(), True)
    match = _STAND_IN.fullmatch(text)
    return Hole(match[3].decode(), match[2] == b"r") if match else None


def has_hole(text: bytes) -> bool:
    """Return True if a text has what stands for a hole in it."""
    return _STAND_IN.search(text) is not None


def offset_in(pattern: str, filled_offset: int, prefix: str) -> int:
    """Return where in a pattern, in characters, an offset in bytes of the filled one is."""
    at = filled = 0
    for hole in HOLE.finditer(pattern):
        before = len(pattern[at : hole.start()].encode())
        if filled + before > filled_offset:
            break
        filled += before
        at = hole.start()
        n_bytes = len(fill_holes(hole[0], prefix))
        if filled + n_bytes > filled_offset:
            return at
        filled, at = filled + n_bytes, hole.end()
    rest = pattern[at:].encode()[: max(0, filled_offset - filled)]
    return at + len(rest.decode("utf-8", "ignore"))
