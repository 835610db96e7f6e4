"""Notes through the engine: fields and limits, recall, search, expiry, and their workspaces."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import settings_from
from packhound.core.types import Budget, Query
from packhound.memory import Notebook, NoteStore
from packhound.service import Engine
from tests.support.operations import memory, recall_note, results_json
from tests.support.project import write_files

INSIGHT = {
    "key": "jwt-validation",
    "content": "Always validate JWT expiration before trusting claims",
}
STASH = {"name": "auth-flow", "summary": "User authentication implementation with JWT tokens"}


def titles(engine: Engine, text: str, **query: object) -> list[str]:
    return [hit.node.name for hit in engine.search(Query(text, **query)).hits]  # type: ignore[arg-type]


@pytest.fixture
def notes(engine: Engine) -> Engine:
    """The engine of a workspace with five notes."""
    engine.notes.add("insight", INSIGHT)
    engine.notes.add("stash", STASH)
    engine.notes.add("stash", {"name": "csv-export", "summary": "Write orders as a spreadsheet"})
    engine.notes.add("insight", {"key": "queue", "content": "Mail leaves through the queue"})
    engine.notes.add(
        "decision",
        {"topic": "prices", "decision": "Prices are integers", "reasoning": "Cents add up"},
    )
    return engine


def test_a_stash_is_found_by_other_words(notes: Engine) -> None:
    assert titles(notes, "login system", types=("stash",))[0] == "auth-flow"
    [first, *_] = recall_note(notes, "stash", "login system", 5)["results"]
    assert first["name"] == "auth-flow"


def test_an_insight_is_found_by_other_words_and_by_its_exact_key(notes: Engine) -> None:
    assert titles(notes, "token security", types=("note",))[0] == "jwt-validation"
    semantic = recall_note(notes, "insight", "token security", 5)
    assert semantic["match_type"] == "semantic"
    assert semantic["results"][0]["key"] == "jwt-validation"
    exact = recall_note(notes, "insight", "jwt-validation", 5)
    assert exact["match_type"] == "exact"
    assert [row["content"] for row in exact["results"]] == [INSIGHT["content"]]


def test_word_families_and_abbreviations_find_an_insight(notes: Engine) -> None:
    for key, content in (
        ("push-token", "Push tokens change when the app is installed again"),
        ("token-budget", "Prompts are cut to 6000 tokens, the oldest messages go first"),
    ):
        notes.notes.add("insight", {"key": key, "content": content})
    assert titles(notes, "trust a token", types=("note",))[0] == "jwt-validation"
    lexical = titles(notes, "expires validates", types=("note",), mode="lexical")
    assert lexical == ["jwt-validation"]


def test_pop_does_not_remove(notes: Engine) -> None:
    for _ in range(2):
        assert recall_note(notes, "stash", "auth-flow", 5)["match_type"] == "exact"


@pytest.mark.parametrize(("kind", "field"), [("insight", "content"), ("stash", "summary")])
def test_notes_of_one_name_are_not_passed_over(engine: Engine, kind: str, field: str) -> None:
    key = "key" if kind == "insight" else "name"
    ids = [
        memory(engine, "add", {"type": kind, key: "gate", field: text})["id"]
        for text in ("It creaks", "It is oiled", "It is gone")
    ]
    answer = recall_note(engine, kind, "gate", 5)
    assert [row[field] for row in answer["results"]] == ["It is gone"]
    (note,) = answer["notes"]
    assert note == f"'gate' names other notes too: {ids[1]}, {ids[0]}; recall them by id"
    assert recall_note(engine, kind, ids[0], 5)["notes"] == []


def test_what_is_said_where_nothing_is_recalled(engine: Engine) -> None:
    assert recall_note(engine, "insight", "x", 5) == {
        "results": [],
        "message": "No insights yet.",
        "notes": [],
    }
    assert recall_note(engine, "stash", "x", 5) == {
        "results": [],
        "message": "No stashes yet.",
        "notes": [],
    }
    engine.notes.add("insight", {"content": "Mail leaves through the queue"})
    nothing = recall_note(engine, "insight", "zzqq", 5)
    assert nothing == {"results": [], "message": "No keyed insights.", "notes": []}
    for n in range(6):
        engine.notes.add("insight", {"key": f"k{n}", "content": "Mail leaves"})
        engine.notes.add("stash", {"name": f"s{n}", "summary": "Mail leaves"})
    assert recall_note(engine, "insight", "zzqq", 5)["message"] == (
        "No insights found matching 'zzqq'. Recent keys: k5, k4, k3, k2, k1"
    )
    assert recall_note(engine, "stash", "zzqq", 5)["message"] == (
        "No stashes found matching 'zzqq'. Recent names: s5, s4, s3, s2, s1"
    )


def test_a_plain_query_answers_with_code_alone(notes: Engine) -> None:
    assert {hit.source for hit in notes.search(Query("mail the receipt")).hits} == {"code"}


def test_exact_types_and_a_union(notes: Engine) -> None:
    both = notes.search(Query("mail price token", types=("note,decision",)))
    assert {hit.node.kind for hit in both.hits} == {"note", "decision"}
    assert {hit.source for hit in both.hits} == {"notes"}
    mixed = notes.search(Query("mail", types=("code", "note")))
    assert {hit.source for hit in mixed.hits} == {"code", "notes"}
    assert [hit.score for hit in mixed.hits] == sorted(
        (hit.score for hit in mixed.hits), reverse=True
    )


def test_equal_requests_have_equal_answers(notes: Engine) -> None:
    types, budget = ("code", "note", "decision", "stash"), Budget(time_ms=60_000)
    query = Query("mail price token", types=types, budget=budget)
    answers = [[(h.node, h.score) for h in notes.search(query).hits] for _ in range(5)]
    assert all(answer == answers[0] for answer in answers)


def test_a_filter_is_no_word_that_matches(engine: Engine) -> None:
    engine.notes.add("insight", {"content": "A note on mail"})
    [hit] = engine.search(Query("type:note,decision mail")).hits
    assert "has mail" in hit.explanation().reasons


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "symbol", "dense"])
def test_every_mode_answers(notes: Engine, mode: str) -> None:
    assert "queue" in titles(notes, "queue", types=("note",), mode=mode)


def test_filters_without_words_list_the_newest_first(notes: Engine) -> None:
    assert titles(notes, "type:note,stash since:2020-01-01") == [
        "queue", "csv-export", "auth-flow", "jwt-validation",
    ]  # fmt: skip
    assert titles(notes, "type:note before:2020-01-01") == []


def test_of_one_moment_what_was_written_last_comes_first(engine: Engine) -> None:
    first = engine.notes.add("insight", {"key": "k0", "content": "Mail leaves"})
    notes = [replace(first, id=f"{n * 7 % 12:02}", fields={**first.fields, "key": f"k{n}"})
             for n in range(1, 12)]  # fmt: skip
    engine.notes.notebook.get(first.id)
    for note in notes:
        engine.notes.notebook.store.put(note)
    newest_first = [f"k{n}" for n in reversed(range(12))]
    assert [note.name for note in engine.notes.notebook.all()] == newest_first
    assert titles(engine, "type:note since:2020-01-01", limit=12) == newest_first
    folder = engine.notes.notebook.store.path.parent
    shared = engine.notes.notebook.shared
    reopened = Notebook(NoteStore(folder), shared, engine.notes.team, engine.notes.view)
    assert [note.name for note in reopened.all()] == newest_first
    assert [note.name for note in reopened.store.all()] == newest_first[::-1]
    reopened.store.close()


def test_notes_work_without_an_encoder_and_say_so(tmp_path: Path, root: Path) -> None:
    engine = Engine.open(root, settings_from({"encoder.path": str(tmp_path / "missing")}))
    assert engine.settled(30)
    engine.notes.add("stash", STASH)
    engine.notes.add("insight", INSIGHT)
    answer = recall_note(engine, "stash", "authentication", 5)
    assert [row["name"] for row in answer["results"]] == ["auth-flow"]
    assert "semantic search unavailable: exact key or words only" in answer["notes"]
    assert recall_note(engine, "insight", "jwt-validation", 5)["match_type"] == "exact"
    engine.close()


def test_a_note_that_expires_is_found_no_more(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = time.time() + 3_600
    engine.notes.add("stash", {**STASH, "expires_at": later})
    assert titles(engine, "authentication", types=("stash",)) == ["auth-flow"]
    monkeypatch.setattr("time.time", lambda: later + 1)
    assert titles(engine, "authentication", types=("stash",)) == []
    assert recall_note(engine, "stash", "auth-flow", 5)["message"] == "No stashes yet."


def test_two_workspaces_never_see_each_others_notes(tmp_path: Path, notes: Engine) -> None:
    write_files(tmp_path / "project2", {"a.py": "def f(): pass\n"})
    other = Engine.open(tmp_path / "project2")
    assert other.settled(30)
    assert other.notes.notebook.all() == []
    other.notes.add("insight", {"key": "jwt-validation", "content": "Elsewhere"})
    assert (
        recall_note(other, "insight", "jwt-validation", 5)["results"][0]["content"] == "Elsewhere"
    )
    mine = recall_note(notes, "insight", "jwt-validation", 5)["results"]
    assert [row["content"] for row in mine] == [INSIGHT["content"]]
    assert titles(other, "JWT tokens", types=("stash", "note")) == ["jwt-validation"]
    other.close()


def test_create_change_and_delete(engine: Engine) -> None:
    stash = memory(engine, "add", {"type": "stash", **STASH, "tags": ["auth"]})
    changes = {"name": "auth", "summary": "s", "files": ["a.py"], "metadata": {"n": 1}}
    changed = memory(engine, "change", {"id": stash["id"], **changes})
    assert {key: changed[key] for key in changes} == changes
    insight = memory(engine, "add", {"type": "insight", **INSIGHT})
    assert memory(engine, "change", {"id": insight["id"], "content": "new"})["content"] == "new"
    with pytest.raises(SettingsError, match="'name' of this insight cannot be changed"):
        memory(engine, "change", {"id": insight["id"], "name": "other"})
    decision = memory(engine, "add", {"type": "decision", "topic": "t", "decision": "d"})
    with pytest.raises(SettingsError, match="a decision cannot be changed, only deleted"):
        memory(engine, "change", {"id": decision["id"], "content": "other"})
    for row in (stash, insight, decision):
        assert memory(engine, "forget", {"id": row["id"]}) == {"status": "deleted"}
        assert memory(engine, "forget", {"id": row["id"]}) == {"status": "not_found"}
        assert memory(engine, "show", {"id": row["id"]}) == {"status": "not_found"}
    assert memory(engine, "list", {}) == {"notes": [], "problems": []}


BAD_FIELDS = [
    ({"type": "stash", "name": "", "summary": "s"}, "'name' is empty"),
    ({"type": "stash", "name": "n" * 256, "summary": "s"}, "at most 255"),
    ({"type": "stash", "name": "n"}, "'summary' is empty"),
    ({"type": "insight", "key": "k"}, "'content' is empty"),
    ({"type": "decision", "decision": "d"}, "'topic' is empty"),
    ({"type": "stash", "name": "n", "summary": "s", "files": 3}, "'files' contains 3"),
    (
        {"type": "stash", **STASH, "expires_at": "soon"},
        "'expires_at' is 'soon'; must be a time",
    ),
    ({"type": "stash", **STASH, "metadata": [1]}, "'metadata' is \\[1\\]; must be an object"),
    ({"type": "memo", "content": "c"}, "'type' is 'memo'; expected one of: insight, decision"),
    ({"type": "insight", **INSIGHT, "code": ["no.py#f"]}, "'no.py' is not an indexed file"),
    ({"type": "insight", **INSIGHT, "code": ["shop/mail.py"]}, "names a file; add #NAME"),
    ({"type": "insight", **INSIGHT, "code": 3}, "'code' contains 3; expected a string"),
]


def test_bad_fields_are_refused_with_the_remedy(engine: Engine) -> None:
    for values, problem in BAD_FIELDS:
        with pytest.raises(SettingsError, match=problem):
            memory(engine, "add", values)
    assert engine.notes.notebook.all() == []


def test_secrets_do_not_leave(engine: Engine) -> None:
    secret = "ghp_" + "x7Kq9TzL2mVb4NcR8wYpD1sF6hJ3gA0eUiOk"
    values = {"key": f"k {secret}", "content": f"use {secret} here", "author": secret}
    note = engine.notes.add("insight", values)
    answers = [
        memory(engine, "list", {}),
        memory(engine, "show", {"id": note.id}),
        memory(engine, "search", {"query": "use"}),
        recall_note(engine, "insight", f"k {secret}", 5),
        results_json(engine, engine.search(Query("use", types=("note",)))),
    ]
    assert all(secret not in str(answer) for answer in answers)
    assert all("REDACTED" in str(answer) for answer in answers)


def test_a_source_that_is_off_reads_nothing(root: Path, data: Path) -> None:
    engine = Engine.open(root, settings_from({"sources.notes.enabled": False}))
    assert engine.settled(30)
    engine.search(Query("mail"))
    results = engine.search(Query("mail", types=("note",)))
    assert results.hits == ()
    assert "'notes' is switched off: set sources.notes.enabled to true" in results.notes
    assert not data.exists()
    engine.close()


def test_a_search_makes_no_file(engine: Engine, data: Path) -> None:
    engine.search(Query("mail"))
    engine.search(Query("mail", types=("note",)))
    assert not data.exists()
