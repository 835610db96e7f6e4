"""Reasons that a person can check, and groups that add up to the score."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packhound.core.types import GROUP_NAMES, MODES, Hit, Query, Results, SignalValue
from packhound.search.order import rank_hits
from packhound.search.pipeline import explain, search
from packhound.search.rank import linear
from packhound.search.rank.diversity import Diversity
from packhound.search.reasons import ordinal
from packhound.search.related import related
from packhound.search.signals.registry import EXACT_MATCH, SIGNALS
from packhound.text.tokenizer import runs, terms
from tests.support.shop import FILES, environment, snapshot

WORDS = sorted({word for text in FILES.values() for word in text.split()})
QUERIES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


FACT = re.compile(
    r"(the only place|one of \d+ places) with |forms of |its (name|path)|line [\d,]+ of its path"
    r"|one of \d+ files of this name|in the folder |defines "
)


def ask(text: str, fuser: str = "linear", mode: str = "hybrid", limit: int = 10) -> Results:
    query = Query(text, mode=mode, limit=limit)  # type: ignore[arg-type]
    return search(snapshot(), query, environment(fuser))


def first(text: str) -> Hit:
    return ask(text).hits[0]


def test_every_signal_that_is_computed_has_a_weight() -> None:
    rank = Path(linear.__file__).parent
    texts = [(rank / f"{unit}_weights.json").read_text("utf-8") for unit in ("node", "file")]
    named = {EXACT_MATCH}.union(*(re.findall(r'"(\w+)": -?\d', text) for text in texts))
    assert [signal.name for signal in SIGNALS if signal.unit and signal.name not in named] == []


def test_every_signal_is_in_the_table_once_with_its_meaning() -> None:
    assert len({signal.name for signal in SIGNALS}) == len(SIGNALS)
    assert all(signal.meaning.endswith(".") for signal in SIGNALS)


@given(QUERIES, st.sampled_from(MODES), st.sampled_from(["linear", "rrf"]))
@settings(max_examples=80, deadline=None)
def test_groups_add_up_to_the_score(text: str, mode: str, fuser: str) -> None:
    for hit in ask(text, fuser, mode).hits:
        explanation = hit.explanation()
        groups = explanation.groups
        assert [group.name for group in groups] == list(GROUP_NAMES)
        total = sum(group.contribution for group in groups)
        assert math.isclose(total, hit.score, abs_tol=1e-9)
        assert all(0 <= group.value <= 1 and group.rank_without >= 1 for group in groups)
        assert len(explanation.reasons) <= 3 and explanation.counterfactual


def test_what_diversity_subtracts_is_explained() -> None:
    stages = (Diversity(snapshot(), 0.5),)
    hits = search(snapshot(), Query("order total"), replace(environment(), stages=stages)).hits
    assert any(hit.why[-1].signal == "repeats_above" for hit in hits)
    for hit in hits:
        total = sum(group.contribution for group in hit.explanation().groups)
        assert math.isclose(total, hit.score, abs_tol=1e-9)


@given(QUERIES)
@settings(max_examples=60, deadline=None)
def test_reasons_name_only_words_of_the_query_and_ranks(text: str) -> None:
    for hit in ask(text).hits:
        for reason in hit.explanation().reasons:
            title, _, words = reason.partition(": ")
            if FACT.match(reason):
                continue
            assert title in {"name", "file", "folder", "comment", "signature", "body", "meaning"}
            if title in {"comment", "signature", "body"}:
                assert {w.strip('"') for w in words.lower().split()} <= {
                    part for word in text.split() for part in (word.lower(), *_parts(word))
                }


def _parts(word: str) -> list[str]:
    return [*terms(word), *(run.lower() for run in runs(word))]


def test_an_exact_name_is_the_first_reason() -> None:
    hit = first("slugify")
    assert hit.explanation().reasons[0] == "name: slugify (exact)"
    assert hit.explanation().groups[0].value == 1.0


def test_a_phrase_of_the_comment_is_quoted() -> None:
    node = next(h for h in ask("how sessions are saved").hits if h.node.doc)
    words = node.node.doc.split()[:3]
    hit = next(h for h in ask(" ".join(words)).hits if h.node == node.node)
    words_group = hit.explanation().groups[1]
    assert words_group.text.startswith("strong term overlap, ")


def test_without_a_penalty_a_test_would_be_higher() -> None:
    tests = [
        hit for hit in ask("session", limit=50).hits
        if any(s.signal == "test_path" and s.contribution < 0 for s in hit.why)
    ]  # fmt: skip
    for hit in tests:
        counterfactual = hit.explanation().counterfactual
        if counterfactual.startswith("test code: "):
            assert hit.rank > int("".join(filter(str.isdigit, counterfactual)))


def test_an_explanation_agrees_with_that_of_the_hit() -> None:
    for hit in ask("how sessions are saved").hits:
        alone = explain(
            snapshot(), Query("how sessions are saved"), hit.node.node_id, environment()
        )
        assert alone.explanation().reasons == hit.explanation().reasons
        assert alone.explanation().counterfactual == hit.explanation().counterfactual


def test_a_node_that_does_not_rank_has_no_counterfactual() -> None:
    [node_id] = snapshot().node_ids_named("slugify").tolist()
    hit = explain(snapshot(), Query("Charge lang:go"), node_id, environment())
    assert hit.explanation().counterfactual == ""
    assert {group.rank_without for group in hit.explanation().groups} == {0}


def test_what_a_stage_adds_is_in_its_group() -> None:
    class Boost:
        name = "boost"

        def depth(self, limit, _query):
            return limit

        def rerank(self, hits, _context):
            boost = SignalValue("used_lately", 1.0, 999.0)
            return [
                replace(h, score=h.score + 999.0, why=(*h.why, boost)) if h is hits[-1] else h
                for h in hits
            ]

    boosted = search(snapshot(), Query("session"), replace(environment(), stages=(Boost(),))).hits[
        0
    ]
    explanation = boosted.explanation()
    assert explanation.reasons[0] == "you: used lately"
    assert explanation.groups[-1].contribution == pytest.approx(999.0)
    assert explanation.groups[-1].rank_without > 1


def test_related_hits_have_reasons() -> None:
    [node_id] = snapshot().node_ids_named("slugify").tolist()
    node = snapshot().ref(node_id, "")
    place = (node.path, node.span.start_line)
    hits = related(snapshot(), *place, Query("x", limit=3), environment()).hits
    assert hits and all(hit.explanation().groups for hit in hits)
    assert rank_hits(hits, 3) == hits


def test_ordinals() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112, 1_001)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th", "1,001st"
    ]  # fmt: skip
