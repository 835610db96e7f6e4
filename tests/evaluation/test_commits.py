"""Queries out of a real repository's history."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import settings_from
from packhound.evaluation.commits import cases_of_history
from packhound.git.hunks import Hunk, read_hunks
from packhound.service.engine import Engine
from tests.support.program import run_program

DOOR = '''\
"""Doors."""


def open_door(key):
    return key.turn()


def close_door(key):
    return key.turn()
'''
ROOF = "def mend_roof(tiles):\n    return tiles\n"


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Ann", "-c", "user.email=ann@house", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def commit(root: Path, subject: str, **texts: str) -> None:
    for name, text in texts.items():
        path = root / (name.replace("__", "/") + ".py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-m", subject)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    root = tmp_path / "house"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    commit(root, "Doors and a roof", door=DOOR, roof=ROOF)
    grown = DOOR.replace("close_door(key):", "close_door(key):\n    key.lock()\n    # ++ b/roof.py")
    commit(root, "fix(door): lock the door when it closes (#12)", door=grown)
    commit(root, "Bump version", roof=ROOF + "VERSION = 2\n")
    commit(
        root, "Ask before a door opens", door=grown.replace("open_door(key)", "open_door(key, ask)")
    )
    commit(root, "Doors are tested at last", tests__test_door="def test_door():\n    pass\n")
    many = {f"room{i}": f"def enter_{i}():\n    pass\n" for i in range(9)}
    commit(root, "Rooms for all of the guests", **many)
    git(root, "switch", "-q", "-c", "attic", "HEAD~3")
    commit(root, "Mend the roof with slate", roof="def mend_roof(slate):\n    return slate\n")
    git(root, "switch", "-q", "main")
    git(root, "merge", "-q", "--no-ff", "-X", "theirs", "-m", "Merge the attic branch", "attic")
    return root


def queries_of(root: Path, last: int = 100) -> dict[str, list[str]]:
    engine = Engine.open(root, settings_from({"index.persist": False, "ranking.gitHistory": False}))
    try:
        engine.settled()
        files = engine.snapshot.files.items()
        sources = {path: file for path, file in files if not path.startswith("tests/")}
        cases = cases_of_history(root, sources, last)
    finally:
        engine.close()
    assert {case.category for case in cases} <= {"commit"}
    return {
        case.text: [
            f"{target.path}:{target.start_line}-{target.end_line}" for target in case.targets
        ]
        for case in cases
    }


def test_subjects_ask_for_what_their_commits_changed(house: Path) -> None:
    queries = queries_of(house)
    # The lines of the lock moved when the line above them was edited; a merge, a bump, a commit of
    # nine files and one of tests ask for nothing.
    assert queries == {
        "Mend the roof with slate": ["roof.py:1-2"],
        "Ask before a door opens": ["door.py:4-5"],
        "lock the door when it closes": ["door.py:8-11"],
        "Doors and a roof": ["door.py:4-5", "door.py:8-11"],
    }


def test_only_the_last_commits_are_read(house: Path) -> None:
    assert list(queries_of(house, 1)) in (["Mend the roof with slate"], [])


def test_the_text_of_a_hunk_can_look_like_anything() -> None:
    lines = [
        "--- a/x.py",
        "+++ b/x.py",
        "@@ -3 +3,3 @@ def f",
        "--- a/y.py",
        "+++ b/y.py",
        "+@@ -1 +1 @@",
    ]
    lines += [
        "+\x1eno commit",
        "\\ No newline at end of file",
        "@@ -9,2 +10,0 @@",
        "-a",
        "-b",
        "\x1eabc Fix",
    ]
    assert list(read_hunks(lines, "\x1e")) == [
        ("x.py", Hunk(3, 1, 3, 3)),
        ("x.py", Hunk(9, 2, 10, 0)),
        ("\x1eabc Fix", None),
    ]


def test_no_history_is_said(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not in a git repository"):
        cases_of_history(tmp_path, {}, 10)


def test_the_command_scores_and_ablates(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(house.parent / "cache"))
    command = ("eval", "--history", "--root", str(house), "--ablate")
    report = json.loads(run_program(*command, "--json").stdout)
    assert report["all"]["all"]["ndcg"]["n"] == 4
    assert report["all"]["all"]["hit@10"]["mean"] == 1
    assert "source: words" in report["ablation"]
    output = run_program(*command).stdout
    assert "ndcg" in output
    assert "lost without" in output


def test_a_suite_or_the_history_not_both(tmp_path: Path) -> None:
    for arguments in ([], [str(tmp_path)], [str(tmp_path), "--history"]):
        done = run_program("eval", *arguments)
        assert done.returncode == 2
        assert "give either SUITE and --corpora, or --history" in done.stderr
