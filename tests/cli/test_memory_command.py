"""`packhound memory` as a user meets it: real processes, one after the other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import make_house, packhound


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACKHOUND_DATA_DIR", str(tmp_path / "data"))
    return make_house(tmp_path / "house")


def test_a_note_on_code_from_writing_to_clearing(tmp_path: Path, house: Path) -> None:
    def run(*arguments: str, stdin: str = "", root: Path = house) -> str:
        done = packhound(tmp_path, "memory", *arguments, "--root", str(root), stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    added = run("add", "insight", "keys", "Keys turn left", "--code", "door.py#open_door")
    identity = added.split()[-1]
    run("add", "decision", "roof", "Tiles, no thatch", "--reasoning", "It burns", "--tag", "roof")
    assert "keys" in run("list", "--type", "insight")
    assert "on door.py#open_door" in run("list")
    assert "Keys turn left" in run("search", "which way to turn")
    table = packhound(tmp_path, "search", "open_door", "--root", str(house)).stdout
    assert "note keys: Keys turn left" in table
    code = (house / "door.py").read_text()
    (house / "door.py").write_text(code.replace("key.turn()", "key.turn(-1)"))
    output = run("show", identity)
    assert "on door.py#open_door: stale" in output
    assert "-    return key.turn()\n+    return key.turn(-1)" in output
    assert "[stale]" in run("list")
    exported = run("export")
    rows = [json.loads(line) for line in exported.splitlines()]
    assert [row["type"] for row in rows] == ["insight", "decision"]
    other = make_house(tmp_path / "other")
    assert run("list", root=other).strip() == "no notes"
    assert run("import", "-", stdin=exported, root=other).strip() == "2 notes"
    assert run("export", root=other) == exported
    run("forget", identity)
    assert [json.loads(line)["type"] for line in run("export").splitlines()] == ["decision"]
    packhound(tmp_path, "clear", "--all")
    assert "roof" in run("list")
    assert run("clear", "--yes").strip() == "deleted 1"
    assert run("list").strip() == "no notes"


def test_shared_notes_of_a_folder_that_the_user_trusts(
    tmp_path: Path, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config"
    config.mkdir()
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(config))
    command = ("memory", "add", "insight", "keys", "Turn left", "--root", str(house))
    at_code = ("--code", "door.py#open_door", "--author", "Ann", "--shared")
    refused = packhound(tmp_path, *command, *at_code)
    assert refused.returncode == 2
    assert f"'{house}' is not trusted" in refused.stderr
    (config / "packhound.toml").write_text(f"folders.trusted = ['{tmp_path}']\n")
    added = packhound(tmp_path, *command, *at_code)
    assert added.returncode == 0, added.stderr
    identity = added.stdout.split()[-1]
    path = house / ".packhound" / "notes" / f"{identity}.json"
    assert json.loads(path.read_text())["content"] == "Turn left"
    root = ("--root", str(house))
    assert "keys  (shared by Ann)" in packhound(tmp_path, "memory", "list", *root).stdout
    table = packhound(tmp_path, "search", "open_door", *root).stdout
    assert "note keys (shared by Ann): Turn left" in table
    assert packhound(tmp_path, "memory", "export", *root).stdout == ""
    packhound(tmp_path, "memory", "clear", "--yes", *root)
    assert packhound(tmp_path, "show", f"note:{identity}", *root).stdout.startswith(
        "note keys (shared by Ann, 20"
    )
    assert packhound(tmp_path, "memory", "forget", identity, *root).stdout.strip() == "deleted 1"
    assert not path.exists()


def test_episodes_are_recorded_where_they_are_on_and_cleared_alone(
    tmp_path: Path, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config"
    config.mkdir()
    (config / "packhound.toml").write_text("sources.episodes.enabled = true\n")
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(config))
    root = ("--root", str(house))
    packhound(tmp_path, "memory", "add", "insight", "keys", "Turn left", *root)
    packhound(tmp_path, "search", "how does the door open", *root)
    packhound(tmp_path, "pack", "mend the roof", *root)
    table = packhound(tmp_path, "search", "type:episode", *root).stdout
    assert "query: how does the door open" in table
    assert "pack: mend the roof" in table
    record = ("memory", "record", *root)
    packhound(tmp_path, *record, "pack", "mend the roof", "--result", "rejected")
    packhound(tmp_path, *record, "run", "pytest tests/roof", "--result", "accepted")
    packhound(tmp_path, "memory", "add", "decision", "roof", "Use slate", *root)
    answer = json.loads(packhound(tmp_path, "search", "type:episode", *root, "--json").stdout)
    assert {hit["title"]: hit["metadata"]["result"] for hit in answer["hits"]} == {
        "query: how does the door open": "",
        "pack: mend the roof": "rejected",
        "run: pytest tests/roof": "accepted",
        "decision: roof: Use slate": "",
    }
    wrong = packhound(tmp_path, *record, "walk", "x")
    assert wrong.returncode == 2
    assert "'walk' is not one of 'query', 'pack', 'pick', 'edit', 'run', 'decision'" in wrong.stderr
    packhound(tmp_path, "clear", *root)
    cleared = packhound(tmp_path, "memory", "clear", "--episodes", *root, stdin="y\n").stdout
    assert "Delete 4 episodes? They cannot be made again." in cleared
    assert "deleted 4" in cleared
    assert "Turn left" in packhound(tmp_path, "memory", "list", *root).stdout
    again = packhound(tmp_path, "memory", "clear", "--episodes", "--yes", *root).stdout
    assert again.strip() == "there are no episodes"


def test_clearing_asks(tmp_path: Path, house: Path) -> None:
    packhound(tmp_path, "memory", "add", "insight", "k", "c", "--root", str(house))
    refused = packhound(tmp_path, "memory", "clear", "--root", str(house), stdin="n\n")
    assert refused.returncode == 1
    assert "Delete 1 notes? They cannot be made again." in refused.stdout
    listed = packhound(tmp_path, "memory", "list", "--root", str(house))
    assert "k" in listed.stdout


def test_a_search_shows_type_and_day(tmp_path: Path, house: Path) -> None:
    packhound(tmp_path, "memory", "add", "stash", "roof-work", "Mend it", "--root", str(house))
    command = ("search", "mend the roof", "--root", str(house))
    table = packhound(tmp_path, *command, "--type", "code,stash").stdout
    assert "stash" in table
    assert "function" in table
    assert "roof-work" not in packhound(tmp_path, *command).stdout
    answer = json.loads(packhound(tmp_path, *command, "--type", "stash", "--json").stdout)
    [hit] = answer["hits"]
    assert (hit["source"], hit["type"], hit["title"]) == ("notes", "stash", "roof-work")
    assert hit["text"] == "Mend it"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("show", "nope"), "there is no note 'nope'; 'packhound memory list' lists them"),
        (("forget", "nope"), "there is no note 'nope'"),
        (("add", "insight", "k", ""), "CONTENT is empty; must have at least 1 character"),
        (("add", "insight", "k", "c", "-c", "no.py#f"), "'no.py' is not an indexed file"),
        (("add", "stash", "n", "s", "--expires", "soon"), "--expires is 'soon'; must be a time"),
        (("import", "missing.jsonl"), "'missing.jsonl'"),
    ],
)
def test_errors_name_the_value_and_the_remedy(
    tmp_path: Path, house: Path, arguments: tuple[str, ...], problem: str
) -> None:
    done = packhound(tmp_path, "memory", *arguments, "--root", str(house))
    assert done.returncode == 2
    assert problem in " ".join(done.stderr.split())


def test_a_bad_line_of_an_import_is_named_and_nothing_is_read(tmp_path: Path, house: Path) -> None:
    packhound(tmp_path, "memory", "add", "insight", "k", "c", "--root", str(house))
    good = packhound(tmp_path, "memory", "export", "--root", str(house)).stdout
    other = make_house(tmp_path / "other")
    command = ("memory", "import", "-", "--root", str(other))
    done = packhound(tmp_path, *command, stdin=good + '{"type": "memo"}\n')
    assert done.returncode == 2
    assert "'-' line 2: 'type' is 'memo'" in " ".join(done.stderr.split())
    assert packhound(tmp_path, "memory", "list", "--root", str(other)).stdout == "no notes\n"


@pytest.mark.parametrize("which", [(), ("--all",)])
def test_clearing_everything_asks_and_leaves_nothing_of_the_folder(
    tmp_path: Path, house: Path, monkeypatch: pytest.MonkeyPatch, which: tuple[str, ...]
) -> None:
    monkeypatch.setenv("PACKHOUND_STATE_DIR", str(tmp_path / "state"))
    root, other = ("--root", str(house)), make_house(tmp_path / "other")
    foreign = [tmp_path / "data/photos/cat.png", tmp_path / "state/other.log"]
    for path in foreign:
        path.parent.mkdir(parents=True)
        path.write_text("x")
    packhound(tmp_path, "search", "open_door", *root)
    for folder in (house, other):
        packhound(tmp_path, "memory", "add", "insight", "k", "turn left", "--root", str(folder))
    packhound(tmp_path, "memory", "record", "command", "make roof", *root)

    def kept_of(name: str) -> list[str]:
        places = (tmp_path / "cache", tmp_path / "data")
        return sorted(path.name for place in places for path in place.glob(f"{name}-*/*"))

    before = kept_of("house")
    assert {"notes.sqlite", "index.sqlite"} <= {*before}
    refused = packhound(tmp_path, "clear", "--everything", *which, *root, stdin="n\n")
    assert refused.returncode and kept_of("house") == before
    done = packhound(tmp_path, "clear", "--everything", *which, *root, stdin="y\n")
    assert done.returncode == 0 and "cannot be made again" in done.stdout, done.stderr
    assert kept_of("house") == []
    assert bool(kept_of("other")) == (not which)
    assert all(path.exists() for path in foreign)
    assert not (tmp_path / "state/cli.log").exists()
    assert packhound(tmp_path, "memory", "list", *root).stdout.strip() == "no notes"
