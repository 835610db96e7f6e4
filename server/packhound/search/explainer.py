"""The arithmetic of explanations: groups of signals, and the ranks that hits would have without.

Contributions are centred on their mean over the best candidates, so that what all of them have in
common vanishes and what is left tells one hit from its rivals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from packhound.core.arrays import Doubles, Ints, Positions, top_k
from packhound.core.types import GROUP_NAMES, Explanation, Hit, NodeId, SignalGroup, SignalValue
from packhound.search.evidence import (
    QueryWord,
    WordMatches,
    best_line,
    match_words,
    meaning_ranks,
    words_of,
)
from packhound.search.query.parse import ParsedQuery
from packhound.search.rank.fusion import Ranking, competing_rows
from packhound.search.rank.linear import Unit
from packhound.search.reasons import (
    MAX_REASONS,
    Evidence,
    choose_reasons,
    counterfactual,
    group_texts,
    reason_texts,
)
from packhound.search.retrieve.term_matches import NAME
from packhound.search.signals.context import SignalContext
from packhound.search.signals.registry import EXACT_MATCH, SIGNALS, group_of, membership

N_CANDIDATES = 50
"""Best candidates that contributions are compared with."""

_TIE = 1e-9
_FOLDED_NAME = 0.95
"""Value of a name in another letter case; names with other words are below."""
_STRUCTURE_ROW, _YOU_ROW = GROUP_NAMES.index("Structure"), GROUP_NAMES.index("You")


class Explanations:
    """The explanations of all hits of a search, computed together when first asked for."""

    def __init__(self, compute: Callable[[], list[Explanation]]) -> None:
        self._compute: Callable[[], list[Explanation]] | None = compute
        self._explanations: list[Explanation] = []

    def of(self, column: int) -> Explanation:
        """Return the explanation of the hit at `column`. Thread-safe."""
        if compute := self._compute:
            self._explanations = compute()
            # What it was computed from holds a snapshot.
            self._compute = None
        return self._explanations[column]


def explain_hits(
    context: SignalContext,
    ranking: Ranking,
    unit: Unit,
    hits: Sequence[Hit],
    excluded: NodeId | None = None,
) -> tuple[Hit, ...]:
    """Return the hits of a ranking, whose scores stages may have changed, with explanations.

    They are computed when one is first called for. The candidate `excluded` is no rival.
    """

    def compute() -> list[Explanation]:
        rivals = competing_rows(context, ranking, unit)
        if excluded is not None:
            node_ids = context.candidates.node_ids.take(ranking.nodes.take(rivals))
            rivals = rivals[node_ids != excluded]
        positions = context.candidates.position[[hit.node.node_id for hit in hits]]
        sums = _sum_groups(ranking, rivals, np.searchsorted(ranking.nodes, positions), hits)
        return _combine(hits, sums, _gather_evidence(context, hits, positions))

    return _attach(hits, Explanations(compute))


def explain_symbols(hits: Sequence[Hit], query: ParsedQuery) -> tuple[Hit, ...]:
    """Return hits of a search by name with explanations."""
    return _attach(hits, Explanations(lambda: _explain_symbols(hits, query)))


def _attach(hits: Sequence[Hit], explanations: Explanations) -> tuple[Hit, ...]:
    return tuple(
        [replace(hit, explanation=partial(explanations.of, i)) for i, hit in enumerate(hits)]
    )


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

    def ranks(self, scores: Doubles, other_scores: Doubles) -> Positions:
        """Return the ranks that hits would have with other scores than theirs."""
        n_below = np.searchsorted(self.rival_scores, other_scores + _TIE, side="right")
        # The hit itself is one of the candidates.
        ranks: Positions = 1 + len(self.rival_scores) - n_below - (scores > other_scores + _TIE)
        return ranks


def _sum_groups(
    ranking: Ranking, rivals: Positions, rows: Positions, hits: Sequence[Hit]
) -> _GroupSums:
    scores = np.asarray(ranking.scores, np.float64)[rivals]
    best = rivals[top_k(scores, N_CANDIDATES)]
    names, contributions = ranking.contributions(np.concatenate((rows, best)))
    sums = membership(names) @ contributions
    # Beside a fact nothing else would be above the average: it has a reason of its own.
    facts = (
        sums - membership(names) @ np.where(np.array(names) == EXACT_MATCH, 0, contributions.T).T
    )
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
    context: SignalContext, hits: Sequence[Hit], positions: Ints
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
        values = {signal: value for signal, value, _ in hit.why}
        naming = (is_named, is_folded, name_value)
        meaning = (likeness[i], meaning_rank[i], len(context.whole.candidates))
        evidence.append(Evidence(query, words, matches[i], *naming, *meaning, values, hit.used))
    return evidence


def _explain_symbols(hits: Sequence[Hit], query: ParsedQuery) -> list[Explanation]:
    sums = np.array([_sum_signals(hit.why) for hit in hits]).T
    scores = np.array([hit.score for hit in hits])
    typed = tuple([QueryWord(pattern.text, "", 1.0) for pattern in query.patterns])
    names = frozenset([word.text for word in typed])
    folded = frozenset([name.lower() for name in names])
    evidence = []
    for hit in hits:
        values = {signal: value for signal, value, _ in hit.why}
        name, quality = hit.node.name, min(1.0, values["name_match"])
        matches = WordMatches(name=typed)
        is_named, is_folded = name in names, name.lower() in folded
        evidence.append(
            Evidence(query, (), matches, is_named, is_folded, quality, 0.0, 0, 0, values, hit.used)
        )
    return _combine(hits, _centre(sums, sums, scores), evidence)


def _combine(
    hits: Sequence[Hit], sums: _GroupSums, evidence: Sequence[Evidence]
) -> list[Explanation]:
    """Return the explanation of each hit."""
    scores = np.array([hit.score for hit in hits])
    ranks = sums.ranks(scores, scores - sums.above)
    # A sum that is the average moves nothing, not even among equals.
    actual = np.array([hit.rank for hit in hits])
    ranks = np.where((np.abs(sums.above) < _TIE) | (actual == 0), actual, ranks)
    without_penalty = _ranks_without_penalties(hits, scores, sums)
    explanations = []
    for i, hit in enumerate(hits):
        values = (
            evidence[i].name_value,
            evidence[i].overlap,
            min(1.0, max(0.0, evidence[i].likeness)),
            float(sums.structure[i]),
            evidence[i].you,
        )
        texts = reason_texts(hit, evidence[i])
        columns = [array[:, i].tolist() for array in (sums.sums, sums.above, ranks)]
        above = dict(zip(GROUP_NAMES, columns[1], strict=True))
        described = group_texts(evidence[i], texts, above).values()
        rows = zip(GROUP_NAMES, values, *columns, described, strict=True)
        groups = tuple([SignalGroup(*row) for row in rows])
        moves = counterfactual(hit.rank, groups, without_penalty[i])
        _, printed = evidence[i].query.printers.get(hit.node.node_id, (0.0, ""))
        line = printed or best_line(hit.node, evidence[i].matches.anywhere)
        reasons = choose_reasons(groups, texts)
        match = evidence[i].query.exact_matches.get(hit.node.node_id)
        if match and match.reason:
            # It says of the words what those of other reasons say of their stems.
            prints = evidence[i].values.get("prints_message")
            others = [reason for reason in reasons if prints or reason != texts["Words"]]
            reasons = (match.reason, *others)[:MAX_REASONS]
        explanations.append(Explanation(reasons, groups, moves, line))
    return explanations


def _ranks_without_penalties(
    hits: Sequence[Hit], scores: Doubles, sums: _GroupSums
) -> list[dict[str, int]]:
    """Return the rank that each hit would have without each signal that costs it something."""
    told = {signal.name for signal in SIGNALS if signal.reason}
    costs = [
        {s.signal: s.contribution for s in hit.why if s.signal in told and s.contribution < 0}
        for hit in hits
    ]
    without = {
        signal: sums.ranks(scores, scores - [cost.get(signal, 0.0) for cost in costs]).tolist()
        for signal in {signal for cost in costs for signal in cost}
    }
    return [{signal: without[signal][i] for signal in cost} for i, cost in enumerate(costs)]


def _sum_signals(signals: Iterable[SignalValue]) -> list[float]:
    """Return the sum of the contributions of each group."""
    sums = dict.fromkeys(GROUP_NAMES, 0.0)
    for signal in signals:
        sums[group_of(signal.signal)] += signal.contribution
    return list(sums.values())
