"""Knowledge through the engine: logs by phase, memory files of agents, folders outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from packhound.core.records import iso_date
from packhound.core.settings_reader import settings_from
from packhound.core.types import Hit, Query
from packhound.service import Engine
from tests.support.operations import results_json
from tests.support.project import write_files

OAUTH = """# Conversation: OAuth implementation
Date: 2024-01-01
Query: How do we let users sign in with OAuth?

## Phase 1: Assessment
Users want to sign in with the account that they have.

## Phase 3: Implementation
Setup steps for OAuth:

1. register the client
2. add `callback_url`

## Phas 4: Oops
- still phase 3

## Phase 9: Response
It works.
"""
CODE = "def authenticate(user):\n    '''Run the authentication flow.'''\n    return check(user)\n"


def hits(engine: Engine, text: str, *types: str) -> list[Hit]:
    return [*engine.search(Query(text, types=types)).hits]


def metadata(hit: Hit) -> dict[str, object]:
    assert hit.record is not None
    return dict(hit.record.metadata)


@pytest.fixture
def open_over(root: Path, cache: Path, tmp_path: Path) -> Iterator[Callable[..., Engine]]:
    """Open the project with folders of knowledge."""
    engines: list[Engine] = []

    def open_engine(*folders: Path, enabled: bool = True) -> Engine:
        names = tuple(map(str, folders))
        values = {"knowledge.folders": names, "sources.knowledge.enabled": enabled}
        engines.append(Engine.open(root, settings_from(values)))
        assert engines[-1].settled(60)
        return engines[-1]

    yield open_engine
    for engine in engines:
        engine.close()


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    write_files(tmp_path / "logs", {"oauth-impl-2025-12-15.md": OAUTH})
    return tmp_path / "logs"


def test_one_node_per_phase_with_its_metadata(open_over: Callable[..., Engine], logs: Path) -> None:
    answers = hits(open_over(logs), "oauth setup steps", "knowledge")
    first = answers[0].record
    assert first is not None
    assert first.id == "conv-oauth-impl-2025-12-15-phase3"
    assert first.text.startswith("Setup steps for OAuth:\n\n1. register")
    assert first.text.endswith("## Phas 4: Oops\n- still phase 3")
    assert iso_date(first.date) == "2025-12-15", "the day of the file name counts first"
    assert {**first.metadata} == {
        "source_file": "oauth-impl-2025-12-15.md",
        "phase_number": 3,
        "phase_name": "Implementation",
        "conversation_date": "2025-12-15",
        "query": "How do we let users sign in with OAuth?",
    }
    assert [metadata(hit)["phase_number"] for hit in answers].count(3) == 1
    assert {hit.source for hit in answers} == {"knowledge"}


def test_code_and_knowledge_answer_together(
    open_over: Callable[..., Engine], root: Path, logs: Path
) -> None:
    write_files(root, {"auth.py": CODE})
    write_files(logs, {"auth-2025-12-01.md": "The authentication flow has three steps.\n"})
    answers = hits(open_over(logs), "authentication flow", "code", "knowledge")
    assert {hit.source for hit in answers[:2]} == {"code", "knowledge"}
    alone = hits(open_over(logs), "authentication flow")
    assert {hit.source for hit in alone} == {"code"}


def test_a_log_of_no_day_is_named(open_over: Callable[..., Engine], root: Path) -> None:
    logs = {"logs/cart-2025-02-30.md": OAUTH, "logs/till-2025-02-30.md": "The till was shut.\n"}
    write_files(root, logs)
    results = open_over().search(Query("till oauth", types=("knowledge",)))
    assert {hit.node.path for hit in results.hits} == {"logs/cart-2025-02-30.md"}
    problem = "'2025-02-30' is no day, so that it is no log; rename it"
    assert f"knowledge: 'logs/till-2025-02-30.md' cannot be read: {problem}" in results.notes


def test_a_log_without_phases_is_one_node_named_after_its_file(
    open_over: Callable[..., Engine], logs: Path
) -> None:
    write_files(logs, {"cache-bug-2025-11-30.md": "The cache was never cleared.\n", "empty.md": ""})
    [hit] = [h for h in hits(open_over(logs), "cache bug", "knowledge") if "cache" in h.node.name]
    assert hit.record is not None
    assert (hit.record.id, hit.node.name) == ("conv-cache-bug-2025-11-30", "cache bug")
    assert iso_date(hit.record.date) == "2025-11-30"


def test_the_date_is_the_fields_where_the_name_has_none(
    open_over: Callable[..., Engine], logs: Path
) -> None:
    write_files(logs, {"plain.md": OAUTH.replace("OAuth", "SAML")})
    [hit, *_] = hits(open_over(logs), "SAML setup steps", "knowledge")
    assert metadata(hit)["conversation_date"] == "2024-01-01"


def test_memory_files_of_agents_are_knowledge(engine: Engine, root: Path) -> None:
    files = ["AGENTS.md", "sub/CLAUDE.md", "MEMORY.md", ".serena/memories/style.md"]
    files += [".cursor/rules/style.mdc", "skills/pdf/SKILL.md"]
    text = "# Rules\n\n## Tabs\nIndent with tabs.\n"
    write_files(root, dict.fromkeys([*files, "docs/other.md"], text))
    engine.refresh()
    assert engine.settled(60)
    answers = hits(engine, "indent with tabs", "knowledge")
    assert {hit.node.path for hit in answers} == set(files)
    assert {hit.node.span.start_line for hit in answers if "Tabs" in hit.node.name} == {2}


def test_an_edit_that_is_not_saved_counts(engine: Engine, root: Path) -> None:
    from packhound.core.types import Document

    engine.update(Document("AGENTS.md", b"# Rules\nNever deploy on Fridays.\n"))
    assert hits(engine, "deploy on Fridays", "knowledge")[0].node.name == "AGENTS.md > Rules"


def test_a_missing_folder_is_named_and_the_others_answer(
    open_over: Callable[..., Engine], logs: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    results = open_over(tmp_path / "gone", empty, logs).search(
        Query("oauth setup", types=("knowledge",))
    )
    assert results.hits
    [missing, nothing] = [note for note in results.notes if "folder" in note]
    assert str(tmp_path / "gone") in missing
    assert str(empty) in nothing


def test_a_file_that_cannot_be_read_stops_nothing(
    open_over: Callable[..., Engine], logs: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("outside of the folder\n")
    (logs / "link.md").symlink_to(secret)
    (logs / "bytes-2025-01-01.md").write_bytes(b"\xff\xfe\x00broken \x80\n")
    answers = hits(open_over(logs), "oauth setup outside folder", "knowledge")
    assert answers[0].node.name == "OAuth implementation: Implementation"
    assert not [hit for hit in answers if "link" in hit.node.path]


def test_a_file_that_is_too_large_is_named(open_over: Callable[..., Engine], logs: Path) -> None:
    with (logs / "huge.md").open("wb") as file:
        file.truncate(300 << 20)
    results = open_over(logs).search(Query("oauth setup", types=("knowledge",)))
    assert len(results.hits) == 3
    problem = f"knowledge: '{logs / 'huge.md'}' has 300 MB; must have at most 256: split it"
    assert problem in results.notes


def test_a_new_log_is_found_without_a_restart(
    open_over: Callable[..., Engine], logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("packhound.knowledge.text_files._SCAN_S", 0.0)
    engine = open_over(logs)
    assert hits(engine, "zebra", "knowledge") == [] or "zebra" not in str(hits(engine, "zebra"))
    write_files(logs, {"zebra-2025-02-02.md": "A zebra crossed.\n"})
    assert hits(engine, "zebra", "knowledge")[0].node.name == "zebra"


def test_two_logs_of_one_name_are_both_kept(open_over: Callable[..., Engine], logs: Path) -> None:
    write_files(logs / "old", {"oauth-impl-2025-12-15.md": OAUTH})
    paths = [h.node.path for h in hits(open_over(logs), "oauth setup steps", "knowledge")]
    assert len({path for path in paths if path.endswith("oauth-impl-2025-12-15.md")}) == 2


def test_switched_off_it_says_how_to_switch_it_on(
    open_over: Callable[..., Engine], logs: Path
) -> None:
    results = open_over(logs, enabled=False).search(Query("oauth", types=("knowledge",)))
    assert not results.hits
    assert "'knowledge' is switched off: set sources.knowledge.enabled to true" in results.notes


def test_secrets_of_headings_and_questions_do_not_leave(
    open_over: Callable[..., Engine], root: Path
) -> None:
    secret = "ghp_" + "x7Kq9TzL2mVb4NcR8wYpD1sF6hJ3gA0eUiOk"
    phase = f"## Phase 1: Look at {secret}\nzebra {secret}\n"
    log = f"# Conversation: Sign in {secret}\nQuery: Why is {secret} refused?\n{phase}"
    write_files(root, {"a-2025-01-02.md": log, "AGENTS.md": f"# Use {secret}\nzebra {secret}\n"})
    engine = open_over()
    answer = results_json(engine, engine.search(Query("zebra", types=("knowledge",))))
    assert len(answer["hits"]) == 2
    assert secret not in str(answer)


def test_path_filters_hold_for_records_and_filters_of_code_leave_them_out(engine: Engine) -> None:
    write_files(engine.root, {"docs/MEMORY.md": "# Penguins\n\nPenguins swim.\n"})
    write_files(engine.root, {"AGENTS.md": "# Birds\n\nPenguins are birds.\n", "bird.py": CODE})
    engine.refresh()
    assert engine.settled(30)

    def asked(text: str, *types: str) -> tuple[set[str], list[str]]:
        results = engine.search(Query(f"penguins {text}", types=types))
        left_out = [n for n in results.notes if "without" in n or "leaves out" in n]
        return {hit.node.path for hit in results.hits}, left_out

    assert asked("", "knowledge")[0] == {"docs/MEMORY.md", "AGENTS.md"}
    assert asked("path:docs/**", "knowledge") == ({"docs/MEMORY.md"}, [])
    assert asked("-path:docs", "knowledge") == ({"AGENTS.md"}, [])
    assert asked("path:zebras/**", "knowledge") == (set(), [])
    for name in ("lang:go", "kind:class", "tests:only"):
        note = f"{name if 'tests' in name else name.partition(':')[0] + ':'} is of code"
        assert asked(name, "knowledge") == (set(), [f"{note}: without knowledge"])
    assert asked("tests:no -kind:class", "knowledge")[0] == {"docs/MEMORY.md", "AGENTS.md"}
    paths, said = asked("path:*.md", "note", "knowledge")
    assert paths == {"docs/MEMORY.md", "AGENTS.md"}
    assert said == ["path: leaves out what has no path: notes"]
    assert "bird.py" in asked("authenticate lang:python", "code", "knowledge")[0]
