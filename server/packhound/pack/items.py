"""Choices of one file as the items of a pack: parts that do not overlap, each with its reason."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from packhound.core.types import GroupName
from packhound.pack.excerpt import Excerpts
from packhound.pack.knapsack import Choice
from packhound.pack.pool import Candidate
from packhound.pack.render import Block
from packhound.pack.request import CONTAINERS, Origin, PackItem
from packhound.redact import safe_line
from packhound.search import group_of

_MAX_REASONS, _MAX_ORIGINS = 4, 8
_BLANK_GAP = 2
_LEADING_REASONS = ("pinned", "selected", "changed", "stack frame", "line ", "diff", "hit ")
"""Reasons that are listed before others."""


def block_of(choices: Sequence[Choice], excerpts: Excerpts, generation: int) -> Block:
    """Return the lines of all choices of one file."""
    entry = choices[0].candidate.entry
    excerpt = excerpts.of(entry.path)
    assert excerpt is not None
    chosen = {line for choice in choices for line in (*choice.heads, *choice.lines)}
    numbers = _close_blank_gaps(chosen, excerpt.lines)
    texts = tuple(excerpt.lines[number] for number in numbers)
    return Block(entry.path, entry.language, generation, numbers, texts, _reason_of(choices))


def _reason_of(choices: Sequence[Choice]) -> str:
    """Return the first reason of the best node of a file, without its signals."""
    best = max(choices, key=lambda choice: (choice.candidate.pinned, choice.candidate.utility))
    inside = f"in {best.candidate.path}, "
    reasons = sorted(best.candidate.reasons, key=lambda r: (_is_minor(r), r.startswith(inside)))
    return safe_line(reasons[0].removeprefix(inside).partition(" (")[0]) if reasons else ""


def _is_minor(reason: str) -> bool:
    return not reason.startswith(_LEADING_REASONS)


def _close_blank_gaps(chosen: set[int], lines: Sequence[str]) -> tuple[int, ...]:
    """Add short runs of blank lines, which cost less than the mark of a gap."""
    numbers = sorted(chosen)
    for before, after in pairwise(numbers):
        between = range(before + 1, after)
        if 0 < len(between) <= _BLANK_GAP and not any(lines[line].strip() for line in between):
            chosen.update(between)
    return tuple(sorted(chosen))


def items_of(files: Sequence[Sequence[Choice]], excerpts: Excerpts) -> tuple[PackItem, ...]:
    """Return the items of all files, in their order."""
    items: list[PackItem] = []
    for choices in files:
        items += _file_items(choices, excerpts)
    return tuple(items)


def _file_items(choices: Sequence[Choice], excerpts: Excerpts) -> list[PackItem]:
    """Merge full parts that touch, and parts within others."""
    excerpt = excerpts.of(choices[0].candidate.path)
    assert excerpt is not None
    groups: list[_Group] = []
    for choice in choices:
        if not groups or not groups[-1].takes(choice):
            groups.append(_Group(choice))
        else:
            groups[-1].add(choice)
    items, counted = [], set[int]()
    for i, group in enumerate(groups):
        start, end = group.start, group.end
        if i + 1 < len(groups):
            end = min(end, groups[i + 1].start - 1)
        lines = group.lines - counted
        counted |= lines
        tokens = excerpt.cost(lines)
        items.append(group.item(start, max(start, end), tokens))
    return items


class _Group:
    """Choices that make one item."""

    def __init__(self, choice: Choice) -> None:
        self.choices = [choice]
        self.start = choice.lines[0]
        self.lines = set(choice.lines)
        # A definition keeps its span even in part; a container ends with its last chosen line.
        node = choice.candidate.node
        inside = choice.detail == "full" or node.kind in CONTAINERS
        self.end = choice.lines[-1] if inside else max(choice.lines[-1], node.span.end_line)

    def takes(self, choice: Choice) -> bool:
        """Return True if a later choice lies within this item, or continues its full lines."""
        if choice.lines[0] <= max(self.lines) and choice.lines[-1] <= self.end:
            return set(choice.lines) <= self.lines or choice.lines[0] in self.lines
        full = {c.detail for c in (*self.choices, choice)} == {"full"}
        contiguous = len(self.lines) == self.end - self.start + 1
        return full and contiguous and choice.lines[0] <= self.end + 1

    def add(self, choice: Choice) -> None:
        self.choices.append(choice)
        self.lines |= set(choice.lines)
        self.end = max(self.end, choice.lines[-1])

    def item(self, start: int, end: int, tokens: int) -> PackItem:
        candidates = [choice.candidate for choice in self.choices]
        reasons = list(dict.fromkeys(reason for c in candidates for reason in c.reasons))
        reasons.sort(key=_is_minor)
        more = f" and {len(reasons) - _MAX_REASONS} more" if len(reasons) > _MAX_REASONS else ""
        return PackItem(
            path=candidates[0].path,
            start_line=start,
            end_line=end,
            detail=self.choices[0].detail,
            tokens=tokens,
            score=round(max(candidate.utility for candidate in candidates), 4),
            reason="; ".join(reasons[:_MAX_REASONS]) + more,
            names=tuple(safe_line(candidate.name) for candidate in candidates if candidate.name),
            origins=_origins(candidates),
        )


def _origins(candidates: Sequence[Candidate]) -> tuple[Origin, ...]:
    """Return the origins of an item that weigh most, those of a search with its parts."""
    origins = sorted((o for c in candidates for o in c.origins), key=lambda o: -o.utility)
    return tuple(
        origin._replace(
            utility=round(origin.utility, 4),
            reason=safe_line(origin.text),
            path=tuple(map(safe_line, origin.path)),
            words=_sum_group(origin, "Name") + _sum_group(origin, "Words"),
            meaning=_sum_group(origin, "Meaning"),
        )
        for origin in origins[:_MAX_ORIGINS]
    )


def _sum_group(origin: Origin, group: GroupName) -> float:
    why = origin.hit.why if origin.hit else ()
    return math.fsum(s.contribution for s in why if group_of(s.signal) == group)
