"""Explanations: groups of signals, what speaks for and against a hit, and the best other one.

To choose reasons, contributions are centred on their mean over the best candidates, so that what
all of them have in common vanishes and what is left tells one hit from its rivals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock

import numpy as np

from packhound.core.arrays import Doubles, Positions, top_k
from packhound.core.trace import traced
from packhound.core.types import GROUP_NAMES, Explanation, Hit, NodeId, SignalGroup, SignalValue
from packhound.search.evidence import (
    MAX_LINE,
    QueryWord,
    WordMatches,
    best_line,
    match_words,
    meaning_ranks,
    words_of,
)
from packhound.search.query.parse import ParsedQuery
from packhound.search.rank.fusion import competing_rows
from packhound.search.rank.linear import Ranking, Unit
from packhound.search.reasons import (
    MAX_REASONS,
    Evidence,
    beside,
    choose_reasons,
    group_texts,
    losses,
    reason_texts,
)
from packhound.search.retrieve.term_matches import NAME
from packhound.search.signals.context import SignalContext
from packhound.search.signals.registry import EXACT_MATCH, SIGNALS, group_of, membership
from packhound.search.stages import TextOf

N_CANDIDATES = 50
"""Best candidates that contributions are compared with."""

_TIE = 1e-9
_FOLDED_NAME = 0.95
"""Value of a name in another letter case; names with other words are below."""
_STRUCTURE_ROW, _YOU_ROW = GROUP_NAMES.index("Structure"), GROUP_NAMES.index("You")
_TOLD = frozenset(signal.name for signal in SIGNALS if signal.reason)


@dataclass(frozen=True, slots=True, eq=False)
class _GroupSums:
    """Contributions by group, [groups, hits], raw and centred (`above`).

    `structure` is where each hit is between the worst and the best candidate by its structure, 0
    to 1, `rival_scores` are those of the candidates, ascending.
    """

    sums: Doubles
    above: Doubles
    structure: Doubles
    rival_scores: Doubles

    def rank(self, score: float, other_score: float) -> int:
        """Return the rank that a hit would have with another score than its own."""
        n_below = np.searchsorted(self.rival_scores, other_score + _TIE, side="right")
        # The hit itself is one of the candidates.
        return int(1 + len(self.rival_scores) - n_below - (score > other_score + _TIE))


@dataclass(frozen=True, slots=True, eq=False)
class _Gathered:
    """Material of explanations; of each hit its column of the sums and its evidence."""

    hits: Sequence[Hit]
    sums: _GroupSums
    evidence: Sequence[Evidence]
    text_of: TextOf


class _Explainer:
    """Explains the hits of a search, each when it is first asked for. Thread-safe."""

    def __init__(self, n: int, gather: Callable[[], _Gathered]) -> None:
        self._gather: Callable[[], _Gathered] | None = gather
        self._gathered: _Gathered | None = None
        self._n_left = n
        self._made: dict[int, Explanation] = {}
        self._lock = Lock()

    def explanations(self) -> list[Callable[[], Explanation]]:
        """Return those of all hits; it keeps none of them, which would be a cycle of garbage."""
        return [partial(self.of, column) for column in range(self._n_left)]

    def of(self, column: int) -> Explanation:
        """Return the explanation of the hit at `column`."""
        with self._lock:
            if self._gather:
                self._gathered, self._gather = self._gather(), None
            if self._gathered and column not in self._made:
                self._made[column] = _explain(self._gathered, column)
                self._n_left -= 1
                # What explanations are made from holds a snapshot.
                self._gathered = self._gathered if self._n_left else None
            return self._made[column]


@traced("explain")
def explain_hits(
    context: SignalContext,
    ranking: Ranking,
    unit: Unit,
    hits: Sequence[Hit],
    text_of: TextOf,
    excluded: NodeId | None = None,
) -> list[Callable[[], Explanation]]:
    """Return the explanations of hits of a ranking, whose scores stages may have changed.

    Each is made when it is first called for. The candidate `excluded` is no rival.
    """

    def gather() -> _Gathered:
        rivals = competing_rows(context, ranking, unit)
        if excluded is not None:
            node_ids = context.candidates.node_ids.take(ranking.nodes.take(rivals))
            rivals = rivals[node_ids != excluded]
        positions = context.candidates.positions(
            np.array([hit.node.node_id for hit in hits], np.intp)
        )
        sums = _sum_groups(ranking, rivals, np.searchsorted(ranking.nodes, positions), hits)
        return _Gathered(hits, sums, _gather_evidence(context, hits, positions), text_of)

    return _Explainer(len(hits), gather).explanations()


def explain_symbols(hits: Sequence[Hit], query: ParsedQuery) -> list[Callable[[], Explanation]]:
    """Return the explanations of hits of a search by name."""
    return _Explainer(len(hits), lambda: _gather_symbols(hits, query)).explanations()


def with_losses(explain: Callable[[], Explanation], losses: tuple[str, ...]) -> Explanation:
    """Return an explanation that tells some losses before its own."""
    explanation = explain()
    return explanation._replace(against=(*losses, *explanation.against)[:MAX_REASONS])


def _sum_groups(
    ranking: Ranking, rivals: Positions, rows: Positions, hits: Sequence[Hit]
) -> _GroupSums:
    scores = np.asarray(ranking.scores, np.float64)[rivals]
    best = rivals[top_k(scores, N_CANDIDATES)]
    names, contributions = ranking.names, ranking.contributions(np.concatenate((rows, best)))
    sums = membership(names) @ contributions
    # Beside a fact nothing else would be above the average: it has a reason of its own.
    is_fact = np.array([name == EXACT_MATCH for name in names])
    facts = membership(names) @ np.where(is_fact[:, None], contributions, 0.0)
    sums, rival_sums = sums[:, : len(rows)], (sums - facts)[:, len(rows) :]
    facts = facts[:, : len(rows)]
    by_stages = [[value for value in hit.why if value.signal not in names] for hit in hits]
    if any(by_stages):
        # The other candidates lack what the stages have added.
        scores = np.array([hit.score for hit in hits])
        added = np.array([_sum_signals(signals) for signals in by_stages]).T
        sums, rival_sums = sums + added, rival_sums + added.mean(axis=1, keepdims=True)
    return _centre(sums, rival_sums, scores, facts)


def _centre(
    sums: Doubles, rival_sums: Doubles, scores: Doubles, facts: Doubles | float = 0.0
) -> _GroupSums:
    means = rival_sums.mean(axis=1)
    means[_YOU_ROW] = 0.0
    by_structure, rivals = sums[_STRUCTURE_ROW], rival_sums[_STRUCTURE_ROW]
    lowest, highest = rivals.min(), rivals.max()
    structure = np.clip((by_structure - lowest) / max(highest - lowest, _TIE), 0.0, 1.0)
    return _GroupSums(sums, sums - facts - means[:, None], structure, np.sort(scores))


def _gather_evidence(
    context: SignalContext, hits: Sequence[Hit], positions: Positions
) -> list[Evidence]:
    query, words = context.query, words_of(context)
    node_ids = context.candidates.node_ids.take(positions)
    matches = match_words(context, words, node_ids)
    likeness, meaning_rank = [0.0] * len(hits), [0] * len(hits)
    if context.similarity is not None and context.whole.similarity is not None:
        likeness = context.similarity.take(positions).tolist()
        # Among all nodes of the candidates' files, since most candidates are close.
        meaning_rank = meaning_ranks(context.whole.similarity, context.rows.take(positions))
    names = frozenset(query.names)
    folded = frozenset([name.lower() for name in names])
    lengths = context.snapshot.lengths[NAME].take(node_ids).tolist()
    evidence = []
    for i, hit in enumerate(hits):
        name = hit.node.name
        is_named, is_folded = name in names, name.lower() in folded
        share = min(_FOLDED_NAME, len(matches[i].name) / max(1, lengths[i]))
        name_value = 1.0 if is_named else _FOLDED_NAME if is_folded else share
        naming = (is_named, is_folded, name_value)
        meaning = (likeness[i], meaning_rank[i])
        evidence.append(Evidence(query, words, matches[i], *naming, *meaning, *_values_of(hit)))
    return evidence


def _values_of(hit: Hit) -> tuple[dict[str, float], dict[str, float]]:
    """Return the values of a hit's signals, and what each adds."""
    values = {signal.signal: signal.value for signal in hit.why}
    return values, {signal.signal: signal.contribution for signal in hit.why}


def _gather_symbols(hits: Sequence[Hit], query: ParsedQuery) -> _Gathered:
    sums = np.array([_sum_signals(hit.why) for hit in hits]).T
    scores = np.array([hit.score for hit in hits])
    typed = tuple([QueryWord(pattern.text, "", 1.0) for pattern in query.patterns])
    names = frozenset([word.text for word in typed])
    folded = frozenset([name.lower() for name in names])
    evidence = []
    for hit in hits:
        values, contributions = _values_of(hit)
        name, quality = hit.node.name, min(1.0, values["name_match"])
        naming = (name in names, name.lower() in folded, quality)
        matches = WordMatches(name=typed)
        evidence.append(Evidence(query, (), matches, *naming, 0.0, 0, values, contributions))
    return _Gathered(hits, _centre(sums, sums, scores), evidence, lambda node: node.path)


def _explain(gathered: _Gathered, column: int) -> Explanation:
    hit, sums = gathered.hits[column], gathered.sums
    evidence = gathered.evidence[column]
    if evidence.matches.outside(*evidence.matches[1:]):
        evidence = evidence._replace(source=gathered.text_of(hit.node).partition("\n")[2])
    by_group = {name: sums.sums[row, column].item() for row, name in enumerate(GROUP_NAMES)}
    above = {name: sums.above[row, column].item() for row, name in enumerate(GROUP_NAMES)}
    values = (
        evidence.name_value,
        evidence.overlap,
        min(1.0, max(0.0, evidence.likeness)),
        sums.structure[column].item(),
        evidence.you,
    )
    texts = reason_texts(hit, evidence)
    rows = zip(values, by_group.items(), group_texts(hit, evidence, texts).values(), strict=True)
    rank_without = {
        signal: sums.rank(hit.score, hit.score - cost) if hit.rank else 0
        for signal, cost in evidence.contributions.items()
        if signal in _TOLD and cost < 0
    }
    _, line = evidence.query.printers.get(hit.node.node_id, (0.0, ""))
    match = evidence.query.exact_matches.get(hit.node.node_id)
    if match and match.line:
        line = gathered.text_of(hit.node).partition("\n")[2].strip()[:MAX_LINE]
    return Explanation(
        reasons=choose_reasons(hit, evidence, by_group, above, texts),
        against=losses(hit, evidence, rank_without),
        beside=_beside(gathered, column),
        groups=tuple(SignalGroup(name, value, total, text) for value, (name, total), text in rows),
        line=line or best_line(hit.node, evidence.matches.anywhere),
    )


def _beside(gathered: _Gathered, column: int) -> str:
    """Return how a hit compares with the best other one, "" if there is none."""
    if len(gathered.hits) < 2:
        return ""
    other, sums, evidence = int(column == 0), gathered.sums.sums, gathered.evidence
    differences = (sums[:, column] - sums[:, other]).tolist()
    ahead = dict(zip(GROUP_NAMES, differences, strict=True))
    hits = gathered.hits
    return beside(hits[column], hits[other], ahead, evidence[column], evidence[other])


def _sum_signals(signals: Iterable[SignalValue]) -> list[float]:
    """Return the sum of the contributions of each group."""
    sums = dict.fromkeys(GROUP_NAMES, 0.0)
    for signal in signals:
        sums[group_of(signal.signal)] += signal.contribution
    return list(sums.values())
