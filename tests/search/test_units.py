"""Nodes or files as the unit of a search, siblings, tests and excluded places."""

from __future__ import annotations

from dataclasses import replace

import pytest

from packhound.core.types import Query, Results, Span
from packhound.search.pipeline import search
from tests.support.shop import environment, snapshot


def ask(text: str, **fields: object) -> Results:
    query = replace(Query(text), **fields)  # type: ignore[arg-type]
    return search(snapshot(), query, environment())


@pytest.mark.parametrize("text", ["check the form", "cart", "how is a session stored"])
def test_with_files_each_file_has_one_hit(text: str) -> None:
    nodes, files = ask(text, limit=30), ask(text, limit=30, files=True)
    paths = [hit.node.path for hit in files.hits]
    assert len(paths) == len(set(paths)) > 1
    assert {hit.node.path for hit in nodes.hits} <= set(paths)


def test_siblings_are_further_nodes_of_the_file_that_are_no_hits() -> None:
    results = ask("form validation errors", limit=1)
    named = {hit.node.node_id for hit in results.hits}
    siblings = [(hit, sibling) for hit in results.hits for sibling in hit.siblings]
    assert siblings
    for hit, sibling in siblings:
        assert sibling.path == hit.node.path
        assert sibling.node_id not in named
        named.add(sibling.node_id)
    assert all(len(hit.siblings) <= 5 for hit in results.hits)


@pytest.mark.parametrize("text", ["session", "Session", "router", "how is a basket charged"])
def test_no_two_hits_share_lines(text: str) -> None:
    hits = ask(text, limit=50).hits
    lines = [(hit.node.path, line) for hit in hits for line in _lines(hit.node.span)]
    assert len(lines) == len(set(lines)) > 1
    everything = ask(text, limit=50, overlapping=True).hits
    assert len(everything) > len(hits)


def _lines(span: Span) -> range:
    return range(span.start_line, span.end_line + 1)


def test_a_class_that_the_query_names_is_the_hit_and_its_method_a_sibling() -> None:
    [first, *_] = ask("Session", limit=1).hits
    assert (first.node.name, first.node.kind) == ("Session", "class")
    assert any(_lines(s.span)[0] in _lines(first.node.span) for s in first.siblings)


def test_excluded_places_and_kinds_are_left_out() -> None:
    everything = ask("session", limit=50)
    path = everything.hits[0].node.path
    kind = everything.hits[0].node.kind
    without_path = ask(f"session -path:{path}", limit=50)
    assert without_path.hits
    assert all(hit.node.path != path for hit in without_path.hits)
    without_kind = ask("session", limit=50, excluded_kinds=(kind,))
    assert without_kind.hits
    assert all(hit.node.kind != kind for hit in without_kind.hits)
    assert without_kind.hits == ask(f"session -kind:{kind}", limit=50).hits


def test_tests_can_be_left_out_and_asked_for_alone() -> None:
    in_tests = {hit.node.path for hit in ask("cart", limit=50, tests="only").hits}
    others = {hit.node.path for hit in ask("cart tests:no", limit=50).hits}
    assert others
    assert not in_tests & others
    assert all("test" in path for path in in_tests)
    notes = ask("cart tests:maybe").notes
    assert "tests:maybe is ignored; expected one of: last, no, only" in notes


def test_quoted_words_that_nothing_has_are_searched_without_quotes() -> None:
    results = ask('"session zebra"')
    assert results.hits
    assert results.notes == (
        'nothing has all words of "session zebra": ranked without the quotes',
        "`zebra` is not in this folder",
    )


def test_quotes_within_a_sentence_require_nothing() -> None:
    assert ask('why does it say "no such zebra" when the session is over').hits
