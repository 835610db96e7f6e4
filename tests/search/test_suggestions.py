"""Answers without hits say what to change, and what they say is so."""

from __future__ import annotations

import re

import pytest

from packhound.core.types import Query, Results
from packhound.index import Index
from packhound.search.pipeline import search
from tests.support.shop import embedder, environment, snapshot


def ask(text: str, mode: str = "lexical", **query: object) -> Results:
    return search(snapshot(), Query(text, mode=mode, **query), environment())  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["lexical", "symbol"])
@pytest.mark.parametrize(
    "filters",
    [
        {"paths": ("nowhere/**",)},
        {"kinds": ("trait",)},
        {"languages": ("cobol",)},
        {"exclude": ("**",)},
    ],
)
def test_the_filter_to_drop_is_named_with_what_there_is_without_it(mode: str, filters) -> None:
    results = ask("session", mode, **filters)
    assert not results.hits
    [note] = [note for note in results.notes if note.startswith("without ")]
    [n] = re.findall(r"there are (\d+)$", note)
    assert all(value in note for values in filters.values() for value in values)
    without = ask("session", mode, limit=1000)
    if mode == "symbol":
        assert len(without.hits) == int(n)
    else:
        assert 0 < int(n) <= without.candidates


@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
def test_an_empty_folder_is_said_to_be_one(mode: str) -> None:
    empty = Index(embedder()).publish()
    assert search(empty, Query("a session", mode=mode), environment()).notes == (  # type: ignore[arg-type]
        "no file is indexed",
    )


def test_filters_that_hide_nothing_are_not_named() -> None:
    notes = ask("zzzzqqqq", paths=("nowhere/**",)).notes
    assert "nothing matches" in notes and not any(note.startswith("without") for note in notes)


def test_only_the_filter_that_is_at_fault_is_named() -> None:
    notes = ask("session", paths=("nowhere/**",), excluded_kinds=("trait",)).notes
    assert [note for note in notes if "path:" in note]
    assert not [note for note in notes if "kind:" in note]


@pytest.mark.parametrize(("mode", "word"), [("lexical", "baskett"), ("symbol", "Bazket")])
def test_other_spellings_are_named(mode: str, word: str) -> None:
    results = ask(word, mode)
    assert not results.hits
    assert any("did you mean: Basket" in note for note in results.notes), results.notes


def test_a_spelling_is_asked_about_once_and_one_word_typed_is_one_word() -> None:
    notes = ask("'SesionStroe", "lexical").notes
    assert sum("did you mean" in note or "`SesionStroe`" in note for note in notes) == 1, notes
    assert not any("words of the query" in note for note in notes), notes
