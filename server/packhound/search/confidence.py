"""Confidence: the chance that an answer is right, and that each of its hits is.

An answer is right if a node of grade 2 or 3 (what was asked for, or clearly relevant) is among its
first five hits. Logistic regressions over what the ranking has computed anyway, fitted by
`benchmarks/quality/fit_confidence.py`; `rank/confidence.json` holds them with their provenance.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from packhound.core.arrays import Doubles, Mask, Positions, top_k
from packhound.core.types import ConfidenceWord, Hit
from packhound.search.query.levels import (
    FOLDED,
    IDENTIFIER,
    OTHER_CASE,
    PARTS,
    PREFIX,
    SAME_LEVEL,
)
from packhound.search.query.parse import ParsedQuery
from packhound.search.rank.linear import Ranking, Source
from packhound.search.signals.context import SignalContext
from packhound.search.signals.registry import DEEP_SIMILARITY

STRONG, LIKELY, POSSIBLE = 0.8, 0.4, 0.16
"""The least chances of these words; below `POSSIBLE`, as 1 % of right answers are, it is weak.

Of the first hits of graded questions with a chance of 0.40 to 0.45, 55 % are right.
"""
STRONG_FIRST = 0.66
"""The least chance of the first hit of a strong answer: people look at that one first."""
_LIKE_THE_SECOND = 0.65
"""The most chance of a first hit that has no more of the query's words than the second.

Of graded questions of whole repositories with a first chance above 0.66, 65 % of such first hits
are right, and 83 % of the others.
"""
_MORE_WORDS = 0.03
"""The least difference of two hits' BM25F, per weight of the query, that tells them apart."""
_AS_MUCH = 0.9
"""A second hit with this share of the first one's chance says as much."""

_CERTAIN_CHANCE = 0.95
"""Chance of the only place of what the query says; several share it."""

_MOST_UNSURE = 0.79
"""An answer is not strong where hits below the first say as much."""
_FEW_WORDS = 3
"""Words of which a hit that has all is not weak: they are what was asked for."""
_NEAR = 0.01
"""Cosines that differ by less are equally close."""

FIRST = 5
"""An answer is judged by this many best nodes."""
_MAX_UNKNOWN = 2
PATH = Path(__file__).parent / "rank/confidence.json"

Coefficients: TypeAlias = Mapping[str, float]


def rate_hits(
    context: SignalContext, ranking: Ranking, source: Source, hits: Sequence[Hit]
) -> tuple[list[float], float]:
    """Return the chance of each hit, which falls with its rank, and that of the answer.

    They are of a ranking by a source that `is_rated`; `hits` has the best `FIRST` at least.
    """
    if not hits:
        return [], 0.0
    features = features_of(context, ranking, source, hits)
    kind = "symbol" if context.query.kind == "symbol" else "question"
    coefficients = load_fit().sets[features.source][kind]
    confidence = sigmoid(dot(coefficients["answer"], features.answer))
    confidence = _bounded(context, features.best, features.is_first, confidence)
    log_odds = sum(
        coefficients["hit"].get(name, 0.0) * column for name, column in features.hits.items()
    )
    chances = confidence / (1 + np.exp(-np.asarray(log_odds, np.float64)))
    words = features.hits["words"]
    if kind == "question" and len(words) > 1 and words[0] - words[1] < _MORE_WORDS:
        chances = np.minimum(chances, _LIKE_THE_SECOND)
    certain = _certain_chances(context.query, hits)
    chances = np.minimum(np.maximum(chances, certain), max(confidence, certain[0]))
    return falling_chances(chances.tolist()), round(max(confidence, certain[0]), 3)


class Features(NamedTuple):
    """Features that an answer and its hits are rated by; `hits` has a column for each.

    `source` names the coefficients, `best` are the positions of the nodes that the answer is judged
    by, and `is_first` those that share the first place.
    """

    source: str
    answer: dict[str, float]
    hits: dict[str, Doubles]
    best: Positions
    is_first: Mask


def features_of(
    context: SignalContext, ranking: Ranking, source: Source, hits: Sequence[Hit]
) -> Features:
    """Return the features of an answer: of the best nodes, or of the hits that were read again.

    The deep model changes their order, and its similarity says more than anything else.
    """
    rows = context.candidates.positions(np.array([hit.node.node_id for hit in hits], np.intp))
    deep = np.array([_deep_similarity(hit) for hit in hits])
    hit = hit_features(context, rows, [hit.rank for hit in hits])
    if source != "hybrid" or np.isnan(deep).any():
        best, is_first = best_nodes(ranking)
        return Features(source, answer_features(context, best, best[is_first]), hit, best, is_first)
    best, is_first = rows[:FIRST], np.arange(len(rows[:FIRST])) == 0
    answer = answer_features(context, best, best[is_first])
    answer |= {
        "deep_first": float(deep[0]),
        "deep_best": float(deep[:FIRST].max()),
        "deep_mean": float(deep[:FIRST].mean()),
    }
    return Features("deep", answer, hit | {"deep": deep}, best, is_first)


def _deep_similarity(hit: Hit) -> float:
    """Return how similar the deep model finds a hit; not a number if it has not read it."""
    return next((value for signal, value, _ in hit.why if signal == DEEP_SIMILARITY), math.nan)


def _certain_chances(query: ParsedQuery, hits: Sequence[Hit]) -> list[float]:
    """Return the chance of each hit that is what the query says, 0 for others."""
    matches = query.exact_matches
    levels = [match.level for match in matches.values() if match.level > IDENTIFIER]
    return [
        _CERTAIN_CHANCE / max(1, sum(other >= match.level for other in levels))
        if (match := matches.get(hit.node.node_id)) and match.level > IDENTIFIER
        else 0.0
        for hit in hits
    ]


def is_rated(source: Source, model: str) -> bool:
    """Return True if confidence was fitted for what ranks: words alone, or this encoder."""
    return source == "lexical" or model == load_fit().model


def best_nodes(ranking: Ranking) -> tuple[Positions, Mask]:
    """Return the positions of the best nodes of a ranking, and which of them are first.

    Nodes that score the same are in together, so that the order of node ids does not show.
    """
    scores = ranking.rounded
    rows = top_k(scores, min(FIRST, len(scores)))
    best = scores.take(rows)
    return ranking.nodes.take(rows), best == best.max()


def _bounded(context: SignalContext, nodes: Positions, is_first: Mask, confidence: float) -> float:
    """Return the chance of an answer within what its best nodes show.

    It is not strong if most of those below the first have as many of the words and are as close in
    meaning, which says little of a few words, and not weak if the first has all of those.
    """
    covered, close = context.lexical.covered.take(nodes), context.lexical.node.take(nodes)
    if context.similarity is not None:
        close = context.similarity.take(nodes)
    is_short = len(context.query.terms) <= _FEW_WORDS
    as_much = covered >= covered[is_first].max() - _NEAR
    as_much &= is_short | (close >= close[is_first].max() - _NEAR)
    named = context.named_folded.take(nodes)
    as_much &= named >= named[is_first].max()
    if len(nodes) >= FIRST and 2 * (np.count_nonzero(as_much) - 1) > len(nodes) - 1:
        confidence = min(confidence, _MOST_UNSURE)
    if is_short and covered[is_first].max() > 1 - _NEAR:
        confidence = max(confidence, POSSIBLE)
    return confidence


def answer_features(context: SignalContext, best: Positions, first: Positions) -> dict[str, float]:
    """Return the features of an answer: of its first nodes, and the greatest of its best.

    `covered_...` is the share of the query's weight (idf) that a node has, `words` and `named` are
    BM25F of the whole node, and of its name and signature, per weight of the query. `absent` is the
    share of the weight whose words are in no node. `prints` is how sure it is that code prints the
    query.
    """
    query, lexical, matches = context.query, context.lexical, context.retrieval.matches
    total = sum(matches.idfs)
    absent = sum(
        idf for idf, term in zip(matches.idfs, matches.terms, strict=True) if not len(term.nodes[0])
    )
    # Without words the quotes are the query, and all hits have them.
    covered = lexical.covered if total or not query.exact else np.ones_like(lexical.covered)
    similarity = lexical.node * 0 if context.similarity is None else context.similarity
    names = lexical.name.take(best) + lexical.signature.take(best)
    return {
        "bias": 1.0,
        "cosine_first": float(similarity.take(first).max()),
        "cosine_best": float(similarity.take(best).max()),
        "cosine_mean": float(
            0 if context.whole.similarity is None else context.whole.similarity.mean()
        ),
        "covered_first": float(covered.take(first).max()),
        "covered_best": float(covered.take(best).max()),
        "words": float(lexical.node.take(best).max()) / (total or 1.0),
        "named": float(names.max()) / (total or 1.0),
        "absent": absent / (total or 1.0),
        "unknown_names": float(min(_MAX_UNKNOWN, len(context.unknown_names))),
        "length": math.log1p(len(query.terms)),
        "is_prose": float(query.kind in ("prose", "report")),
        "name_first": float(context.named_folded.take(first).max()),
        "prints": max((share for share, _ in query.printers.values()), default=0.0),
    }


def hit_features(
    context: SignalContext, rows: Positions, ranks: Sequence[int]
) -> dict[str, Doubles]:
    """Return the features of hits, a column each."""
    lexical, similarity = context.lexical, context.similarity
    total = sum(context.retrieval.matches.idfs) or 1.0
    names = lexical.name.take(rows) + lexical.signature.take(rows)
    none = np.zeros(len(rows))
    return {
        "bias": np.ones(len(rows)),
        "rank": np.log2(np.maximum(1, ranks)),
        "cosine": none if similarity is None else similarity.take(rows).astype(np.float64),
        "covered": lexical.covered.take(rows).astype(np.float64),
        "words": lexical.node.take(rows).astype(np.float64) / total,
        "named": names.astype(np.float64) / total,
        "named_folded": context.named_folded.take(rows).astype(np.float64),
    }


def rate_symbols(hits: Sequence[Hit]) -> tuple[list[float], float]:
    """Return the quality of the match of each hit of a search by name, and that of the first."""
    qualities = [
        sum(signal.value for signal in hit.why if signal.signal == "name_match") for hit in hits
    ]
    chances = falling_chances(qualities)
    return chances, chances[0] if chances else 0.0


def falling_chances(chances: Sequence[float]) -> list[float]:
    """Return chances in the order of hits, none above that of a better hit."""
    falling: list[float] = np.minimum.accumulate(np.array(chances, np.float64)).round(3).tolist()
    return falling


def confidence_word(
    confidence: float, hits: Sequence[Hit], chances: Sequence[float], query: ParsedQuery
) -> ConfidenceWord:
    """Return the word for people: all but the last two promise something of the first hit.

    It is exact if the first hit alone is what the query says, and at most likely if others are too
    or if it is nearly so.
    """
    name = query.text.removesuffix("()")
    if hits and name and name in (hits[0].node.name, hits[0].node.qualname):
        return "exact"
    match = query.exact_matches.get(hits[0].node.node_id) if hits else None
    first, second = (*chances[:2], 0.0, 0.0)[:2]
    is_sure = confidence >= STRONG and first >= STRONG_FIRST and second < _AS_MUCH * first
    if match:
        others = [other.level for other in query.exact_matches.values() if other is not match]
        if match.level - SAME_LEVEL > max(others, default=0.0):
            if match.level > IDENTIFIER:
                return "strong" if match.level in (FOLDED, PARTS, OTHER_CASE) else "exact"
            # An identifier within a question says what it is about, and not the answer.
            if PREFIX <= match.level < IDENTIFIER:
                return "likely"
    if is_sure and not (match and match.reason):
        return "strong"
    return "likely" if first >= LIKELY else "possible" if confidence >= POSSIBLE else "weak"


def word_of(chance: float) -> ConfidenceWord:
    """Return the word for the chance of one hit."""
    if chance >= STRONG:
        return "strong"
    return "likely" if chance >= LIKELY else "possible" if chance >= POSSIBLE else "weak"


def dot(coefficients: Coefficients, values: Mapping[str, float]) -> float:
    """Return the sum of coefficient times value."""
    return sum(factor * values[name] for name, factor in coefficients.items())


def sigmoid(log_odds: float) -> float:
    """Return the probability of log-odds."""
    return 1 / (1 + math.exp(-log_odds)) if log_odds > -700 else 0.0


class Fit(NamedTuple):
    """Coefficients `sets[source][kind of query][answer or hit]`, and the encoder they are of."""

    model: str
    sets: Mapping[str, Mapping[str, Mapping[str, Coefficients]]]


@lru_cache(maxsize=1)
def load_fit() -> Fit:
    """Return the fitted coefficients."""
    loaded = json.loads(PATH.read_text("utf-8"))
    return Fit(loaded["model"], loaded["sets"])
