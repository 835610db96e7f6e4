"""Ablation: the ranking without each of its parts, to measure what it contributes."""

from __future__ import annotations

from collections.abc import Iterable

from packhound.core.types import Hit, Query
from packhound.index import Snapshot
from packhound.search.environment import SearchEnvironment
from packhound.search.pipeline import best_hits, parse, retrieve_context, source_of, unit_of
from packhound.search.query.encode import encode
from packhound.search.rank.linear import DIVERSITY, REPRESENTATIVE, score_linear, weights_for
from packhound.search.signals.registry import FILE_SIGNALS, NODE_SIGNALS

BASELINE = "all"
"""Key of the unablated ranking."""

_NATURE = frozenset(
    {"test_path", "example_path", "stale_path", "internal_path", "prose_file", "setting_file"}
    | {"header_file", "depth", "node_count", "entry_file", "grab_bag", "common_stem", "node_size"}
    | {"node_is_type", "node_is_function", "node_is_rest"}
)
"""Signals that do not depend on the query."""


def ablate(
    snapshot: Snapshot, query: Query, environment: SearchEnvironment
) -> dict[str, tuple[Hit, ...]]:
    """Return the hits as they are (`BASELINE`), and without each part that has a weight."""
    parsed = parse(snapshot, query, environment)
    vectors, _ = encode(parsed, query.mode, snapshot, environment.embedder)
    context = retrieve_context(snapshot, query, parsed, vectors, environment)
    full = weights_for(unit_of(query), source_of(query, vectors), parsed.kind, environment.settings)
    variants = {part: full.without(signals) for part, signals in parts().items()}
    weighted = {part: weights for part, weights in variants.items() if weights != full}
    return {
        part: best_hits(
            context,
            score_linear(context, weights, query.limit),
            query.limit,
            environment.root,
            unit_of(query),
        )
        for part, weights in {BASELINE: full, **weighted}.items()
    }


def parts() -> dict[str, frozenset[str]]:
    """Return the signals of each source, each stage and each signal, by the name of the part."""
    file, node = _names(FILE_SIGNALS), _names(NODE_SIGNALS)
    meaning = frozenset(name for name in file | node if name.startswith("dense"))
    return {
        "source: words": (file | node) - meaning - _NATURE,
        "source: meaning": meaning,
        "source: what the code is": _NATURE,
        "stage: file signals": file,
        "stage: node signals": node,
        "stage: one node per file first": frozenset({DIVERSITY}),
        "stage: which node speaks for its file": frozenset({REPRESENTATIVE}),
        **{f"signal: {name}": frozenset({name}) for name in sorted(file | node)},
    }


def _names(signals: Iterable[object]) -> frozenset[str]:
    return frozenset(getattr(signal, "__name__", "") for signal in signals)
