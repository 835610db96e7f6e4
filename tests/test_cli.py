"""The command line as a process: what it prints and how it ends."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from rich.console import Console

from packhound.api.socket import serve_socket
from packhound.cli import show
from packhound.cli.verify import differences
from packhound.core.settings import Settings
from packhound.core.types import Document, Query
from packhound.service.engine import Engine

CODE = 'def open_door(key):\n    """Unlock the front door."""\n    return key.turn()\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "house"
    folder.mkdir()
    (folder / "door.py").write_text(CODE)
    (folder / "roof.py").write_text("def mend_roof():\n    return 'tiles'\n")
    return folder


def packhound(tmp_path: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "packhound", *arguments],
        capture_output=True,
        text=True,
        input=stdin,
        env=os.environ | {"PACKHOUND_CACHE_DIR": str(tmp_path / "cache"), "COLUMNS": "120"},
        timeout=60,
    )


def test_index_json(tmp_path: Path, root: Path) -> None:
    done = packhound(tmp_path, "index", "--root", str(root), "--json")
    report = json.loads(done.stdout)
    assert list(report) == ["files", "nodes", "languages", "elapsed_ms", "generation", "warnings"]
    assert (report["files"], report["languages"]) == (2, {"python": 2})


@pytest.mark.parametrize("arguments", [("index", "."), ("search", "where", "are", "doors")])
def test_a_word_too_many_is_told_its_place(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = packhound(tmp_path, *arguments)
    assert done.returncode == 2
    assert "words stand in quotes, and a folder behind --root" in done.stderr


def test_search_json_is_the_published_object(tmp_path: Path, root: Path) -> None:
    done = packhound(tmp_path, "search", "unlock the door", "--root", str(root), "--json")
    answer = json.loads(done.stdout)
    assert list(answer) == [
        *("query", "hits", "truncated", "generation", "took_ms", "candidates", "notes")
    ]
    hit = answer["hits"][0]
    assert list(hit) == [
        *("rank", "score", "path", "start_line", "end_line", "kind", "name", "qualname", "why")
    ]
    assert (hit["path"], hit["name"], hit["start_line"], hit["end_line"]) == (
        *("door.py", "open_door"),
        *(1, 3),
    )
    assert list(hit["why"][0]) == ["signal", "value", "weight", "contribution"]
    assert sum(reason["contribution"] for reason in hit["why"]) == pytest.approx(hit["score"])


def test_search_prints_a_table_and_boxes(tmp_path: Path, root: Path) -> None:
    table = packhound(tmp_path, "search", "unlock the door", "--root", str(root)).stdout
    assert "open_door" in table
    assert "door.py:1-3" in table
    boxes = packhound(tmp_path, "search", "unlock", "--root", str(root), "--show-scores").stdout
    assert "█" in boxes
    assert "score" in boxes


def test_a_path_stays_whole_and_its_name_gives_way(tmp_path: Path, root: Path) -> None:
    deep = "a_folder_with_a_long_name/another_with_a_longer_name/front_door.py"
    name = "unlock_the_front_door_of_the_house_at_night"
    (root / deep).parent.mkdir(parents=True)
    (root / deep).write_text(f"def {name}():\n    pass\n")
    with closing(Engine.open(root, Settings(persist=False))) as engine:
        assert engine.settled(30)
        found = engine.search(Query("unlock the front door"))
    piped, narrow = Console(file=io.StringIO()), Console(file=io.StringIO(), force_terminal=True)
    narrow.width = 60
    for console in (piped, narrow):
        show.results(found, console=console)
    line = next(line for line in _printed(piped) if deep in line)
    assert name in line
    line = next(line for line in _printed(narrow) if deep in line)
    assert name not in line
    assert name[:20] in line


def _printed(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_no_fewer_than_one_hit_can_be_asked_for(tmp_path: Path, root: Path) -> None:
    done = packhound(tmp_path, "search", "door", "--limit", "-3", "--root", str(root))
    assert (done.returncode, done.stdout) == (2, "")
    assert "-3 is not in the range 1<=x<=1000" in done.stderr


def test_batch_answers_line_by_line(tmp_path: Path, root: Path) -> None:
    lines = '{"query": "door", "limit": 1}\n\n{"query": "roof"}\n'
    done = packhound(tmp_path, "search", "--batch", "-", "--root", str(root), stdin=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["hits"][0]["path"] for answer in answers] == ["door.py", "roof.py"]
    assert len(answers[0]["hits"]) == 1


def test_status_and_explain(tmp_path: Path, root: Path) -> None:
    status = json.loads(packhound(tmp_path, "status", "--root", str(root), "--json").stdout)
    assert (status["files"], status["pending"]) == (2, 0)
    place = ("explain", "mend", "roof.py:1", "--root", str(root), "--json")
    assert json.loads(packhound(tmp_path, *place).stdout)["name"] == "mend_roof"


def test_a_running_server_answers_with_unsaved_text(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    engine = Engine.open(root)
    server = serve_socket(engine)
    try:
        assert engine.settled(30)
        engine.update(Document("door.py", b"def paint_door_green():\n    pass\n"))
        done = packhound(tmp_path, "search", "paint_door_green", "--root", str(root), "--json")
        assert json.loads(done.stdout)["hits"][0]["name"] == "paint_door_green"
        table = packhound(tmp_path, "search", "paint_door_green", "--root", str(root)).stdout
        assert "door.py:1-2" in table
        pack = packhound(tmp_path, "pack", "paint_door_green", "--root", str(root), "-b", "300")
        assert "def paint_door_green" in pack.stdout and "of 300 tokens" in pack.stderr
    finally:
        assert server is not None
        server.close()
        engine.close()
    done = packhound(tmp_path, "search", "paint_door_green", "--root", str(root), "--json")
    assert "paint_door_green" not in done.stdout.replace('"query": "paint_door_green"', "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("search", "x", "--root", "/no/such/folder"), "'/no/such/folder' does not exist"),
        (("search",), "QUERY or --batch"),
        (("search", "x", "--mode", "fast"), "'hybrid', 'lexical', 'dense', 'symbol'"),
        (("search", "x", "--kind", "thing"), "'function'"),
        (("search", "x", "--set", "hover=never"), "results, always, off"),
        (("search", "x", "--set", "hover"), "NAME=VALUE"),
        (("search", "--batch", "/no/such/file"), "/no/such/file"),
        (("explain", "x", "door.py"), "PATH:LINE"),
        (("lsp", "--stdio", "--tcp"), "--stdio or --tcp"),
    ],
)
def test_bad_arguments_give_one_line_and_exit_code_2(
    tmp_path: Path, root: Path, arguments: tuple[str, ...], says: str
) -> None:
    if "--root" not in arguments and arguments[0] == "search":
        arguments = (*arguments, "--root", str(root))
    done = packhound(tmp_path, *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("line", ["not json", "[1]", '{"limit": 1}', '{"query": "x", "limit": 0}'])
def test_a_bad_batch_line_is_named(tmp_path: Path, root: Path, line: str) -> None:
    done = packhound(tmp_path, "search", "--batch", "-", "--root", str(root), stdin=line)
    assert done.returncode == 2
    assert "line 1" in done.stderr


@pytest.mark.parametrize("content", [b"\xff\xfe{\n", b"[" * 100_000])
def test_a_batch_that_is_no_text_is_named(tmp_path: Path, root: Path, content: bytes) -> None:
    (tmp_path / "batch").write_bytes(content)
    done = packhound(tmp_path, "search", "--batch", str(tmp_path / "batch"), "--root", str(root))
    assert done.returncode == 2
    assert "line 1 is not JSON" in done.stderr and "Traceback" not in done.stderr


def test_the_doctor_sees_what_differs_from_an_index_made_anew(tmp_path, root, monkeypatch):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    engine = Engine.open(root, Settings())
    fresh = Engine.open(root, Settings(persist=False))
    with closing(engine), closing(fresh):
        assert engine.settled(60) and fresh.settled(60)
        assert differences(engine, fresh) == []
        engine.update(Document("door.py", CODE.replace("key", "card").encode()))
        assert engine.settled(60)
        assert differences(engine, fresh)[0] == "door.py"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_what_cannot_be_printed_is_one_line(tmp_path: Path, root: Path) -> None:
    command = [sys.executable, "-m", "packhound", "search", "door", "--root", str(root), "--json"]
    environment = os.environ | {"PACKHOUND_CACHE_DIR": str(tmp_path / "cache")}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment)
    assert done.returncode == 1
    assert b"No space left" in done.stderr and b"Traceback" not in done.stderr


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_what_git_says_is_two_columns_or_why_it_says_nothing(tmp_path: Path, root: Path) -> None:
    search = ("search", "open door mend roof", "--root", str(root), "--git")
    table = packhound(tmp_path, *search).stdout
    assert table.splitlines()[0].split() == ["score", "kind", "name", "commits", "changed", "path"]
    assert re.search(r"- +untracked +door\.py:1-3", table)
    name = ("-c", "user.name=A", "-c", "user.email=a@example.invalid")
    for command in (("init", "-q"), ("add", "door.py"), ("commit", "-qm", "Begin")):
        subprocess.run(["git", "-C", str(root), *name, *command], check=True)
    table = packhound(tmp_path, *search).stdout
    assert re.search(r" 1 +(just now|\d+ minutes? ago) +door\.py:1-3", table)
    assert re.search(r"- +untracked +roof\.py:1-2", table)
    (root / "door.py").write_text(CODE + "\n")
    assert re.search(r" 1 +not committed +door\.py", packhound(tmp_path, *search).stdout)
    assert "not committed, 1 commit" in packhound(tmp_path, *search, "--show-scores").stdout
    plain = packhound(tmp_path, *search[:-1], "--json").stdout
    asked = json.loads(packhound(tmp_path, *search, "--json").stdout)
    assert [hit.keys() for hit in asked["hits"]] == [
        hit.keys() for hit in json.loads(plain)["hits"]
    ]


def test_clear_and_doctor(tmp_path: Path, root: Path) -> None:
    packhound(tmp_path, "index", "--root", str(root))
    doctor = packhound(tmp_path, "doctor", "--root", str(root))
    assert doctor.returncode == 0, doctor.stdout
    assert "2 files" in doctor.stdout
    verified = packhound(tmp_path, "doctor", "--verify", "--root", str(root))
    assert verified.returncode == 0 and "index: equals one made anew" in verified.stdout
    assert "freed" in packhound(tmp_path, "clear", "--root", str(root)).stdout
    assert not any((tmp_path / "cache").glob("house-*"))
