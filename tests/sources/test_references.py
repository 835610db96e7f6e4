"""The reference of every hit, of whatever source, can be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.service import Engine
from tests.memory.conftest import data
from tests.support.git_repository import git
from tests.support.operations import as_text, call
from tests.support.project import cache, root, write_files

__all__ = ["cache", "data", "root"]
LOG = "# Conversation: Keys\n\n## Phase 1: Ask\nWhich way?\n\n## Phase 2: Answer\n- Left.\n"


@pytest.fixture
def engine(root: Path, tmp_path: Path, data: Path) -> Iterator[Engine]:
    """An engine with records of every source, and a folder of knowledge outside."""
    git(root, "init")
    git(root, "add", "-A")
    git(root, "commit", "-m", "Sell things\n\nWe need a shop.")
    write_files(tmp_path / "logs", {"keys-2025-01-02.md": LOG})
    folders = (str(tmp_path / "logs"),)
    engine = Engine.open(
        root, settings_from({"sources.commits.enabled": True, "knowledge.folders": folders})
    )
    assert engine.settled(60)
    engine.notes.add("insight", {"key": "mail", "content": "one\n\ntwo"}, [("shop/mail.py", 0)])
    engine.notes.add("decision", {"topic": "prices", "decision": "integers"})
    engine.notes.add("stash", {"name": "cart", "summary": "half done"})
    call(engine, "record_skill", {"name": "sell", "steps": ["smile"]})
    yield engine
    engine.close()


@pytest.mark.parametrize("kind", ["note", "decision", "stash", "skill", "commit", "knowledge"])
def test_what_a_search_names_can_be_read(engine: Engine, kind: str) -> None:
    hits = call(engine, "search", {"query": f"type:{kind}"})["hits"]
    assert hits
    for hit in hits:
        answer = call(engine, "read_node", {"path": hit["ref"]})
        assert (answer["ref"], answer["kind"]) == (hit["ref"], kind)
        assert answer["text"] == hit["text"]
        head, *lines = as_text("read_node", answer).splitlines()
        assert head.startswith(f"{kind} {hit['title']} (")
        assert all(line.startswith(("  | ", "on ")) for line in lines)


def test_a_note_comes_with_its_code_and_page_by_page(engine: Engine) -> None:
    [hit] = engine.search(Query("", types=("note",))).hits
    assert hit.record is not None
    reference = hit.record.reference
    page = call(engine, "read_node", {"path": reference, "limit": 2})
    assert (page["text"], page["next_offset"]) == ("one\n", 2)
    assert as_text("read_node", page).splitlines()[1] == "on shop/mail.py#send_receipt"
    assert call(engine, "read_node", {"path": reference, "offset": 2})["text"] == "two"


def test_a_commit_has_its_short_name_too(engine: Engine) -> None:
    [hit] = call(engine, "search", {"query": "type:commit"})["hits"]
    short = hit["ref"][: len("commit:") + 7]
    assert call(engine, "read_node", {"path": short})["ref"] == hit["ref"]


def test_insights_are_notes(engine: Engine) -> None:
    for query in ({"query": "type:insight"}, {"query": "", "types": ["insight"]}):
        assert [hit["kind"] for hit in call(engine, "search", query)["hits"]] == ["note"]


def test_what_is_not_there_or_off_is_named(engine: Engine) -> None:
    with pytest.raises(SettingsError, match="there is no note 'nope'; search with type:note"):
        call(engine, "read_node", {"path": "note:nope"})
    engine.configure(Settings())
    with pytest.raises(SettingsError, match="'commits' is switched off"):
        call(engine, "read_node", {"path": "commit:" + "a" * 40})
