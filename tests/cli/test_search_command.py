"""`packhound search`: what it prints, from where, and in which form."""

import io
import json
import re
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from rich.console import Console

from packhound.cli import show
from packhound.core.settings_reader import settings_from
from packhound.core.types import Document, Query
from packhound.service.engine import Engine
from tests.support.command_line import CODE, packhound
from tests.support.daemon import served
from tests.support.git_repository import git
from tests.support.operations import results_json


def test_search_json_is_the_published_object(tmp_path: Path, root: Path) -> None:
    done = packhound(tmp_path, "search", "unlock the door", "--root", str(root), "--json")
    answer = json.loads(done.stdout)
    assert list(answer) == [
        *("query", "hits", "offset", "next_offset", "truncated", "generation", "took_ms"),
        *("candidates", "notes", "confidence", "confidence_word", "complete"),
    ]
    hit = answer["hits"][0]
    assert list(hit) == [
        *("rank", "score", "confidence", "confidence_word", "path", "start_line", "end_line"),
        *("kind", "name", "qualname", "signature", "ref", "siblings", "copies", "line", "reasons"),
        *("why", "groups", "against", "beside", "source", "type"),
    ]
    assert 1 <= len(hit["reasons"]) <= 3
    assert (hit["path"], hit["name"], hit["start_line"], hit["end_line"]) == (
        *("door.py", "open_door"),
        *(1, 3),
    )
    assert list(hit["why"][0]) == ["signal", "value", "weight", "contribution"]
    assert sum(reason["contribution"] for reason in hit["why"]) == pytest.approx(hit["score"])


def test_search_answers_further_queries_beneath_the_first(tmp_path: Path, root: Path) -> None:
    further = ("--also", "mend roof", "--also", "", "--root", str(root))
    first, mended, refused = packhound(tmp_path, "search", "open_door", *further).stdout.split("==")
    assert "door.py:1-3" in first and mended.startswith(" mend roof\n")
    assert "considered in" in mended and "'query' is empty" in refused
    answer = json.loads(packhound(tmp_path, "search", "open_door", *further, "--json").stdout)
    assert [row["asked"] for row in answer["also"]] == ["mend roof", ""]


def test_search_prints_a_table_and_boxes(tmp_path: Path, root: Path) -> None:
    table = packhound(tmp_path, "search", "unlock the door", "--root", str(root)).stdout
    assert "open_door" in table
    assert "door.py:1-3" in table
    boxes = packhound(
        tmp_path, "search", "open door mend roof", "--root", str(root), "--show-scores"
    ).stdout
    assert "█" in boxes
    assert "score" in boxes
    for group in ("Name", "Words", "Meaning", "Structure", "You"):
        assert group in boxes
    where = ("unlock", "door.py:1", "--root", str(root))
    explained = packhound(tmp_path, "explain", *where).stdout
    assert "node_words" not in explained
    assert "node_words" in packhound(tmp_path, "explain", *where, "--all").stdout


def test_a_path_stays_whole_and_its_name_gives_way(tmp_path: Path, root: Path) -> None:
    deep = "a_folder_with_a_long_name/another_with_a_longer_name/front_door.py"
    name = "unlock_the_front_door_of_the_house_at_night"
    (root / deep).parent.mkdir(parents=True)
    (root / deep).write_text(f"def {name}():\n    pass\n")
    with closing(Engine.open(root, settings_from({"index.persist": False}))) as engine:
        assert engine.settled(30)
        actual = results_json(engine, engine.search(Query("unlock the front door")))
    piped, narrow = Console(file=io.StringIO()), Console(file=io.StringIO(), force_terminal=True)
    narrow.width = 60
    for console in (piped, narrow):
        show.results(actual, console=console)
    for console, is_cut in ((piped, False), (narrow, True)):
        lines = _printed(console)
        at = next(number for number, line in enumerate(lines) if deep in line)
        assert (name in lines[at - 1]) != is_cut
        assert name[:20] in lines[at - 1]
        hit = next(hit for hit in actual["hits"] if hit["path"] == deep)
        assert hit["reasons"][0] in lines[at + 1]
        if is_cut:
            assert max(len(line) for line in lines if deep not in line) <= 60
    boxes = Console(file=io.StringIO(), width=60)
    show.results(actual, boxes=True, console=boxes)
    drawn = _printed(boxes)
    at = next(number for number, line in enumerate(drawn) if name[:20] in line)
    assert "a_folder_with_a_long_name" in drawn[at + 1] and max(map(len, drawn)) <= 60


def test_what_is_piped_is_whole_and_a_listing_has_no_columns_of_nothing(
    tmp_path: Path, root: Path
) -> None:
    query = "unlock the front door with a key and turn it before the roof tiles come down"
    search = ("search", query, "--root", str(root))
    piped = packhound(tmp_path, *search).stdout
    hits = json.loads(packhound(tmp_path, *search, "--json").stdout)["hits"]
    reasons = [" · ".join(hit["reasons"]) for hit in hits]
    assert all(reason in piped for reason in reasons) and "…" not in piped
    assert "Words" in piped
    listed = packhound(tmp_path, "search", "kind:function", "--root", str(root)).stdout
    assert "open_door" in listed and "Words" not in listed and "0.00" not in listed


def _printed(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return re.sub(r"\x1b\[[0-9;]*m", "", console.file.getvalue()).splitlines()


def test_a_running_server_answers_with_unsaved_text(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    with served(root) as engine:
        engine.update(Document("door.py", b"def paint_door_green():\n    pass\n"))
        done = packhound(tmp_path, "search", "paint_door_green", "--root", str(root), "--json")
        assert json.loads(done.stdout)["hits"][0]["name"] == "paint_door_green"
        table = packhound(tmp_path, "search", "paint_door_green", "--root", str(root)).stdout
        assert "door.py:1-2" in table
        pack = packhound(tmp_path, "pack", "paint_door_green", "--root", str(root), "-b", "300")
        assert "def paint_door_green" in pack.stdout and "of 300 tokens" in pack.stderr
    done = packhound(tmp_path, "search", "paint_door_green", "--root", str(root), "--json")
    answer = json.loads(done.stdout)
    assert "paint_door_green" not in [hit["name"] for hit in answer["hits"]]
    assert "`paint_door_green` is not in this folder" in answer["notes"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_what_git_says_is_two_columns_or_why_it_says_nothing(tmp_path: Path, root: Path) -> None:
    search = ("search", "open door mend roof", "--root", str(root), "--git")
    table = packhound(tmp_path, *search).stdout
    assert re.fullmatch(r"confidence: \w+", table.splitlines()[0])
    assert table.splitlines()[1].split() == [
        *("Words", "Meaning", "You", "kind", "name", "commits", "changed", "path")
    ]
    assert re.search(r"- +untracked\s+door\.py:1-3", table)
    name = ("-c", "user.name=A", "-c", "user.email=a@example.invalid")
    for command in (("init", "-q"), ("add", "door.py"), ("commit", "-qm", "Begin")):
        subprocess.run(["git", "-C", str(root), *name, *command], check=True)
    table = packhound(tmp_path, *search).stdout
    assert re.search(r" 1 +(just now|\d+ minutes? ago)\s+door\.py:1-3", table)
    assert re.search(r"- +untracked\s+roof\.py:1-2", table)
    answer = json.loads(packhound(tmp_path, *search, "--json").stdout)
    by_path = {hit["path"]: hit["git"] for hit in answer["hits"]}
    day = re.compile(r"\d{4}-\d\d-\d\d")
    committed = by_path["door.py"]
    assert (committed["state"], committed["commits"]) == ("committed", 1)
    assert day.fullmatch(committed["last_change"])
    assert committed["stale"] is False and committed["text"].startswith("1 commit, ")
    assert (by_path["roof.py"]["state"], by_path["roof.py"]["commits"]) == ("untracked", 0)
    (root / "door.py").write_text("# A line above is none of the function's.\n\n" + CODE)
    answer = json.loads(packhound(tmp_path, *search, "--json").stdout)
    [moved] = [hit["git"] for hit in answer["hits"] if hit["name"] == "open_door"]
    assert {**moved, "text": ""} == {**committed, "text": ""}
    (root / "door.py").write_text(CODE.replace("key.turn()", "key.turn(2)"))
    assert re.search(r" 1 +not committed\s+door\.py", packhound(tmp_path, *search).stdout)
    assert "not committed, 1 commit" in packhound(tmp_path, *search, "--show-scores").stdout
    plain = json.loads(packhound(tmp_path, *search[:-1], "--json").stdout)
    assert not any("git" in hit for hit in plain["hits"])


def test_an_outline_says_what_is_not_parsed(tmp_path: Path, root: Path) -> None:
    (root / "tf").mkdir()
    for name in ("main.tf", "more.tf"):
        (root / "tf" / name).write_text('resource "aws_s3_bucket" "logs" {}\n')
    unknown = "not parsed, definitions are not known; use search or grep"
    for asked, named in (("tf/main.tf", ""), ("tf", " and 1 more")):
        done = packhound(tmp_path, "outline", asked, "--root", str(root))
        assert done.stdout.splitlines() == [f"tf/main.tf{named}: {unknown}"]
    (root / "tf" / "empty.py").write_text("import os\n")
    done = packhound(tmp_path, "outline", "tf/empty.py", "--root", str(root))
    assert done.stdout.splitlines() == ["no definitions"]


def test_a_search_stops_at_the_end_of_its_time(tmp_path: Path, root: Path) -> None:
    arguments = ("search", "unlock the door", "--root", str(root), "--time-ms")
    done = packhound(tmp_path, *arguments, "60000")
    assert done.returncode == 0 and "stopped to keep" not in done.stdout
    done = packhound(tmp_path, *arguments, "1")
    assert done.returncode == 0 and "note: stopped to keep within 1 ms, without" in done.stdout
    done = packhound(tmp_path, *arguments, "1", "--type", "code", "--type", "knowledge")
    [note] = [line for line in done.stdout.splitlines() if "stopped to keep" in line]
    assert (
        note.startswith("note: stopped to keep within 1 ms, without") and "knowledge: for" in note
    )
    done = packhound(tmp_path, *arguments, "1", "--pattern", "return $X")
    assert "were not looked at" in done.stdout or "door.py" in done.stdout
    assert "nothing matches" not in done.stdout
    done = packhound(tmp_path, *arguments, "0")
    assert done.returncode == 2 and "0 is not in the range" in done.stderr


def test_settings_and_options_bound_time_and_candidates(tmp_path: Path, root: Path) -> None:
    search = ("search", "unlock the door", "--root", str(root))
    done = packhound(tmp_path, *search, "--set", "search.timeMs=1")
    assert "note: stopped to keep within 1 ms, without" in done.stdout
    done = packhound(tmp_path, *search, "--set", "search.timeMs=1", "--time-ms", "60000")
    assert "stopped to keep" not in done.stdout
    (root / "cellar.py").write_text(CODE)
    few = json.loads(packhound(tmp_path, *search, "--json", "--candidates", "4").stdout)
    all_candidates = json.loads(packhound(tmp_path, *search, "--json").stdout)
    assert few["truncated"] and few["candidates"] < all_candidates["candidates"]
    assert few["hits"] and len({hit["path"] for hit in few["hits"]}) == 1


def test_the_fuser_is_an_option(tmp_path: Path, root: Path) -> None:
    search = ("search", "unlock the door", "--root", str(root), "--json")
    blended = json.loads(packhound(tmp_path, *search, "--fuser", "blend").stdout)
    signals = {signal["signal"] for hit in blended["hits"] for signal in hit["why"]}
    assert signals <= {"node_words", "dense_node", "deep_similarity"} and "node_words" in signals
    configured = packhound(tmp_path, *search, "--set", "search.fuser=blend").stdout
    assert json.loads(configured)["hits"] == blended["hits"]


@pytest.mark.parametrize(
    "reference", ["door.py:2", "door.py#open_door", "open_door", "./door.py:1-3"]
)
def test_code_is_named_in_each_way(tmp_path: Path, root: Path, reference: str) -> None:
    for command in (("show",), ("related",), ("explain", "unlock")):
        done = packhound(tmp_path, *command, reference, "--root", str(root), "--json")
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)
        if command[0] != "related":
            assert (answer["path"], answer["start_line"]) == ("door.py", 1)
        else:
            assert answer["query"] == "door.py:2" if ":2" in reference else "door.py:1"


def test_hits_show_the_lines_that_answer_without_secrets(tmp_path: Path, root: Path) -> None:
    secret = "AKIA" + "Q3EGRB7ZL2XWN5TD"
    (root / "vault.py").write_text(
        f'def open_vault():\n    key = "{secret}"\n    return turn(key)\n'
    )
    search = ("search", "open vault key", "--root", str(root), "--snippet", "2", "--set")
    done = packhound(tmp_path, *search, "search.deep=off", "--json")
    best, *_ = json.loads(done.stdout)["hits"]
    assert [row["line"] for row in best["snippet"]] == [1, 2]
    assert best["snippet"][0]["text"] == "def open_vault():" and secret not in done.stdout
    for options in ((), ("--show-scores",)):
        table = packhound(tmp_path, *search, "search.deep=off", *options).stdout
        assert "      1 def open_vault():" in table and secret not in table
    plain = packhound(tmp_path, *search[:4], "--json").stdout
    assert not any("snippet" in hit for hit in json.loads(plain)["hits"])


def test_another_commit_is_asked_by_every_command(tmp_path: Path, root: Path) -> None:
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "Begin")
    (root / "door.py").write_text("def shut_window():\n    return 1\n")
    at = ("--root", str(root), "--at", "rev:HEAD")
    found = packhound(tmp_path, "search", "rev:HEAD open_door", "--root", str(root)).stdout
    label = re.search(r"rev@[0-9a-f]{12}/door.py", found)
    assert label
    shown = packhound(tmp_path, "show", f"{label[0]}#open_door", "--root", str(root)).stdout
    assert "def open_door" in shown
    lines = packhound(tmp_path, "grep", "def open_door", *at)
    assert (lines.returncode, label[0] in lines.stdout) == (0, True)
    assert "open_door" in packhound(tmp_path, "outline", "door.py", *at).stdout
    assert "def open_door" in packhound(tmp_path, "pack", "--map", *at).stdout
    refused = packhound(tmp_path, "search", "deps:nothing open", "--root", str(root))
    assert refused.returncode == 2 and "no dependency 'nothing'" in refused.stderr
