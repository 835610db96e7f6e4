"""Numbers of arguments that a definition takes and a call gives, as far as texts say them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

LANGUAGES = frozenset({"python", "typescript", "tsx", "go", "rust", "java"})
"""Languages in which another number of arguments is an error; others are not judged."""
_OPENING, _CLOSING = "([{", ")]}"
_MAX_CALL = 5_000
_MANY = 1_000
_RECEIVER = re.compile(r"(?:&\s*(?:'\w+\s+)?)?(?:mut\s+)?self\b|cls$|this\s*:")
_GENERICS = re.compile(r"\s*(?:::)?\s*(?:<[\w\s,.<>&'\[\]]*>)?\s*\(")


class Takes(NamedTuple):
    """The smallest and the greatest number of arguments of a definition."""

    minimum: int
    maximum: int

    def __str__(self) -> str:
        if self.maximum >= _MANY:
            return f"{self.minimum} or more"
        return (
            f"{self.minimum}"
            if self.minimum == self.maximum
            else f"{self.minimum} to {self.maximum}"
        )


def taken(signature: str, name: str, language: str) -> Takes | None:
    """Return how many arguments a signature takes without its receiver; None if it does not say."""
    start = re.search(rf"\b{re.escape(name)}(?=\W)", signature)
    inside = start and _inside(signature, start.end())
    if inside is None:
        return None
    parameters = [part.strip() for part in _parts(inside) if part.strip()]
    if parameters and _RECEIVER.match(parameters[0]):
        parameters = parameters[1:]
    minimum = maximum = 0
    for parameter in parameters:
        if parameter in ("*", "/"):
            continue
        if parameter.startswith("*") or "..." in parameter:
            maximum = _MANY
            continue
        head = parameter.partition(":")[0]
        is_optional = "=" in parameter if language != "rust" else False
        is_optional = is_optional or (language in ("typescript", "tsx") and head.endswith("?"))
        minimum, maximum = minimum + (not is_optional), maximum + 1
    return Takes(minimum, maximum)


def given(plain: str, end: int) -> int | None:
    """Return how many arguments the call gives whose name ends at `end`; None if none can be told.

    `plain` is without comments and strings.
    """
    inside = _inside(plain, end)
    if inside is None:
        return None
    texts = [*_parts(inside)]
    if texts and not texts[-1].strip():
        texts.pop()
    spread = ("*", "...")
    if any(
        t.strip().startswith(spread) or t.strip().endswith("...") or not t.strip() for t in texts
    ):
        return None
    return len(texts)


def _inside(text: str, end: int) -> str | None:
    """Return what is between the parentheses that open behind a name, None if none do."""
    opening = _GENERICS.match(text, end)
    if opening is None:
        return None
    depth = 0
    for position in range(opening.end() - 1, min(len(text), end + _MAX_CALL)):
        depth += (text[position] in _OPENING) - (text[position] in _CLOSING)
        if not depth:
            return text[opening.end() : position]
    return None


def _parts(plain: str) -> Iterator[str]:
    """Yield the parts of a text between the commas that are in no brackets."""
    depth = start = 0
    angles = re.compile(r"[<>]")
    for position, character in enumerate(plain):
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and not depth and not _in_angles(angles, plain, start, position):
            yield plain[start:position]
            start = position + 1
    yield plain[start:]


def _in_angles(angles: re.Pattern[str], plain: str, start: int, end: int) -> bool:
    """Return True within the arguments of a generic type: `Map<String, Integer> m`."""
    depth = 0
    for angle in angles.finditer(plain, start, end):
        is_arrow = angle[0] == ">" and plain[angle.start() - 1 : angle.start()] in ("-", "=")
        depth += 0 if is_arrow else 1 if angle[0] == "<" else -1
    return depth > 0 and ">" in plain[end:]
