"""No way out of notes has a secret that packs take out: the same list, and every answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.lsp.hover_text import notes_text
from packhound.memory import NoteStore
from packhound.pack.request import FORMATS, PackRequest
from packhound.service import Engine, notes_folder
from tests.redact.test_redact import SECRETS
from tests.support.operations import as_text, call, memory, recall_note, results_json

LINES = [line for line in SECRETS.splitlines() if line.strip()]
VALUE = re.compile(r"hT7[#\w]{8,}|s3cr3tPw9|hunter22x|9c3ced6fed60d2\w*|8f14e45f\w{20,}|glpat-\w+")
CODE = ["shop/mail.py#send_receipt"]


@pytest.fixture
def notes(root: Path, cache: Path) -> Iterator[Engine]:
    engine = Engine.open(root, settings_from({"sources.episodes.enabled": True}))
    assert engine.settled(60)
    for number, line in enumerate(LINES):
        text = {"metadata": {"note": [line]}, "tags": ["t"], "code": CODE}
        memory(engine, "add", {"type": "insight", "key": f"mail {number}", "content": line, **text})
        memory(
            engine,
            "add",
            {"type": "decision", "topic": line, "decision": "mail", "reasoning": line},
        )
        memory(engine, "add", {"type": "stash", "name": f"{number} {line}"[:255], "summary": line})
    yield engine
    engine.close()


def answers(engine: Engine) -> Iterator[object]:
    """Yield what each front end is given, as JSON and as text."""
    listed = memory(engine, "list", {})
    yield listed
    yield memory(engine, "search", {"query": "mail", "limit": 100})
    for row in listed["notes"]:  # type: ignore[attr-defined]
        yield memory(engine, "show", {"id": row["id"]})
    for number in range(len(LINES)):
        recalled = recall_note(engine, "insight", f"mail {number}", 5)
        yield recalled
        yield as_text("recall", recalled)
    yield recall_note(engine, "stash", "zzqq", 5)
    for kind in ("note", "decision", "stash"):
        results = engine.search(Query("mail", limit=100, types=(kind,)))
        yield results_json(engine, results)
        page = call(engine, "search", {"query": f"type:{kind} mail", "limit": 50})
        yield page
        yield as_text("search", page)
        for hit in page["hits"][:10]:
            yield as_text("read_node", call(engine, "read_node", {"path": hit["ref"]}))
    marked = engine.search(Query("send_receipt"))
    assert marked.hits[0].notes
    yield results_json(engine, marked)
    marks = engine.notes.on(marked.hits[0].node)
    yield [notes_text([mark], markdown=markdown) for mark in marks for markdown in (True, False)]
    for form in FORMATS:
        yield engine.pack(PackRequest("mail the receipt", budget=4_000, format=form)).text


def test_no_answer_has_a_secret_that_packs_take_out(notes: Engine) -> None:
    written = json.dumps([line for line in LINES if VALUE.search(line)])
    assert len(VALUE.findall(written)) >= 15, "the list has the values that are looked for"
    for answer in answers(notes):
        text = answer if isinstance(answer, str) else json.dumps(answer, default=str)
        assert not VALUE.search(text), VALUE.search(text)


def test_the_store_and_an_export_have_notes_whole(notes: Engine) -> None:
    whole = {note.fields.get("content") for note in NoteStore(notes_folder(notes.root)).all()}
    assert set(LINES) <= whole
