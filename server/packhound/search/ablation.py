"""Ablation: the ranking without each of its parts, to measure what it contributes."""

from __future__ import annotations

from packhound.core.types import GROUP_NAMES, GroupName, Hit, Query
from packhound.index import Snapshot
from packhound.search.environment import SearchEnvironment
from packhound.search.order import rank_hits
from packhound.search.pipeline import best_hits, parse, retrieve_context, source_of, unit_of
from packhound.search.query.encode import encode
from packhound.search.rank.linear import DIVERSITY, REPRESENTATIVE, score_linear, weights_for
from packhound.search.rank.proximity import OF_THE_GRAPH, Proximity
from packhound.search.signals.registry import FILE_SIGNALS, NODE_SIGNALS, Signal

BASELINE = "all"
"""Key of the unablated ranking."""


def ablate(
    snapshot: Snapshot, query: Query, environment: SearchEnvironment
) -> dict[str, tuple[Hit, ...]]:
    """Return the hits as they are (`BASELINE`), and without each part that has a weight.

    With a focus two of the parts are that, and the graph of imports and uses around it.
    """
    parsed = parse(snapshot, query, environment)
    vectors, _ = encode(parsed, query.mode, snapshot, environment.embedder)
    context = retrieve_context(snapshot, query, parsed, vectors, environment)
    full = weights_for(unit_of(query), source_of(query, vectors), parsed.kind, environment.settings)
    variants = {part: full.without(signals) for part, signals in parts().items()}
    weighted = {part: weights for part, weights in variants.items() if weights != full}
    near = Proximity(snapshot, query.focus) if query.focus else None
    depth = near.depth(query.limit, parsed) if near else query.limit
    hits_by_part = {
        part: best_hits(
            context,
            score_linear(context, weights, depth),
            depth,
            environment.root,
            unit_of(query),
        )
        for part, weights in {BASELINE: full, **weighted}.items()
    }
    if near is None:
        return hits_by_part
    plain, limit = hits_by_part[BASELINE], query.limit
    return {
        **{part: rank_hits(near.rescored(hits), limit) for part, hits in hits_by_part.items()},
        "stage: the focus": plain[:limit],
        "source: the graph around the focus": rank_hits(near.rescored(plain, OF_THE_GRAPH), limit),
    }


def parts() -> dict[str, frozenset[str]]:
    """Return the signals of each source, each stage and each signal, by the name of the part."""
    computed = (*FILE_SIGNALS, *NODE_SIGNALS)
    return {
        "source: words": _names(computed, "Name", "Words", "You"),
        "source: meaning": _names(computed, "Meaning"),
        "source: what the code is": _names(computed, "Structure"),
        "stage: file signals": _names(FILE_SIGNALS, *GROUP_NAMES),
        "stage: node signals": _names(NODE_SIGNALS, *GROUP_NAMES),
        "stage: one node per file first": frozenset({DIVERSITY}),
        "stage: which node speaks for its file": frozenset({REPRESENTATIVE}),
        **{f"signal: {name}": frozenset({name}) for name in sorted(_names(computed, *GROUP_NAMES))},
    }


def _names(signals: tuple[Signal, ...], *groups: GroupName) -> frozenset[str]:
    return frozenset(signal.name for signal in signals if signal.group in groups)
