"""Reasons that a person can check, and groups that add up to the score."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from packhound.core.types import (
    GROUP_NAMES,
    MODES,
    Hit,
    NodeId,
    NodeRef,
    Query,
    Results,
    SignalValue,
    Span,
)
from packhound.search.evidence import QueryWord, best_line
from packhound.search.order import rank_hits
from packhound.search.pipeline import explain, search
from packhound.search.rank import linear
from packhound.search.rank.diversity import Diversity
from packhound.search.reasons import ordinal
from packhound.search.related import related
from packhound.search.signals.registry import EXACT_MATCH, SIGNALS
from packhound.text import runs, terms
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
@example("/**", "hybrid", "linear")
@settings(max_examples=80)
def test_groups_add_up_to_the_score(text: str, mode: str, fuser: str) -> None:
    for hit in ask(text, fuser, mode).hits:
        explanation = hit.explanation()
        groups = explanation.groups
        # A filter alone, such as a glob, lists and ranks nothing.
        assert [g.name for g in groups] == list(GROUP_NAMES) or (not groups and not hit.score)
        total = sum(group.contribution for group in groups)
        assert math.isclose(total, hit.score, abs_tol=1e-9)
        assert all(0 <= group.value <= 1 for group in groups)
        assert max(len(explanation.reasons), len(explanation.against)) <= 3


def test_what_diversity_subtracts_is_explained() -> None:
    stages = (Diversity(snapshot(), 0.5),)
    hits = search(snapshot(), Query("order total"), replace(environment(), stages=stages)).hits
    assert any(hit.why[-1].signal == "repeats_above" for hit in hits)
    for hit in hits:
        total = sum(group.contribution for group in hit.explanation().groups)
        assert math.isclose(total, hit.score, abs_tol=1e-9)


PLACES = re.compile(
    r"(?:named|says|(?:(?:(?:file )?name|folder|comment|signature|body) )?has) (.*?)"
    r"(?:, in another case)?"
)
MEANING = re.compile(r"(\d+\w\w )?closest? in meaning|close in meaning")


@given(QUERIES)
@settings(max_examples=60)
def test_reasons_name_words_as_they_stand_in_the_hit(text: str) -> None:
    for hit in ask(text).hits:
        node, shown = hit.node, FILES[hit.node.path].lower()
        shown += " ".join(runs(hit.node.doc.lower()))  # A phrase may have signs or a line break.
        for reason in (r for r in hit.explanation().reasons if not FACT.match(r)):
            match = PLACES.fullmatch(reason)
            assert match or MEANING.fullmatch(reason), reason
            for word in match[1].replace('"', "").split(", ") if match else ():
                assert word.lower() in f"{node.path} {shown}".lower(), reason


@pytest.mark.parametrize("text", ["how a zebra is priced", "sessions", "^par", "gify$", "addroute"])
@pytest.mark.parametrize("mode", MODES)
def test_every_ranked_hit_has_a_reason_and_each_says_something(text: str, mode: str) -> None:
    for hit in ask(text, mode=mode, limit=50).hits:
        reasons = hit.explanation().reasons
        assert reasons and all(reason and reason[-1] != " " for reason in reasons), hit.node


def test_a_name_says_what_it_has_of_what_was_typed() -> None:
    assert first("^par").explanation().reasons == ("name begins with par",)
    assert first("gify$").explanation().reasons == ("name has gify",)
    hit = ask("sfy", mode="symbol").hits[0]
    assert hit.explanation().reasons == ("name has the letters typed, in order",)


def test_words_of_an_identifier_are_whole_in_reasons() -> None:
    """Terms are stems, and those of a name its parts: nobody wrote `handl`."""
    hits = ask("SessionStore", limit=30).hits + ask("handling_routes", limit=30).hits
    texts = [t for h in hits for e in [h.explanation()] for t in (*e.reasons, *e.against)]
    assert texts and not any(re.search(r"\b(handl|rout|stor)\b", text) for text in texts)


def test_what_a_hit_lacks_is_said_as_a_loss() -> None:
    hit = first("slugify zebra")
    assert hit.node.name == "slugify"
    assert hit.explanation().against[0] == "lacks zebra"


def test_a_hit_is_told_beside_the_best_other_one() -> None:
    best, second, *_ = ask("how sessions are saved").hits
    for hit, other in ((best, second), (second, best)):
        assert hit.explanation().beside.startswith(f"beside {other.node.qualname}: ")
    assert "ahead by" in best.explanation().beside
    assert "behind by" in second.explanation().beside


def test_an_exact_name_is_the_first_reason() -> None:
    hit = first("slugify")
    assert hit.explanation().reasons[0] == "named slugify"
    assert hit.explanation().groups[0].value == 1.0


def test_without_a_penalty_a_test_would_be_higher() -> None:
    tests = [
        hit for hit in ask("session", limit=50).hits
        if any(s.signal == "test_path" and s.contribution < 0 for s in hit.why)
    ]  # fmt: skip
    assert tests
    for hit in tests:
        [loss] = [t for t in hit.explanation().against if t.startswith("test code")]
        assert loss == "test code" or hit.rank > int("".join(filter(str.isdigit, loss)))


def test_an_explanation_agrees_with_that_of_the_hit() -> None:
    for hit in ask("how sessions are saved").hits:
        alone = explain(
            snapshot(), Query("how sessions are saved"), hit.node.node_id, environment()
        )
        assert alone.explanation().reasons == hit.explanation().reasons
        assert alone.explanation().against == hit.explanation().against
        assert alone.explanation().beside == hit.explanation().beside


def test_a_node_that_does_not_rank_is_told_no_rank() -> None:
    [node_id] = snapshot().node_ids_named("slugify").tolist()
    hit = explain(snapshot(), Query("Charge lang:go"), node_id, environment())
    assert hit.rank == 0
    assert not any("otherwise" in loss for loss in hit.explanation().against)


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


@pytest.mark.parametrize("n_names", range(3, 27))
def test_of_lines_with_the_same_words_of_the_query_the_first_is_shown(n_names: int) -> None:
    """The words of a line are in a set, so their sum is made in any order."""
    names = [f"w{letter}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"[:n_names]]
    words = [QueryWord(name, terms(name)[0], 1 / (3 + i)) for i, name in enumerate(names)]
    line = " ".join(names)
    other = f"{line} {' '.join(f'other{i}' for i in range(2 * n_names))}"
    node = NodeRef(
        "", "a.py", "python", "function", "f", "f", line, other, Span(0, 0, 0, 0), 1, NodeId(0)
    )
    assert best_line(node, words) == line
