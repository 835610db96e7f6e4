"""Choices of one file as the items of a pack: parts that do not overlap, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from packhound.pack.excerpt import Excerpts
from packhound.pack.knapsack import Choice
from packhound.pack.render import Block
from packhound.pack.request import CONTAINERS, PackItem

_MAX_REASONS = 4
_BLANK_GAP = 2
_FIRST = ("pinned", "selected", "changed", "stack frame", "line ", "diff", "hit ")
"""Reasons that are told before others."""


def block_of(choices: Sequence[Choice], excerpts: Excerpts, generation: int) -> Block:
    """The lines that the choices of one file show together."""
    entry = choices[0].candidate.entry
    excerpt = excerpts.of(entry.path)
    assert excerpt is not None
    numbers = _without_blank_gaps({n for choice in choices for n in choice.lines}, excerpt.lines)
    texts = tuple(excerpt.lines[number] for number in numbers)
    return Block(entry.path, entry.language, generation, numbers, texts)


def _without_blank_gaps(shown: set[int], lines: Sequence[str]) -> tuple[int, ...]:
    """A blank line costs less than the mark of its absence."""
    numbers = sorted(shown)
    for before, after in pairwise(numbers):
        between = range(before + 1, after)
        if 0 < len(between) <= _BLANK_GAP and not any(lines[line].strip() for line in between):
            shown.update(between)
    return tuple(sorted(shown))


def items_of(files: Sequence[Sequence[Choice]], excerpts: Excerpts) -> tuple[PackItem, ...]:
    """The items of all files, in their order."""
    items: list[PackItem] = []
    for choices in files:
        items += _file_items(choices, excerpts)
    return tuple(items)


def _file_items(choices: Sequence[Choice], excerpts: Excerpts) -> list[PackItem]:
    """Full parts that touch become one; what lies inside another part is told with it."""
    excerpt = excerpts.of(choices[0].candidate.path)
    assert excerpt is not None
    groups: list[_Group] = []
    for choice in choices:
        if not groups or not groups[-1].takes(choice):
            groups.append(_Group(choice))
        else:
            groups[-1].add(choice)
    items, paid = [], set[int]()
    for i, group in enumerate(groups):
        start, end = group.start, group.end
        if i + 1 < len(groups):
            end = min(end, groups[i + 1].start - 1)
        lines = group.lines - paid
        paid |= lines
        tokens = excerpt.cost(lines)
        items.append(group.item(start, max(start, end), tokens))
    return items


class _Group:
    """Choices that are told as one item."""

    def __init__(self, choice: Choice) -> None:
        self.choices = [choice]
        self.start = choice.lines[0]
        self.lines = set(choice.lines)
        # A definition shown in part still lies where it lies; a container ends where it is shown.
        node = choice.candidate.node
        inside = choice.detail == "full" or node.kind in CONTAINERS
        self.end = choice.lines[-1] if inside else max(choice.lines[-1], node.span.end_line)

    def takes(self, choice: Choice) -> bool:
        """Whether a later choice lies within this item, or continues its full lines."""
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
        reasons.sort(key=lambda reason: not reason.startswith(_FIRST))
        more = f" and {len(reasons) - _MAX_REASONS} more" if len(reasons) > _MAX_REASONS else ""
        return PackItem(
            path=candidates[0].path,
            start_line=start,
            end_line=end,
            detail=self.choices[0].detail,
            tokens=tokens,
            score=round(max(candidate.utility for candidate in candidates), 4),
            reason="; ".join(reasons[:_MAX_REASONS]) + more,
        )
