"""Lines that an elided body keeps, and the control flow around them.

They are those around the lines that the prompt names; without such its matches and the returns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import chain

_AROUND = 4
"""Lines before and behind one that the prompt names."""
_HEAD_LINES = 1
_RETURNS = 1
_MAX_MATCHING = 8
_MATCHING_SHARE = 0.35
"""Of the lines of a body."""
_RETURN = re.compile(r"\s*(?:return|yield)\b")

_PLAIN, _MATCHING, _BLANK = 1.0, 2.0, 0.2
"""Weights of lines beside each other."""


def lines_to_keep(
    body: Sequence[str], weights: Sequence[float], named: Collection[int] = ()
) -> set[int]:
    """Return positions of the lines of a body to keep; `weights` are from `PromptWords.weigh`."""
    positions = _around(named, len(body)) or _matches_and_returns(body, weights)
    enclosing = _parent_lines(body)
    for position in tuple(positions):
        outer = enclosing[position]
        while outer >= 0 and outer not in positions:
            positions.add(outer)
            outer = enclosing[outer]
    return positions


def _around(named: Collection[int], n_lines: int) -> set[int]:
    runs = (range(max(0, line - _AROUND), min(n_lines, line + _AROUND + 1)) for line in named)
    return {*chain.from_iterable(runs)}


def _matches_and_returns(body: Sequence[str], weights: Sequence[float]) -> set[int]:
    n_matching = min(_MAX_MATCHING, int(_MATCHING_SHARE * len(body)))
    ranked = sorted(range(len(body)), key=lambda position: (-weights[position], position))
    matching = [position for position in ranked[:n_matching] if weights[position] > 0]
    returns = [position for position, line in enumerate(body) if _RETURN.match(line)]
    return {*range(min(_HEAD_LINES, len(body))), *returns[-_RETURNS:], *matching}


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
