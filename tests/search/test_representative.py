"""The representative of a file ranks where the best match of the file would."""

from __future__ import annotations

import math

import numpy as np
import pytest

from packhound.core.settings import Settings
from packhound.core.types import Query
from packhound.search.pipeline import parse, retrieve_context
from packhound.search.query.encode import QueryVectors
from packhound.search.rank.linear import (
    DIVERSITY,
    REPRESENTATIVE,
    Ranking,
    Weights,
    score_linear,
    weights_for,
)
from packhound.search.signals.node import node_size
from packhound.search.signals.registry import find_signal
from tests.support.shop import environment, snapshot

QUESTION = "how a path is compared with the routes of a session"


def scored(in_file: tuple[float, ...], diversity: float = 5.0):
    query = Query(QUESTION)
    parsed = parse(snapshot(), query, environment())
    context = retrieve_context(snapshot(), query, parsed, QueryVectors(), environment())
    node = ((find_signal("node_words"), 1.0), (find_signal("node_size"), 0.0))
    weights = Weights(((find_signal("lexical"), 2.0),), node, diversity, in_file)
    return context, score_linear(context, weights, len(context.candidates))


def boosts(ranked: Ranking):
    added = ranked.contributions(range(len(ranked.nodes)))
    return added[ranked.names.index(REPRESENTATIVE)]


def test_the_representative_has_the_score_of_the_best_and_no_other_node_gains():
    _, plain = scored((), diversity=0.0)
    context, ranked = scored((0.0, 1.0))
    n_boosted = 0
    for file in range(len(context.candidates.files)):
        nodes = np.flatnonzero(context.candidates.owner == file)
        sizes = node_size(context)[nodes]
        # Of equals within the file the one that scores more speaks for it.
        representative = nodes[np.lexsort((plain.scores[nodes], sizes))[-1]]
        assert ranked.scores[representative] == pytest.approx(plain.scores[nodes].max())
        for node in set(nodes.tolist()) - {representative}:
            assert ranked.scores[node] < plain.scores[node]
        n_boosted += boosts(ranked)[representative] > 0
    assert n_boosted, "in no file does the largest node differ from the best match"


def test_the_reasons_of_a_representative_add_up_to_its_score():
    _, ranked = scored((0.0, 1.0))
    everything = range(len(ranked.nodes))
    for score, why in zip(ranked.scores, ranked.why(everything), strict=True):
        assert math.isclose(sum(reason.contribution for reason in why), score, abs_tol=1e-9)
        assert all(reason.weight for reason in why)
    sums = {reason.signal for why in ranked.why(everything) for reason in why}
    assert {REPRESENTATIVE, DIVERSITY} <= sums


def test_without_weights_of_its_own_the_best_match_is_the_representative():
    _, ranked = scored(())
    assert not boosts(ranked).any()


@pytest.mark.parametrize("kind", ["phrase", "prose"])
@pytest.mark.parametrize("source", ["hybrid", "lexical"])
def test_questions_have_weights_for_representatives_that_can_be_left_out(source: str, kind: str):
    weights = weights_for("file", source, kind, Settings())  # type: ignore[arg-type]
    assert len(weights.in_file) == len(weights.node)
    assert not weights.without(frozenset({REPRESENTATIVE})).in_file
    fewer = weights.without(frozenset({"node_words"}))
    assert len(fewer.in_file) == len(fewer.node) == len(weights.node) - 1
