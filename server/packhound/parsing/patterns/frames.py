"""Texts around a pattern in which a grammar reads what cannot stand alone."""

from __future__ import annotations

import re
from pathlib import Path

Frame = tuple[str, str]


def _read_frames() -> dict[str, tuple[Frame, ...]]:
    rows: dict[str, tuple[Frame, ...]] = {}
    text = Path(__file__).with_suffix(".txt").read_text("utf-8")
    for names, row in re.findall(r"^(\w[\w ]*): (.+(?:\n .+)*)", text, re.M):
        frames = list[Frame]()
        for frame in re.split(r"\s+\| ", row):
            before, _, after = frame.replace(r"\n", "\n").partition("•")
            frames += rows[frame[1:]] if frame[0] == "@" else [(before, after)]
        rows |= dict.fromkeys(names.split(), tuple(frames))
    return rows


_FRAMES = _read_frames()
_HEAD_LANGUAGES = frozenset(
    {"c", "cpp", "csharp", "dart", "go", "java", "rust", "typescript", "tsx"}
)
"""Languages in which the head of a function without its body is a declaration."""
_LIKE_A_HEAD = re.compile(
    r"\s*(?!(?:await|case|for|if|match|new|return|switch|throw|while|yield|use|import|let|const)\b)"
    r"(?:[\w$]+[\s*&]+[\w$*&]|func \().*\)[^;{}]*$",
    re.DOTALL,
)

_DECLARED = re.compile(r"\s*(?:\w+\s+)*def [^={]*$")


def is_head(language: str, pattern: str) -> bool:
    """Return True for what reads as the head of a function, in languages where that counts."""
    return language in _HEAD_LANGUAGES and bool(_LIKE_A_HEAD.match(pattern))


def frames_of(language: str, pattern: str) -> tuple[Frame, ...]:
    """Return the frames of a language, in the order in which they are tried for a pattern.

    The head of a function is rather one with a body than a declaration; with its body it is rather
    a definition than a statement that reads alike.
    """
    frames = _FRAMES.get(language, _FRAMES["alone"])
    if language == "scala" and _DECLARED.match(pattern):
        return (("", " = a"), *frames)
    head, body, rest = pattern.partition("{")
    if not is_head(language, head) or (body and not rest.rstrip().endswith("}")):
        return frames
    first = _FRAMES["body" if body else "head"]
    # Outside a type a function of C# is a local one.
    return (*(reversed(first) if language == "csharp" else first), *frames)
