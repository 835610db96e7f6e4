"""`--patch` and `packhound overlay`: what they print, and where their patches come from."""

import json
import os
import threading
from pathlib import Path

import pytest

from packhound.core.types import Document
from tests.support.command_line import packhound
from tests.support.daemon import served

DIFF = """\
--- /dev/null
+++ b/hatch.py
@@ -0,0 +1,2 @@
+def open_hatch():
+    return 'zebra'
"""


@pytest.mark.slow
def test_a_patch_is_a_file_or_an_overlay(tmp_path: Path, root: Path) -> None:
    diff, where = tmp_path / "fix.diff", f"--root={root}"
    diff.write_text(DIFF)
    done = packhound(tmp_path, "grep", "zebra", "--patch", str(diff), where)
    assert done.stdout.splitlines()[0] == "+ hatch.py:1-2 function open_hatch"
    found = packhound(tmp_path, "search", "open_hatch", "--patch", str(diff), where)
    assert "+ hatch.py:1" in found.stdout
    assert "as if the patch were applied" in found.stderr + found.stdout

    added = packhound(
        tmp_path, "overlay", "add", str(diff), where, "--author=ann", "--message=A hatch"
    )
    head, *lines = added.stdout.splitlines()
    identity = head.split()[1]
    assert head.startswith(f"overlay {identity} by ann, ") and head.endswith(": A hatch")
    assert "  new hatch.py +2 -0" in lines
    assert any(line.startswith("verdict: no break is known; ") for line in lines)
    shown = packhound(tmp_path, "show", "hatch.py", "--patch", identity, where)
    assert "return 'zebra'" in shown.stdout
    assert identity in packhound(tmp_path, "overlay", "list", where).stdout
    assert packhound(tmp_path, "overlay", "discard", identity, where).returncode == 0
    gone = packhound(tmp_path, "grep", "zebra", "--patch", identity, where)
    assert gone.returncode == 2 and f"no overlay '{identity}'" in gone.stderr
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(DIFF,))
    writer.start()
    piped = packhound(tmp_path, "grep", "zebra", "--patch", str(pipe), where)
    writer.join(60)
    # A shell takes the last line feed off what a command prints.
    said = packhound(tmp_path, "grep", "zebra", "--patch", DIFF.removesuffix("\n"), where)
    read = packhound(tmp_path, "grep", "zebra", "--patch", "-", where, stdin=DIFF)
    assert piped.stdout == said.stdout == read.stdout == done.stdout
    missing = packhound(tmp_path, "grep", "zebra", "--patch", "no.diff", where)
    assert missing.returncode == 2 and "there is no file 'no.diff'" in missing.stderr
    assert not (root / "hatch.py").exists()


def test_a_patch_is_applied_to_the_unsaved_text_of_a_server(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    diff = tmp_path / "fix.diff"
    diff.write_text("--- a/door.py\n+++ b/door.py\n@@ -1,2 +1,2 @@\n-x = 1\n+zebra = 1\n y = 2\n")
    with served(root) as engine:
        engine.update(Document("door.py", b"x = 1\ny = 2\n"))
        done = packhound(
            tmp_path, "grep", "zebra", "--patch", str(diff), "--root", str(root), "--json"
        )
    (group,) = json.loads(done.stdout)["groups"]
    assert group["path"] == "door.py" and group["proposed"]


def test_a_proposal_is_edited_rejected_and_accepted(tmp_path: Path, root: Path) -> None:
    diff, other, where = tmp_path / "fix.diff", tmp_path / "other.diff", f"--root={root}"
    diff.write_text(DIFF)
    other.write_text(DIFF.replace("hatch", "gate"))
    added = packhound(tmp_path, "overlay", "add", str(diff), where)
    identity = added.stdout.split()[1].rstrip(",")
    edited = packhound(tmp_path, "overlay", "edit", identity, str(other), where)
    assert f"overlay {identity}" in edited.stdout and "new gate.py" in edited.stdout
    done = packhound(tmp_path, "overlay", "reject", identity, where, "--reason=No gate", "--by=ann")
    assert done.stdout == f"overlay {identity} is rejected\n"
    assert packhound(tmp_path, "overlay", "list", where).stdout.startswith("no overlays are open; ")
    listed = packhound(tmp_path, "overlay", "list", "--all", where)
    assert "rejected by ann" in listed.stdout and ": No gate" in listed.stdout

    accepted = packhound(tmp_path, "overlay", "accept", str(diff), where)
    assert accepted.stdout.splitlines()[1] == "  new hatch.py"
    assert (root / "hatch.py").read_text() == "def open_hatch():\n    return 'zebra'\n"
    again = packhound(tmp_path, "overlay", "accept", str(diff), where)
    assert again.returncode == 2 and "there is such a file already" in again.stderr


def test_nothing_is_accepted_over_what_a_server_knows_as_unsaved(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    diff, door = tmp_path / "fix.diff", root / "door.py"
    door.write_text("x = 1\ny = 2\n")
    diff.write_text("--- a/door.py\n+++ b/door.py\n@@ -1,2 +1,2 @@\n-x = 1\n+zebra = 1\n y = 2\n")
    with served(root) as engine:
        engine.update(Document("door.py", b"x = 1\ny = 2\ntyped = 3\n"))
        done = packhound(
            tmp_path, "overlay", "accept", str(diff), "--root", str(root), "--three-way"
        )
    assert done.returncode == 2
    assert "nothing was written: unsaved changes in door.py" in done.stderr
    assert "in that editor and merge with --three-way" in done.stderr
    assert door.read_text() == "x = 1\ny = 2\n"
