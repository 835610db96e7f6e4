"""Numbers of arguments that a definition takes and a call gives, as far as texts say them."""

from __future__ import annotations

import re
from typing import NamedTuple

_MAX_BRACKET = 5_000
MANY = 1_000
"""The most arguments of a definition that takes any number."""
ANY_NUMBER = -2
"""Arguments of a call that spreads a list, or is too long to be read."""
_CALL = re.compile(r"(?:::)?(?:<[\w\s,.<>&'\[\]]*>)?[ \t]*\(")
_SPREAD = re.compile(r"\s*(?:\*|\.\.\.)|.*\.\.\.\s*\Z", re.DOTALL)
_SELF = re.compile(r"\s*(?:&\s*)?(?:'\w+\s+)?(?:mut\s+)?(?:self\b|cls\b|this\s*:)")
_VARIADIC = re.compile(r"\s*\*\*?\w|.*(?:\.\.\.|\bparams\b|\bvararg\b)", re.DOTALL)
_OPTIONAL = re.compile(r"\s*[\w$]+\s*\?|[^<]*?(?:<.*>[^<]*?)?(?<![=<>!])=(?![=>])", re.DOTALL)
_COMMENT = re.compile(r"(?<!\S)(?:#(?!\[)|//|/\*)")
_SIGNS = re.compile(r"[()\[\]{},]")
_ANGLES = re.compile(r"(?<![-=])[<>]")
_GENERICS = re.compile(r"(?<![-=])[<>]|[\[\]]")


class Takes(NamedTuple):
    """The smallest and the greatest number of arguments of a definition."""

    minimum: int
    maximum: int

    def __str__(self) -> str:
        if self.maximum >= MANY:
            return f"{self.minimum} or more"
        return f"{self.minimum}" + f" to {self.maximum}" * (self.minimum < self.maximum)


def count_parameters(signature: str, name: str, *, with_self: bool = False) -> Takes | None:
    """Return how many arguments a signature takes, maybe with `self`.

    None if it does not say so, is cut, or has comments, whose commas divide nothing.
    """
    named = re.search(rf"(?<!\w){re.escape(name)}(?=\W)", signature)
    start = signature.find("(", _end_of_generics(signature, named.end())) if named else -1
    if start < 0:
        return None
    parts = bracket_parts(signature, start)
    if parts is None or _COMMENT.search(signature, start):
        return None
    parameters = [part for part in parts if part.strip() not in "*/"]
    if parameters and _SELF.match(parameters[0]) and not with_self:
        parameters = parameters[1:]
    n_lists = sum(_VARIADIC.match(each) is not None for each in parameters)
    n_optional = sum(
        _OPTIONAL.match(each) is not None and not _VARIADIC.match(each) for each in parameters
    )
    n_most = len(parameters) - n_lists
    return Takes(n_most - n_optional, MANY if n_lists else n_most)


def count_arguments(text: str, end: int) -> int:
    """Return the number of arguments of the call of a name that ends at an offset, -1 for none.

    The text is without comments and strings.
    """
    if _CALL.match(text, end) is None:
        return -1
    arguments = call_arguments(text, end)
    is_known = arguments is not None and not any(map(_SPREAD.match, arguments))
    return len(arguments or ()) if is_known else ANY_NUMBER


def call_arguments(text: str, end: int) -> list[str] | None:
    """Return the arguments of the call of a name that ends at an offset, None if unknown."""
    match = _CALL.match(text, end)
    return bracket_parts(text, match.end() - 1) if match else None


def bracket_parts(text: str, start: int) -> list[str] | None:
    """Return what the commas in the bracket at `start` divide; None if its end is not there."""
    parts, depth, low = [], 0, start + 1
    end = min(len(text), start + _MAX_BRACKET)
    for match in _SIGNS.finditer(text, start, end):
        sign, i = match[0], match.start()
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0 or (depth == 1 and sign == "," and not _in_angles(text, low, i, end)):
            parts.append(text[low:i])
            low = i + 1
        if depth == 0:
            return [part for part in parts if part.strip()]
    return None


def _in_angles(text: str, start: int, comma: int, end: int) -> bool:
    """Return True within the arguments of a generic type: `Map<String, Integer> m`."""
    depth = sum(1 if angle[0] == "<" else -1 for angle in _ANGLES.finditer(text, start, comma))
    return depth > 0 and text.find(">", comma, end) >= 0


def _end_of_generics(signature: str, start: int) -> int:
    """Return the end of the type parameters in brackets at an offset, the offset without any."""
    depth = 0
    if signature[start : start + 1] in ("<", "["):
        for match in _GENERICS.finditer(signature, start):
            depth += 1 if match[0] in "<[" else -1
            if depth == 0:
                return match.end()
    return start
