"""Files written all or none, wherever the process that writes them is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from packhound.files import Replacement, replaced_files, take_back

FILES = {"one.py": b"1\n", "lib/two.py": b"2\n", "three.py": b"3\n"}
WRITES = [
    Replacement("one.py", b"1\n", b"one\n"),
    Replacement("lib/two.py", b"2\n", None),
    Replacement("three.py", b"3\n", b"3\n", executable=True),
    Replacement("new/four.py", None, b"4\n"),
]
_KILLED = """
import os, signal, sys
from pathlib import Path
from packhound.files import replaced_files
from tests.files.test_writer import WRITES
tree, journals, kill_at = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
n = 0
def count(event, arguments):
    # What changes a folder, right before it does.
    global n
    if event in ("os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir"):
        n += 1
        if n == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(count)
with replaced_files(tree, WRITES, journals):
    pass
"""


def texts(tree: Path) -> dict[str, tuple[bytes, int]]:
    files = (path for path in tree.rglob("*") if path.is_file())
    return {
        path.relative_to(tree).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in files
    }


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        (tmp_path / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / path).write_bytes(text)
        (tmp_path / "tree" / path).chmod(0o644)
    return tmp_path / "tree"


def kill(tree: Path, journals: Path, at: int) -> bool:
    """Write in a process that is killed at its nth change of a folder; False if it had fewer."""
    command = [sys.executable, "-c", _KILLED, str(tree), str(journals), str(at)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


def test_a_kill_at_any_step_leaves_all_or_none(tree: Path, tmp_path: Path) -> None:
    before, journals = texts(tree), tmp_path / "journals"
    n_halves, at = 0, 0
    while kill(tree, journals, at := at + 1):
        interrupted = [*take_back(tree, journals)]
        assert not [*journals.glob("*")]
        if texts(tree) != before:
            # All was written, or nothing was taken back.
            assert not interrupted
            break
        n_halves += any(each.taken_back for each in interrupted)
        assert not [each for every in interrupted for each in every.changed]
        assert not (tree / "new").exists()
    assert n_halves >= 3
    assert texts(tree).keys() == {"one.py", "three.py", "new/four.py"}
    assert texts(tree)["three.py"] == (b"3\n", 0o755)


def killed_by_half(tree: Path, journals: Path) -> None:
    at = 1
    while kill(tree, journals, at) and (tree / "one.py").read_bytes() == b"1\n":
        [*take_back(tree, journals)]
        at += 1
    assert (tree / "lib/two.py").exists()


def test_what_was_changed_since_stays_and_is_named(tree: Path, tmp_path: Path) -> None:
    killed_by_half(tree, tmp_path / "journals")
    (tree / "one.py").write_bytes(b"mine\n")
    ((interrupted),) = take_back(tree, tmp_path / "journals")
    assert interrupted.changed == ["one.py"]
    assert (tree / "one.py").read_bytes() == b"mine\n"
    assert not [*take_back(tree, tmp_path / "journals")]


def test_what_is_being_written_is_left_alone(tree: Path, tmp_path: Path) -> None:
    journals = tmp_path / "journals"
    with replaced_files(tree, WRITES, journals):
        assert not [*take_back(tree, journals)]
        assert (tree / "one.py").read_bytes() == b"one\n"
    assert not [*journals.iterdir()]


def test_without_the_part_of_an_editor_nothing_is_whole(tree: Path, tmp_path: Path) -> None:
    """The process is killed when all is on the disk, and before the editor has saved its part."""
    journals = tmp_path / "journals"
    script = _KILLED.replace("WRITES, journals)", "WRITES[:1], journals, WRITES[1:2])")
    script = script.replace("    pass\n", "    os.kill(os.getpid(), signal.SIGKILL)\n")
    for saved in (b"2\n", None):
        command = [sys.executable, "-c", script, str(tree), str(journals), "0"]
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
        if saved is None:
            (tree / "lib/two.py").unlink()
        interrupted = [each.taken_back for each in take_back(tree, journals)]
        assert interrupted == ([["one.py"]] if saved else [])
        assert (tree / "one.py").read_bytes() == (b"1\n" if saved else b"one\n")


def test_a_journal_that_cannot_be_read_is_named_until_it_can(tree: Path, tmp_path: Path) -> None:
    journals = tmp_path / "journals"
    killed_by_half(tree, journals)
    [lock] = journals.glob("*.lock")
    journal, moved = lock.with_suffix(""), tmp_path / "moved"
    journal.rename(moved)
    journal.symlink_to(moved)
    for _ in range(2):
        assert [each.damaged for each in take_back(tree, journals)] == [journal]
    journal.unlink()
    moved.rename(journal)
    [interrupted] = take_back(tree, journals)
    assert interrupted.taken_back and not interrupted.damaged
