"""Episodes: recorded where they are on, bounded, without secrets, found, and named in packs."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.knowledge.episodes import MAX_BYTES, MAX_EPISODES, EpisodeLog, new_episode
from packhound.pack import PackRequest
from packhound.service import Engine, clear_index
from tests.support.operations import as_text, call, memory
from tests.support.project import MAIL, write_files

SECRET = "ghp_" + "x7Kq9TzL2mVb4NcR8wYpD1sF6hJ3gA0eUiOk"
PROMPT = "Why does the receipt not reach the customer?"


@pytest.fixture
def recorded(root: Path, cache: Path, tmp_path: Path) -> Iterator[Engine]:
    """An engine that records, and reads the sessions of agents in `logs`."""
    settings = settings_from(
        {
            "sources.episodes.enabled": True,
            "episodes.sessionLogs": (str(tmp_path / "logs"),),
            "pack.sources": ("notes", "episodes"),
        }
    )
    (tmp_path / "logs").mkdir()
    engine = Engine.open(root, settings)
    assert engine.settled(60)
    yield engine
    engine.close()


def titles(engine: Engine, text: str = "") -> list[str]:
    return [hit.node.name for hit in engine.search(Query(text, types=("episode",))).hits]


def test_off_by_default_and_nothing_is_written(engine: Engine, data: Path) -> None:
    call(engine, "search", {"query": "send receipt"})
    engine.pack(PackRequest(PROMPT))
    results = engine.search(Query("receipt", types=("episode",)))
    assert "'episodes' is switched off: set sources.episodes.enabled to true" in results.notes
    assert not data.exists()


def test_searches_of_agents_and_packs_are_found_by_meaning(recorded: Engine) -> None:
    call(recorded, "search", {"query": "matching of routes"})
    recorded.pack(PackRequest(PROMPT, conversation="c1"))
    assert titles(recorded) == [f"pack: {PROMPT}", "query: matching of routes"]
    [hit, *_] = recorded.search(Query("mail to buyers is missing", types=("episode",))).hits
    assert hit.record is not None
    assert hit.record.title == f"pack: {PROMPT}"
    assert hit.record.metadata["conversation"] == "c1"
    assert "shop/mail.py" in str(hit.record.metadata["references"])
    answer = call(recorded, "read_node", {"path": hit.record.reference})
    assert as_text("read_node", answer).startswith(f"episode pack: {PROMPT} (")


def test_a_plain_query_answers_with_code_alone(recorded: Engine) -> None:
    recorded.pack(PackRequest(PROMPT))
    assert {hit.source for hit in recorded.search(Query(PROMPT)).hits} == {"code"}


def test_a_pack_is_accepted_once_its_code_is_edited_and_later_packs_say_so(
    recorded: Engine,
) -> None:
    first = recorded.pack(PackRequest(PROMPT))
    assert not [note for note in first.notes if "packed before" in note]
    recorded.update(MAIL)
    recorded.update(replace(MAIL, source=MAIL.source + b"\n# edited\n"))
    assert recorded.settled(30)
    recorded.sources.episodes.record_save(MAIL.path)
    edit, episode = recorded.sources.episodes.log.read()
    assert (episode.kind, episode.result) == ("pack", "accepted")
    assert (edit.kind, edit.text, edit.result) == ("edit", PROMPT, "accepted")
    assert edit.references == (MAIL.path,)
    later = recorded.pack(PackRequest("Why does no receipt reach the customer?"))
    [note] = [note for note in later.notes if "packed before" in note]
    assert note.startswith(f"packed before for '{PROMPT}' on 20")
    assert note.endswith(", accepted")


def log_of(engine: Engine) -> list[tuple[str, str, str]]:
    return [(e.kind, e.text, e.result) for e in engine.sources.episodes.log.read()][::-1]


def edit_mail(engine: Engine) -> None:
    """Open the file, edit it and save it, as an editor does."""
    engine.update(MAIL)
    engine.update(replace(MAIL, source=MAIL.source + b"\n# edited\n"))
    engine.sources.episodes.record_save(MAIL.path)


def test_a_save_without_an_edit_and_an_edit_that_nothing_named_are_no_episodes(
    recorded: Engine,
) -> None:
    edit_mail(recorded)
    recorded.pack(PackRequest(PROMPT))
    recorded.sources.episodes.record_save(MAIL.path)
    assert log_of(recorded) == [("pack", PROMPT, "")]


def test_a_search_of_an_agent_is_accepted_by_an_edit_of_its_hit(recorded: Engine) -> None:
    call(recorded, "search", {"query": "send_receipt"})
    edit_mail(recorded)
    assert log_of(recorded) == [
        ("query", "send_receipt", "accepted"),
        ("edit", "send_receipt", "accepted"),
    ]


def test_a_hit_that_is_left_at_once_for_another_is_rejected(recorded: Engine) -> None:
    episodes = recorded.sources.episodes
    episodes.record_pick("mail", "shop/cart.py", "Cart", 1)
    episodes.record_pick("mail", "shop/mail.py", "send_receipt", 2)
    episodes.record_pick("route", "web/router.ts", "matchRoute", 1)
    assert sorted(log_of(recorded)) == [
        ("pick", "mail", "picked rank 2"),
        ("pick", "mail", "rejected"),
        ("pick", "route", "picked rank 1"),
    ]


def test_a_hit_that_was_edited_is_not_rejected_by_the_next(recorded: Engine) -> None:
    recorded.update(MAIL)
    recorded.sources.episodes.record_pick("mail", MAIL.path, "send_receipt", 1)
    recorded.update(replace(MAIL, source=MAIL.source + b"\n# edited\n"))
    recorded.sources.episodes.record_pick("mail", "shop/cart.py", "Cart", 2)
    assert {result for _, _, result in log_of(recorded)} == {"picked rank 1", "picked rank 2"}


def test_a_decision_that_is_written_down_is_an_episode(recorded: Engine) -> None:
    arguments = {"topic": "mail", "decision": "queue", "code": ["shop/mail.py#send_receipt"]}
    call(recorded, "decide", arguments)
    call(recorded, "remember", {"content": "no episode"})
    assert log_of(recorded) == [("decision", "mail: queue", "")]
    [episode] = recorded.sources.episodes.log.read()
    assert episode.references == ("shop/mail.py#send_receipt",)


def test_a_client_says_what_was_run_and_what_was_of_no_use(recorded: Engine) -> None:
    recorded.pack(PackRequest(PROMPT))
    rejected = {"kind": "pack", "text": PROMPT, "result": "rejected"}
    answer = call(recorded, "record_episode", rejected)
    assert as_text("record_episode", answer).startswith("recorded pack ")
    run = {"kind": "run", "text": f"pytest -k mail {SECRET}", "result": "accepted"}
    call(recorded, "record_episode", {**run, "code": ["shop/mail.py#send_receipt"]})
    pack, test = log_of(recorded)
    assert pack == ("pack", PROMPT, "rejected")
    assert (test[0], test[2]) == ("run", "accepted") and SECRET not in test[1]
    later = recorded.pack(PackRequest("Why does no receipt reach the customer?"))
    [note] = [note for note in later.notes if "packed before" in note]
    assert note.endswith(", rejected")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"kind": "walk", "text": "x"}, "expected one of: query, pack, pick, edit, run, decision"),
        ({"kind": "run", "text": "x", "result": "good"}, "'result' is 'good'"),
        ({"kind": "run", "text": ""}, "'text'"),
    ],
)
def test_a_bad_episode_is_refused(
    recorded: Engine, arguments: dict[str, object], problem: str
) -> None:
    with pytest.raises(SettingsError, match=problem):
        memory(recorded, "episode", arguments)
    assert log_of(recorded) == []


def test_no_episode_is_taken_where_they_are_off(engine: Engine) -> None:
    with pytest.raises(SettingsError, match=r"set sources\.episodes\.enabled to true"):
        call(engine, "record_episode", {"kind": "run", "text": "pytest"})


def test_no_secret_is_written_and_only_the_owner_may_read(recorded: Engine) -> None:
    recorded.pack(PackRequest(f"Why is {SECRET} refused?", conversation=SECRET))
    path = recorded.sources.episodes.log._path
    assert SECRET not in path.read_text("utf-8")
    assert "REDACTED" in path.read_text("utf-8")
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("text", "count"), [("short", MAX_EPISODES), ("x" * 4_000, MAX_BYTES // 4_000)]
)
def test_the_oldest_go_first(tmp_path: Path, text: str, count: int) -> None:
    path = tmp_path / "episodes.jsonl"
    row = {**asdict(new_episode("query", text)), "references": []}
    lines = (json.dumps({**row, "id": str(n), "time": n}) + "\n" for n in range(count + 50))
    path.write_text("".join(lines))
    path.chmod(0o600)
    log = EpisodeLog(path)
    log.append(new_episode("query", "newest"))
    episodes = log.read()
    assert len(episodes) <= MAX_EPISODES and path.stat().st_size <= MAX_BYTES
    assert len(episodes) > 0.7 * min(count, MAX_EPISODES)
    assert episodes[0].text == "newest"
    assert episodes[-1].id != "0"


def test_the_bound_holds_whoever_writes(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    row = {**asdict(new_episode("query", "text")), "references": []}
    lines = (json.dumps({**row, "id": str(n)}) + "\n" for n in range(MAX_EPISODES - 2))
    path.write_text("".join(lines))
    path.chmod(0o600)
    first, second = EpisodeLog(path), EpisodeLog(path)
    for log, text in [(first, "a"), (second, "b")]:
        log.append(new_episode("query", text))
        assert path.read_bytes().count(b"\n") <= MAX_EPISODES
    first.append(new_episode("query", "c"))
    assert path.read_bytes().count(b"\n") < MAX_EPISODES, "the oldest went"
    assert [episode.text for episode in first.read()[:3]] == ["c", "b", "a"]


def test_two_processes_append_at_once_and_a_cut_line_spoils_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "episodes.jsonl"
    code = (
        "import sys, pathlib\nfrom packhound.knowledge import EpisodeLog, new_episode\n"
        "log = EpisodeLog(pathlib.Path(sys.argv[1]))\n"
        "for n in range(50): log.append(new_episode('query', f'{sys.argv[2]}{n}'))\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", code, str(path), side]) for side in "ab"]
    assert [child.wait(120) for child in children] == [0, 0]
    assert {e.text for e in EpisodeLog(path).read()} == {f"{s}{n}" for s in "ab" for n in range(50)}
    with path.open("ab") as file:
        file.write(b'{"id": "cut", "time')
    EpisodeLog(path).append(new_episode("query", "after"))
    assert len(EpisodeLog(path).read()) == 101


def test_clearing_the_index_leaves_episodes(recorded: Engine, root: Path) -> None:
    recorded.pack(PackRequest(PROMPT))
    recorded.flush()
    clear_index(None)
    log = recorded.sources.episodes.log
    assert len(log.read()) == 1
    assert log.clear() == 1
    assert titles(recorded) == []


def test_sessions_of_agents_in_this_workspace_are_read(
    recorded: Engine, root: Path, tmp_path: Path
) -> None:
    def message(role: str, content: object, **fields: object) -> str:
        inner = {"role": role, "content": content}
        return json.dumps({"message": inner, "timestamp": "2026-01-02T03:04:05Z", **fields})

    nested = [{"type": "text", "text": "The address\nwas empty."}, {"type": "tool_use"}]
    wrapped = {"role": "user", "content": [{"type": "input_text", "text": "And the cart?"}]}
    session = [
        json.dumps({"type": "summary"}),
        message("user", "Why is no receipt mailed?", cwd=str(root / "shop")),
        message("user", "<environment>Linux</environment>"),
        message("assistant", nested),
        "{broken",
        json.dumps({"payload": wrapped}),
    ]
    logs = {
        "a/s1.jsonl": "\n".join(session),
        "b/s2.jsonl": message("user", "Elsewhere", cwd=str(tmp_path / "other")),
        "b/s3.jsonl": message("user", "Nobody knows where"),
        "c/notes.md": "# no",
    }
    write_files(tmp_path / "logs", logs)
    hits = recorded.search(Query("address of the mail", types=("episode",))).hits
    record = hits[0].record
    assert record is not None
    assert record.title == "session: Why is no receipt mailed?"
    assert record.text == "Why is no receipt mailed?\n\nThe address\nwas empty."
    assert record.reference == f"{tmp_path / 'logs' / 'a' / 's1.jsonl'}:2"
    assert sorted(titles(recorded)) == [
        "session: And the cart?",
        "session: Why is no receipt mailed?",
    ]
    answer = call(recorded, "read_node", {"path": record.reference})
    assert answer["text"] == record.text


def test_a_long_session_is_read_and_a_link_is_not(
    recorded: Engine, root: Path, tmp_path: Path
) -> None:
    line = json.dumps({"role": "user", "content": "Long " + "x" * 500, "cwd": str(root)})
    write_files(tmp_path / "logs", {"long.jsonl": f"{line}\n" * 1_000})
    if os.name == "posix":
        (tmp_path / "logs" / "link.jsonl").symlink_to(tmp_path / "logs" / "long.jsonl")
    source = recorded.sources.registry.get("episodes")
    assert source is not None
    source.refresh()
    assert source.status().records == 1_000
