from __future__ import annotations

import math
import threading
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packhound.core.errors import Cancelled
from packhound.core.types import MODES, Budget, Document, Query, Results
from packhound.index.writer import Index
from packhound.parsing.analyse import analyse
from packhound.parsing.parse import parse
from packhound.search.answer_notes import NO_WORDS, SIGNS_ALONE
from packhound.search.environment import SearchEnvironment
from packhound.search.pipeline import explain, search
from packhound.search.related import related
from packhound.search.signals.registry import phrase
from tests.support.shop import FILES, environment, snapshot

WORDS = sorted({word for text in FILES.values() for word in text.split()})
QUERIES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


def ask(text: str, fuser: str = "linear", **fields: object) -> Results:
    query = replace(Query(text), **fields)  # type: ignore[arg-type]
    return search(snapshot(), query, environment(fuser))


@given(QUERIES, st.sampled_from(MODES), st.sampled_from(["linear", "rrf"]), st.integers(0, 12))
@settings(max_examples=120)
def test_every_search(text: str, mode: str, fuser: str, limit: int) -> None:
    results = ask(text, fuser, mode=mode, limit=limit)
    assert results == replace(ask(text, fuser, mode=mode, limit=limit), took_ms=results.took_ms)
    assert len(results.hits) <= limit
    assert [hit.rank for hit in results.hits] == list(range(1, len(results.hits) + 1))
    keys = [(-round(h.score, 9), h.node.path, h.node.span.start) for h in results.hits]
    assert keys == sorted(keys)
    for hit in results.hits:
        assert math.isclose(sum(r.contribution for r in hit.why), hit.score, abs_tol=1e-9)
        assert hit.node.generation == results.generation
        assert all(phrase(reason) for reason in hit.why)
        if mode in ("lexical", "symbol"):
            assert not any(reason.signal.startswith("dense") for reason in hit.why)


@given(QUERIES, st.sampled_from(MODES), st.integers(1, 6))
@settings(max_examples=60)
def test_a_short_list_is_the_head_of_a_long_one(text: str, mode: str, limit: int) -> None:
    short, long = ask(text, mode=mode, limit=limit).hits, ask(text, mode=mode, limit=99).hits
    assert [replace(h, siblings=(), copies=()) for h in short] == [
        replace(h, siblings=(), copies=()) for h in long[:limit]
    ]


@pytest.mark.parametrize("mode", MODES)
def test_a_report_can_be_searched_in_every_mode(mode: str) -> None:
    report = "Session is lost\n\nafter\nlogin\nthe `Session` of `Router.route()` is lost\n"
    assert ask(report, mode=mode).query == report


@pytest.mark.parametrize("mode", MODES)
def test_filters_hold_in_every_mode(mode: str) -> None:
    hits = ask("Session", mode=mode, kinds=("class", "method")).hits
    assert hits
    assert all(hit.node.kind in ("class", "method") for hit in hits)
    hits = ask("Router", mode=mode, languages=("python",), paths=("shop/**",)).hits
    assert hits
    assert all(hit.node.path.startswith("shop/") for hit in hits)


def test_filters_in_the_text() -> None:
    hits = ask("charge lang:go kind:struct").hits
    assert [hit.node.name for hit in hits] == ["RetryPolicy"]
    assert all("signed cookie" in h.node.doc for h in ask('session "signed cookie"').hits)


def test_a_name_ranks_its_definition_first() -> None:
    names = {"Session", "Router", "Basket", "StockLevel", "slugify", "createServer", "RetryPolicy"}
    assert {name: ask(name).hits[0].node.name for name in names} == {name: name for name in names}
    assert ask("Router").hits[0].node.path == "shop/routing.py"


def test_symbol_mode_matches_as_people_type() -> None:
    def names(text: str) -> list[str]:
        return [hit.node.name for hit in ask(text, mode="symbol", limit=3).hits]

    assert names("stlv")[0] == "StockLevel"
    assert names("addI")[0] == "addItem"
    assert names("'Session") == ["Session"]
    assert names("Session.load")[0] == "load"
    assert all(name.startswith("parse") for name in names("^parse"))
    assert names("Price$")[0] == "totalPrice"
    assert names("basket add")[0] == "addItem"


def test_no_match_is_an_empty_list_with_a_note() -> None:
    results = ask("zzzzqqqq xyzzy", mode="lexical")
    assert (results.hits, results.notes) == ((), ("nothing matches",))
    assert ask("", mode="hybrid").notes == (NO_WORDS,)
    assert SIGNS_ALONE in ask("[]=", mode="hybrid").notes
    assert ask("zzzzqqqq", mode="symbol").notes == ("no name matches",)
    assert (
        ask("lang:klingon session")
        .notes[0]
        .startswith("no file here is in 'klingon'; languages here: ")
    )


def test_filters_alone_list_what_passes_them_by_path() -> None:
    results = ask("kind:class lang:python", limit=100)
    places = [(hit.node.path, hit.node.span.start) for hit in results.hits]
    assert places == sorted(places) and len(places) == results.candidates > 1
    assert {(hit.node.kind, hit.node.language) for hit in results.hits} == {("class", "python")}
    assert [hit.node.path for hit in ask("lang:python", files=True, limit=100).hits] == sorted(
        path for path in FILES if path.endswith(".py")
    )
    assert ask("kind:class lang:python", limit=1).hits == results.hits[:1]
    tagged = ask("tag:auth")
    assert not tagged.hits and "code has no tags: add type:note" in tagged.notes[-1]
    later = ask("since:2999-01-01")
    assert not later.hits and later.notes[-1].startswith("without since: and before: there are ")


def test_an_exact_name_as_written_comes_before_one_in_another_case() -> None:
    index = Index(None)
    texts = {"a/types.py": b"class Persist:\n    pass\n", "tests/persist.py": b"X = 1\n"}
    documents = [Document(path, text) for path, text in texts.items()]
    index.replace([analyse(each, parse(each)) for each in documents], {})
    hits = search(index.publish(), Query("'persist"), environment()).hits
    assert [hit.node.name for hit in hits] == ["persist", "Persist"]


@pytest.mark.parametrize(("text", "same_as"), [("'Session", "Session"), ("^parse", "parse")])
def test_what_says_how_a_name_must_match_counts_in_every_mode(text: str, same_as: str) -> None:
    expected = [hit.node.qualname for hit in ask(text, mode="symbol").hits]
    assert expected and expected == [hit.node.qualname for hit in ask(text).hits]
    assert ask(same_as).candidates > len(expected)
    unknown = ask("'Sessio")
    assert unknown.hits and "no name matches" in unknown.notes


def test_without_a_model_words_rank_and_a_note_says_so() -> None:
    results = search(snapshot(vectors=False), Query("session cookie"), SearchEnvironment("shop"))
    assert results.hits[0].node.path == "shop/session.py"
    assert results.notes == ("no embedding model: ranked by words alone",)


def test_words_that_are_nowhere_fall_back_to_meaning() -> None:
    results = ask("purchases checkout")
    assert results.hits
    assert results.notes == (
        "weak answer: no hit has a word of the query",
        "`purchases` and `checkout` are not in this folder",
    )


def test_budgets_truncate() -> None:
    query = Query("session router basket charge")
    for budget in (replace(query.budget, candidates=4), replace(query.budget, time_ms=0)):
        assert ask(query.text, budget=budget).truncated
    assert not ask(query.text).truncated


def test_a_spent_budget_skips_the_rest_and_names_it() -> None:
    query = Query("session router basket charge")
    hurried = ask(query.text, budget=replace(query.budget, time_ms=0))
    assert hurried.hits and not any(hit.siblings for hit in hurried.hits)
    assert hurried.notes[0] == (
        "stopped to keep within 0 ms, without meaning, most candidates, the learned ranker, further"
        " code of the same files: for more, raise --time-ms or search.timeMs, or narrow by path: or"
        " kind:"
    )
    assert not any(reason.signal.startswith("dense") for hit in hurried.hits for reason in hit.why)
    assert not any("stopped" in note for note in ask(query.text).notes)


@pytest.mark.parametrize("text", ["session router basket charge", "total price", "load", "Basket"])
@pytest.mark.parametrize("candidates", [4, 8, 12])
def test_what_a_budget_leaves_out_is_not_decided_by_the_order_of_indexing(
    text: str, candidates: int
) -> None:
    budget = Budget(time_ms=60_000, candidates=candidates)
    query = Query(text, budget=budget)
    actual = [
        search(corpus, query, environment()).hits
        for corpus in (snapshot(), snapshot(backwards=True))
    ]
    first, second = ([(hit.node.path, hit.node.qualname) for hit in hits] for hits in actual)
    assert first == second


def test_cancel() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        search(snapshot(), Query("session"), environment(), cancel)


def test_explain_agrees_with_search() -> None:
    query = Query("how sessions are saved")
    hits = ask(query.text).hits
    assert hits
    for hit in hits:
        explained = explain(snapshot(), query, hit.node.node_id, environment())
        assert explained.score == pytest.approx(hit.score)
        assert explained.why == hit.why
        assert explained.rank == hit.rank


def test_explain_tells_what_stands_for_a_node_that_has_no_rank() -> None:
    query = Query("how are sessions loaded and saved")
    hits = search(snapshot(), query, environment()).hits
    ids = {hit.node.node_id for hit in hits}
    nodes = [snapshot().ref(i, "shop") for i in range(snapshot().n_node_ids)]
    inside = [
        (node, hit)
        for node in nodes
        for hit in hits
        if node.path == hit.node.path
        and node.node_id not in ids
        and hit.node.span.start_line <= node.span.end_line
        and node.span.start_line <= hit.node.span.end_line
    ]
    assert inside
    for node, _ in inside:
        explained = explain(snapshot(), query, int(node.node_id), environment())
        loss = explained.explanation().against[0]
        titles = [f"{h.rank}, {h.node.qualname}" for n, h in inside if n is node]
        assert explained.rank == 0
        assert loss in [f"shares lines with result {title}" for title in titles]


def test_explain_a_node_that_does_not_rank() -> None:
    node_id = next(iter(snapshot().node_ids_named("slugify")))
    explained = explain(snapshot(), Query("Charge lang:go"), int(node_id), environment())
    assert explained.node.name == "slugify" and explained.rank == 0


def test_related_leaves_the_node_itself_out() -> None:
    node_id = int(snapshot().node_ids_named("Session")[0])
    node = snapshot().ref(node_id, "")
    query = Query("here", limit=3)
    hits = related(snapshot(), node.path, node.span.start_line, query, environment()).hits
    assert len(hits) == 3
    assert node_id not in [hit.node.node_id for hit in hits]


def test_a_file_that_came_and_went_between_two_searches():
    index, plain = Index(None), SearchEnvironment("shop")

    def put(*paths: str) -> None:
        documents = [Document(path, FILES[path].encode()) for path in paths]
        index.replace([analyse(d, parse(d)) for d in documents], {})

    put("shop/session.py", "README.md")
    first = search(index.publish(), Query("load session"), plain)
    put("shop/routing.py")
    index.remove(["shop/routing.py"])
    again = search(index.publish(), Query("load session"), plain)
    assert [hit.score for hit in again.hits] == [hit.score for hit in first.hits]


SHOP = {"shop/session.py", "shop/routing.py", "shop/validation.py", "shop/utils.py"}


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("shop", SHOP),
        ("./shop/s*", {"shop/session.py"}),
        ("**/session.*", {"shop/session.py"}),
        ("shop/**.py", SHOP),
        ("[r-s]*.py", {"shop/session.py", "shop/routing.py"}),
        ("[!s]*.py", SHOP - {"shop/session.py"} | {"tests/test_session.py"}),
        ("test*", {"tests/test_session.py"}),
        ("[z-a]x", set()),
        ("[", set()),
        ("*s" * 40 + "x", set()),
    ],
)
def test_any_glob_is_a_filter(glob: str, paths: set[str]) -> None:
    assert {hit.node.path for hit in ask("session", paths=(glob,), limit=50).hits} == paths
    assert {hit.node.path for hit in ask(f"session path:{glob}", limit=50).hits} == paths
