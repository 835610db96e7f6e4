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
_HEAD_LANGUAGES = frozenset({"c", "cpp", "csharp", "go", "java", "rust", "typescript", "tsx"})
"""Languages in which the head of a function without its body is a declaration."""
_LIKE_A_HEAD = re.compile(
    r"\s*(?!(?:await|case|for|if|match|new|return|switch|throw|while|yield|use|import|let|const)\b)"
    r"(?:[\w$]+[\s*&]+[\w$*&]|func \().*\)[^;{}]*$",
    re.DOTALL,
)


def frames_of(language: str, pattern: str) -> tuple[Frame, ...]:
    """Return the frames of a language, in the order in which they are tried for a pattern.

    The head of a function is rather one with a body than a declaration.
    """
    frames = _FRAMES.get(language, _FRAMES["alone"])
    is_head = language in _HEAD_LANGUAGES and _LIKE_A_HEAD.match(pattern)
    return (*_FRAMES["head"], *frames) if is_head else frames
