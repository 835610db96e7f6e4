"""`packhound grep`: what it prints, and its exit codes."""

import json
from pathlib import Path

import pytest

from packhound.core.types import Document
from tests.support.command_line import packhound
from tests.support.daemon import served
from tests.support.notebooks import write_notebook


def test_lines_are_printed_below_their_definitions(tmp_path: Path, root: Path) -> None:
    done = packhound(tmp_path, "grep", r"def \w+_door", "--root", str(root))
    heading, line = done.stdout.splitlines()
    assert heading == "door.py:1-3 function open_door"
    assert line.split(":", 1)[0].strip() == "1"
    assert "1 matching line" in done.stderr
    counted = packhound(tmp_path, "grep", "DOOR", "-i", "-c", "--root", str(root), "--json")
    answer = json.loads(counted.stdout)
    assert answer["total_files"] == len(answer["counts"]) and not answer["groups"]


def test_lines_of_a_notebook_say_their_cell(tmp_path: Path, root: Path) -> None:
    write_notebook(root / "rooms.ipynb", [("markdown", "# Rooms"), ("python", "\nkeys = 3")])
    done = packhound(tmp_path, "grep", "keys = ", "--root", str(root))
    assert done.stdout.splitlines()[1] == "     5 cell 2:2: keys = 3"
    answer = packhound(tmp_path, "grep", "keys = ", "--root", str(root), "--json")
    (group,) = json.loads(answer.stdout)["groups"]
    assert group["lines"][0]["cell"] == {"number": 2, "line": 2}


def test_nothing_is_exit_code_1_and_a_bad_pattern_2(tmp_path: Path, root: Path) -> None:
    nothing = packhound(tmp_path, "grep", "zebra", "--root", str(root))
    assert nothing.returncode == 1
    assert "0 matching lines in 0 files" in nothing.stderr
    refused = packhound(tmp_path, "grep", "a(?!b)", "--root", str(root))
    assert refused.returncode == 2
    assert "negative look-ahead '(?!'" in refused.stderr


def test_a_language_server_answers_with_unsaved_text(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    with served(root) as engine:
        engine.update(Document("door.py", b"def unsaved_hatch():\n    return 1\n"))
        done = packhound(tmp_path, "grep", "unsaved_h", "--root", str(root))
    assert done.stdout.splitlines()[0] == "door.py:1-2 function unsaved_hatch"
