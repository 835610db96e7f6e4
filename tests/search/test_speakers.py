"""The node that answers best in a file stands where the best match of the file would."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shop import snapshot

from packhound.core.types import Query
from packhound.search.query.parse import parse_query
from packhound.search.rank.linear import REPEATED, SPEAKS, Weights, score_linear, weights_for
from packhound.search.retrieve.retrieve import measure
from packhound.search.signals.file import lexical
from packhound.search.signals.node import node_size, node_words

QUESTION = "how a path is compared with the routes of a session"


def scored(within: tuple[float, ...], repeat: float = 5.0):
    view = measure(snapshot(), parse_query(Query(QUESTION)), None)
    weights = Weights(((lexical, 2.0),), ((node_words, 1.0), (node_size, 0.0)), repeat, within)
    return view, score_linear(view, weights, len(view.candidates))


def test_the_speaker_has_the_score_of_the_best_and_no_other_node_gains():
    _, plain = scored((), repeat=0.0)
    view, ranked = scored((0.0, 1.0))
    spoken = 0
    for file in range(len(view.candidates.files)):
        here = np.flatnonzero(ranked.owner == file)
        speaker = here[np.argmax(node_size(view)[here])]
        assert ranked.scores[speaker] == pytest.approx(plain.scores[here].max())
        for node in set(here.tolist()) - {speaker}:
            assert ranked.scores[node] < plain.scores[node]
        spoken += ranked.lifts[speaker] > 0
    assert spoken, "in no file does the largest node differ from the best match"


def test_the_reasons_of_a_speaker_add_up_to_its_score():
    _, ranked = scored((0.0, 1.0))
    everything = range(len(ranked.nodes))
    for score, why in zip(ranked.scores, ranked.why(everything), strict=True):
        assert math.isclose(sum(reason.contribution for reason in why), score, abs_tol=1e-9)
        assert all(reason.weight for reason in why)
    said = {reason.signal for why in ranked.why(everything) for reason in why}
    assert {SPEAKS, REPEATED} <= said


def test_without_weights_of_its_own_the_best_match_speaks():
    _, ranked = scored(())
    assert not ranked.lifts.any()


@pytest.mark.parametrize("kind", ["phrase", "prose"])
@pytest.mark.parametrize("source", ["hybrid", "lexical"])
def test_questions_have_weights_for_speakers_that_can_be_left_out(source: str, kind: str):
    weights = weights_for(source, kind)  # type: ignore[arg-type]
    assert len(weights.within) == len(weights.node)
    assert not weights.without(frozenset({SPEAKS})).within
    fewer = weights.without(frozenset({"node_words"}))
    assert len(fewer.within) == len(fewer.node) == len(weights.node) - 1
