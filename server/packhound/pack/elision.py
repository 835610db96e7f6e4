"""Lines that an elided body keeps: matches of the prompt, control flow around them, returns."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_HEAD_LINES = 3
_RETURNS = 3
_MAX_MATCHING = 20
_MATCHING_SHARE = 0.35
"""Of the lines of a body."""
_RETURN = re.compile(r"\s*(?:return|yield)\b")

_PLAIN, _MATCHING, _BLANK = 1.0, 2.0, 0.2
"""Weights of lines beside each other."""


def lines_to_keep(body: Sequence[str], weights: Sequence[float]) -> set[int]:
    """Return positions of the lines of a body to keep; `weights` are from `PromptWords.weigh`."""
    n_matching = min(_MAX_MATCHING, int(_MATCHING_SHARE * len(body)))
    ranked = sorted(range(len(body)), key=lambda position: (-weights[position], position))
    matching = [position for position in ranked[:n_matching] if weights[position] > 0]
    returns = [position for position, line in enumerate(body) if _RETURN.match(line)]
    positions = {*range(min(_HEAD_LINES, len(body))), *returns[-_RETURNS:], *matching}
    enclosing = _parent_lines(body)
    for position in tuple(positions):
        outer = enclosing[position]
        while outer >= 0 and outer not in positions:
            positions.add(outer)
            outer = enclosing[outer]
    return positions


def share_kept(body: Sequence[str], weights: Sequence[float], positions: Collection[int]) -> float:
    """Return what the lines that are kept are worth, as a share of the whole body."""
    worth = [
        _BLANK if not _has_code(line) else _MATCHING if weight > 0 else _PLAIN
        for line, weight in zip(body, weights, strict=True)
    ]
    return sum(worth[position] for position in positions) / sum(worth) if worth else 1.0


def _parent_lines(body: Sequence[str]) -> list[int]:
    """Return the position of the line that each line is indented under, -1 at the top."""
    enclosing, stack = [], list[tuple[int, int]]()
    for position, line in enumerate(body):
        has_code, indent = _has_code(line), len(line) - len(line.lstrip())
        while has_code and stack and stack[-1][0] >= indent:
            stack.pop()
        enclosing.append(stack[-1][1] if stack else -1)
        if has_code:
            stack.append((indent, position))
    return enclosing


def _has_code(line: str) -> bool:
    """Return False for blank lines and lone brackets."""
    return len(line.strip()) > 1
