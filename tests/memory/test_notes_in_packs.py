"""Packs carry the notes on their code: fresh ones first, stale ones marked, within the budget."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Document
from packhound.llm import counter_for
from packhound.pack.request import FORMATS, PackRequest
from packhound.service import Engine
from tests.support.operations import memory

PROMPT = "mail the receipt of an order"


def note(engine: Engine, content: str, code: str = "shop/mail.py#send_receipt") -> None:
    values = {"type": "insight", "key": "k", "content": content, "code": [code], "author": "ann"}
    memory(engine, "add", values)


@pytest.mark.parametrize("form", FORMATS)
def test_a_pack_has_the_notes_on_its_code(engine: Engine, form: str) -> None:
    request = PackRequest(PROMPT, budget=900, format=form)  # type: ignore[arg-type]
    without = engine.pack(request)
    note(engine, "The broker drops mails beyond ```a megabyte</code>")
    note(engine, "Prices are integers", "web/router.ts#matchRoute")
    packed = engine.pack(request)
    assert "note on shop/mail.py#send_receipt (ann, 20" in packed.text
    assert packed.text.count("The broker drops mails") == 1
    assert packed.tokens == counter_for("").count(packed.text) <= 900
    assert "The broker" not in without.text
    if form == "json":
        assert len(json.loads(packed.text)["notes"]) >= 1


def test_stale_notes_are_marked_and_come_last(engine: Engine, root: Path) -> None:
    note(engine, "Old words")
    text = (root / "shop/mail.py").read_text().replace("connect()", "reconnect()")
    engine.update(Document("shop/mail.py", text.encode()))
    assert engine.settled(30)
    note(engine, "New words")
    text = engine.pack(PackRequest(PROMPT, budget=900)).text
    assert text.index("note on shop/mail.py") < text.index("note [stale] on shop/mail.py")


@pytest.mark.parametrize("budget", [60, 120, 200, 400])
def test_the_budget_holds(engine: Engine, budget: int) -> None:
    for n in range(20):
        note(engine, f"{n} words about mail and the broker " * 10)
    packed = engine.pack(PackRequest(PROMPT, budget=budget))
    assert packed.tokens == counter_for("").count(packed.text) <= budget


def test_the_setting_leaves_them_out(root: Path) -> None:
    engine = Engine.open(root, settings_from({"pack.sources": ()}))
    assert engine.settled(30)
    before = engine.pack(PackRequest(PROMPT, budget=900))
    note(engine, "words")
    assert engine.pack(PackRequest(PROMPT, budget=900)).text == before.text
    engine.close()
