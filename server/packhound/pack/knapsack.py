"""The knapsack: which nodes, at which tier of detail, fit the budget with the most utility.

Lazy greedy by utility over the root of the marginal cost (Minoux 1978): an offer pays only for
lines that no accepted offer of its file has, so overlapping nodes are never paid twice. Over the
cost itself what is short would come first, and packs hold 5 % less of what is needed. Costs are
counted when an offer comes up; until then they are estimated from the node's size.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

from packhound.core.trace import traced
from packhound.pack.excerpt import Excerpts, Tiers
from packhound.pack.pool import Candidate
from packhound.pack.prompt_words import PromptWords
from packhound.pack.request import DETAILS, Detail

_TIER_VALUE: dict[Detail, float] = {"signature": 0.1, "elided": 0.5, "full": 1.0}
"""Share of a node's utility that a tier has; an elided body, once read, has what it shows."""
_USE_VALUE = 0.02
"""Of the line alone that uses what a prompt is about."""
_PART_TOKENS = 20
"""What a part costs its reader besides its tokens, so that trifles do not fill a pack."""

_TIER: dict[Detail, int] = {detail: tier for tier, detail in enumerate(DETAILS)}

_GAP_TOKENS = 7
"""The mark of a gap between lines."""
_HEADER_TOKENS = 24
"""Heading and fence of a file, besides its path."""
_CHARACTERS_PER_TOKEN = 3.4
_MIN_REMAINING = 10
"""With fewer tokens left no offer is tried."""
_ESTIMATE_SLACK = 40
"""By how much an estimate may be wrong before an offer is not even read."""


@dataclass(slots=True, eq=False)
class Choice:
    """A candidate at its accepted tier; `heads` are the lines that name what it is within."""

    candidate: Candidate
    detail: Detail
    lines: tuple[int, ...]
    cost: int
    value: float
    heads: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class _Offer:
    candidate: Candidate
    detail: Detail
    value: float
    lines: tuple[int, ...]
    cost: float
    counted: int | None = None
    heads: tuple[int, ...] = ()


_HeapItem: TypeAlias = tuple[float, int, int, int, _Offer]


@dataclass(slots=True, eq=False)
class Knapsack:
    """Chosen and open offers; `run` may be called again with a higher limit or more offers."""

    excerpts: Excerpts
    words: PromptWords | None
    n_sent: Callable[[Candidate], int]
    sent_lines: Mapping[str, frozenset[int]]
    spent: int = 0
    chosen: dict[int, Choice] = field(default_factory=dict)
    unread: set[int] = field(default_factory=set)
    refused: dict[int, int] = field(default_factory=dict)
    _covered: dict[str, set[int]] = field(default_factory=dict)
    _heap: list[_HeapItem] = field(default_factory=list)
    _n_pushed: int = 0
    _deferred: list[_Offer] = field(default_factory=list)
    _tiers: dict[int, Tiers] = field(default_factory=dict)
    _accepted: list[tuple[int, Choice | None]] = field(default_factory=list)

    def offer(self, candidates: Iterable[Candidate], details: Sequence[Detail]) -> None:
        """Add nodes to choose from at some tiers, but for the first `n_sent`."""
        for candidate in candidates:
            n_sent = self.n_sent(candidate)
            for detail in details:
                if _TIER[detail] >= n_sent:
                    is_line = detail == "outline"
                    value = _USE_VALUE if is_line else candidate.utility * _TIER_VALUE[detail]
                    cost = estimated_cost(candidate, detail)
                    self._heap.append(self._heap_item(_Offer(candidate, detail, value, (), cost)))
        heapq.heapify(self._heap)

    @traced("fit")
    def run(self, limit: int) -> None:
        """Accept offers, best first, while they fit into `limit` tokens."""
        self._heap += map(self._heap_item, self._deferred)
        heapq.heapify(self._heap)
        self._deferred = []
        while self._heap and limit - self.spent >= _MIN_REMAINING:
            offer = heapq.heappop(self._heap)[-1]
            gain = self._gain(offer)
            if gain <= 0:
                continue
            remaining = limit - self.spent
            if offer.counted is None and offer.cost > 2 * remaining + _ESTIMATE_SLACK:
                self._deferred.append(offer)
                continue
            if not self._read(offer):
                continue
            cost = self._cost(offer)
            stale = offer.counted != cost or offer.cost > cost * 1.01
            offer.counted, offer.cost = cost, cost
            if stale and self._heap and -self._density(offer) > self._heap[0][0]:
                heapq.heappush(self._heap, self._heap_item(offer))
            elif self.spent + cost > limit:
                self.refused[offer.candidate.node_id] = cost
                self._deferred.append(offer)
            else:
                self._accept(offer, cost)

    def undo(self) -> bool:
        """Take back the last accepted offer; return False if there is none."""
        if not self._accepted:
            return False
        self._restore(*self._accepted.pop())
        return True

    def insist(
        self, candidate: Candidate, detail: Detail, limit: int, weaker: Sequence[Candidate]
    ) -> None:
        """Accept a tier of a node in the place of others, worst first, if these are enough."""
        offer = _Offer(candidate, detail, candidate.utility, (), 0.0)
        if _TIER[detail] < self.n_sent(candidate) or not self._read(offer):
            return
        node_ids = [each.node_id for each in weaker if each.node_id in self.chosen]
        room = limit - self.spent + sum(self.chosen[node_id].cost for node_id in node_ids)
        if self._cost(offer) > room:
            return
        while self.spent + self._cost(offer) > limit and node_ids:
            node_id = node_ids.pop()
            self._accepted = [pair for pair in self._accepted if pair[0] != node_id]
            self._restore(node_id, None)
        self._accept(offer, self._cost(offer))

    def _restore(self, node_id: int, before: Choice | None) -> None:
        """Choose what was chosen of a node before, or nothing of it."""
        after = self.chosen.pop(node_id)
        if before:
            self.chosen[node_id] = before
        self.spent -= after.cost - (before.cost if before else 0)
        path = after.candidate.path
        choices = [choice for choice in self.chosen.values() if choice.candidate.path == path]
        if choices:
            self._covered[path] = {line for c in choices for line in (*c.heads, *c.lines)}
        else:
            del self._covered[path]

    def _heap_item(self, offer: _Offer) -> _HeapItem:
        """Return an offer with its order in the heap: by density, then by discovery."""
        density = self._density(offer)
        self._n_pushed += 1
        tier = _TIER[offer.detail]
        return -density, offer.candidate.order, tier, self._n_pushed, offer

    def _density(self, offer: _Offer) -> float:
        """Return the utility that the offer adds, over the root of what it costs."""
        return self._gain(offer) / math.sqrt(offer.cost + _PART_TOKENS)

    def _gain(self, offer: _Offer) -> float:
        """Return the utility that the offer adds to what is chosen of its node."""
        chosen = self.chosen.get(offer.candidate.node_id)
        return offer.value - (chosen.value if chosen else 0.0)

    def _read(self, offer: _Offer) -> bool:
        candidate, node_id = offer.candidate, offer.candidate.node_id
        excerpt = self.excerpts.of(candidate.path)
        if excerpt is None:
            self.unread.add(node_id)
            return False
        if offer.detail == "outline":
            offer.lines = candidate.use_lines
            return True
        if node_id not in self._tiers:
            self._tiers[node_id] = excerpt.tiers(
                candidate.entry, candidate.position, self.words, candidate.named_lines
            )
        tiers = self._tiers[node_id]
        offer.lines = tiers.lines(offer.detail)
        if offer.lines and candidate.use_lines:
            offer.lines = tuple(sorted({*offer.lines, *candidate.use_lines}))
        offer.heads = excerpt.heads(candidate.entry, candidate.position) if offer.lines else ()
        if offer.detail == "elided" and offer.counted is None:
            minimum = _TIER_VALUE["signature"]
            # Lines that the prompt points at come anyway, and leave the body's own worth to it.
            share = 0.0 if candidate.named_lines else tiers.elided_share
            offer.value = candidate.utility * (minimum + (1.0 - minimum) * share)
        sent = self.sent_lines.get(offer.candidate.path)
        if sent:
            offer.lines = tuple(line for line in offer.lines if line not in sent)
        return bool(offer.lines)

    def _cost(self, offer: _Offer) -> int:
        excerpt = self.excerpts.of(offer.candidate.path)
        assert excerpt is not None
        covered = self._covered.get(offer.candidate.path)
        lines = (*offer.heads, *offer.lines)
        new = [n for n in lines if n not in covered] if covered else lines
        cost = excerpt.cost(new) + _GAP_TOKENS * _n_runs(new)
        if covered is None:
            cost += _HEADER_TOKENS + len(offer.candidate.path) // 2
        return cost

    def _accept(self, offer: _Offer, cost: int) -> None:
        node_id, path = offer.candidate.node_id, offer.candidate.path
        before = self.chosen.get(node_id)
        self._accepted.append((node_id, before))
        total = cost + (before.cost if before else 0)
        choice = Choice(offer.candidate, offer.detail, offer.lines, total, offer.value, offer.heads)
        self.chosen[node_id] = choice
        self.spent += cost
        self._covered.setdefault(path, set()).update(offer.lines, offer.heads)
        self.refused.pop(node_id, None)


def estimated_cost(candidate: Candidate, detail: Detail) -> float:
    """Estimate the tokens of a tier before the file is read."""
    if detail == "outline":
        return 2.0 * _GAP_TOKENS * len(candidate.use_lines)
    n_signature, n_doc, n_bytes = candidate.entry.sizes(candidate.position)
    if candidate.pinned and candidate.kind == "file":
        # Its text is what no definition has, and small; not pinned it is rarely worth its tokens.
        own_ranges = candidate.entry.node(candidate.position).own_ranges
        n_bytes = sum(end - start for start, end in own_ranges)
    if detail == "signature":
        return (n_signature + min(n_doc, 200)) / _CHARACTERS_PER_TOKEN + _GAP_TOKENS
    full = n_bytes / _CHARACTERS_PER_TOKEN + _GAP_TOKENS
    return min(0.7 * full, 400.0) if detail == "elided" else full


def _n_runs(lines: Sequence[int]) -> int:
    if not lines or lines[-1] - lines[0] == len(lines) - 1:
        return min(len(lines), 1)
    return 1 + sum(1 for before, line in pairwise(lines) if before != line - 1)
