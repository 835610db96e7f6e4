"""`--batch`: one request a line."""

import json
from pathlib import Path

import pytest

from packhound.cli.opening import Asker
from packhound.operations import registry
from tests.support.command_line import packhound


def test_batch_answers_line_by_line(tmp_path: Path, root: Path) -> None:
    lines = '{"query": "door", "limit": 1}\n\n{"query": "roof"}\n'
    done = packhound(tmp_path, "search", "--batch", "-", "--root", str(root), stdin=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["hits"][0]["path"] for answer in answers] == ["door.py", "roof.py"]
    assert len(answers[0]["hits"]) == 1


@pytest.mark.parametrize("line", ["not json", "[1]", '{"limit": 1}', '{"query": "x", "limit": 0}'])
def test_a_bad_batch_line_is_named(tmp_path: Path, root: Path, line: str) -> None:
    done = packhound(tmp_path, "search", "--batch", "-", "--root", str(root), stdin=line)
    assert done.returncode == 2
    assert "line 1: " in done.stderr


@pytest.mark.parametrize("content", [b"\xff\xfe{\n", b"[" * 100_000])
def test_a_batch_that_is_no_text_is_named(tmp_path: Path, root: Path, content: bytes) -> None:
    (tmp_path / "batch").write_bytes(content)
    done = packhound(tmp_path, "search", "--batch", str(tmp_path / "batch"), "--root", str(root))
    assert done.returncode == 2
    assert "line 1: it is not JSON" in done.stderr and "Traceback" not in done.stderr


def test_a_line_has_all_fields_of_a_query(tmp_path: Path, root: Path) -> None:
    lines = '{"query": "door", "kinds": ["class"]}\n{"query": "door roof", "paths": ["roof.py"]}\n'
    done = packhound(tmp_path, "search", "--batch", "-", "--root", str(root), stdin=lines)
    answers = [json.loads(line)["hits"] for line in done.stdout.splitlines()]
    assert answers[0] == [] and {hit["path"] for hit in answers[1]} == {"roof.py"}


@pytest.mark.parametrize("setting", ["search.limit=1", "limit=1"])
def test_the_setting_limits_what_states_no_limit(tmp_path: Path, root: Path, setting: str) -> None:
    lines = '{"query": "door roof"}\n{"query": "door roof", "limit": 2}\n'
    command = ("search", "--batch", "-", "--root", str(root), "--set", setting)
    done = packhound(tmp_path, *command, stdin=lines)
    assert [len(json.loads(line)["hits"]) for line in done.stdout.splitlines()] == [1, 2]
    assert ("'limit' is now 'search.limit'" in done.stderr) == (setting == "limit=1")


def test_lines_that_are_refused_keep_no_other_from_its_answer(tmp_path: Path, root: Path) -> None:
    lines = '{"name": "open_door"}\n{"name": "no_such_name"}\nno json\n{"name": "open_door"}\n'
    done = packhound(tmp_path, "symbol", "--batch", "-", "--root", str(root), stdin=lines)
    first, second, third, last = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 2 and first["name"] == last["name"] == "open_door"
    assert second["line"] == 2 and second["error"].startswith("no definition of 'no_such_name' is")
    assert third["line"] == 3 and third["error"].startswith("it is not JSON")
    assert "--batch '-' line 2: no definition of 'no_such_name' is indexed" in done.stderr
    assert "--batch '-' line 3: it is not JSON" in done.stderr


def test_only_later_answers_of_a_command_say_when_the_disk_was_looked_at(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(registry, "_UNSEEN_S", 0.0)
    with Asker([root], alone=True) as asker:
        notes = [asker.answer("search", {"query": "door"})["notes"] for _ in range(2)]
    assert ["the disk was last looked at" in " ".join(each) for each in notes] == [False, True]
