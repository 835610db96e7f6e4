"""A folder as if a patch were applied: answers as over a folder in which git applied it."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.overlays import set_aside, walk
from packhound.core.errors import SettingsError
from packhound.core.types import Document
from packhound.operations import as_text
from packhound.service import proposals as proposals_module
from packhound.service.engine import Engine
from packhound.service.overlays import text_digest
from tests.support.proposals import ask, committed

ROOT = Path(__file__).parents[2]
PARCEL = "def weigh_parcel(grams):\n    return grams * 2\n"
SEND = "from lib.parcel import weigh_parcel\n\n\ndef send():\n    return weigh_parcel(1)\n"
PATCH = """\
diff --git a/lib/parcel.py b/lib/parcel.py
--- a/lib/parcel.py
+++ b/lib/parcel.py
@@ -1,2 +1,6 @@
-def weigh_parcel(grams):
+def weigh_crate(grams):
     return grams * 2
+
+
+def stamp_zebra(letter):
+    return letter
diff --git a/lib/truck.py b/lib/truck.py
new file mode 100644
--- /dev/null
+++ b/lib/truck.py
@@ -0,0 +1,5 @@
+from lib.parcel import stamp_zebra
+
+
+def drive():
+    return stamp_zebra("a")
diff --git a/old.py b/old.py
deleted file mode 100644
--- a/old.py
+++ /dev/null
@@ -1,2 +0,0 @@
-def forgotten():
-    return 0
"""


@pytest.fixture
def post(tmp_path: Path, cache: Path) -> Iterator[Engine]:
    old = "def forgotten():\n    return 0\n"
    files = {"lib/parcel.py": PARCEL, "lib/send.py": SEND, "old.py": old}
    with committed(tmp_path / "post", files) as engine:
        yield engine


def test_what_a_patch_adds_is_found_and_marked_and_what_it_removes_is_not(post: Engine) -> None:
    found = ask(post, "search", query="stamp_zebra", patch=PATCH)
    assert found["hits"][0]["name"] == "stamp_zebra"
    assert found["hits"][0]["proposed"]
    assert "+ lib/parcel.py:5-6 function stamp_zebra" in as_text("search", found)
    assert "as if the patch were applied to post" in found["notes"]

    lines = ask(post, "grep", pattern="forgotten|drive|weigh_parcel", patch=PATCH)
    assert [group["path"] for group in lines["groups"]] == [
        "lib/send.py",
        "lib/send.py",
        "lib/truck.py",
    ]
    assert ask(post, "outline", path="lib/truck.py", patch=PATCH)["nodes"][0]["name"] == "drive"
    symbol = ask(post, "symbol", name="stamp_zebra", patch=PATCH)
    assert [caller["name"] for caller in symbol["callers"]] == ["drive"]
    read = ask(post, "read_node", path="lib/truck.py#drive", patch=PATCH)
    assert read["text"] == 'def drive():\n    return stamp_zebra("a")'
    assert "stamp_zebra" in ask(post, "pack", prompt="stamp_zebra", patch=PATCH)["text"]
    changes = ask(post, "changes", patch=PATCH)
    assert {row["name"] for row in changes["definitions"]} == {
        "weigh_crate",
        "stamp_zebra",
        "drive",
    }
    with pytest.raises(SettingsError, match=r"old\.py"):
        ask(post, "outline", path="old.py", patch=PATCH)


def test_what_a_patch_removes_is_said_beside_the_answer(post: Engine) -> None:
    gone = "the patch removes old.py#forgotten, lib/parcel.py#weigh_parcel"
    assert gone in ask(post, "search", query="forgotten", patch=PATCH)["notes"]
    assert gone in as_text("grep", ask(post, "grep", pattern=r"\bforgotten\b", patch=PATCH))
    with pytest.raises(SettingsError, match=f"no definition of 'forgotten' .*{gone}"):
        ask(post, "symbol", name="forgotten", patch=PATCH)
    new = "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+zebra = 1\n"
    assert "removes" not in str(ask(post, "search", query="zebra", patch=new)["notes"])


def test_the_folder_itself_is_as_it_was(post: Engine) -> None:
    before, snapshot = ask(post, "outline", path=""), post.snapshot
    files = {path: path.read_bytes() for path in post.root.rglob("*") if path.is_file()}
    ask(post, "search", query="stamp_zebra", patch=PATCH)

    assert post.snapshot is snapshot
    assert ask(post, "outline", path="") == before
    assert ask(post, "grep", pattern="zebra")["total_lines"] == 0
    assert not any(hit["name"] == "drive" for hit in ask(post, "search", query="drive")["hits"])
    assert {path: path.read_bytes() for path in post.root.rglob("*") if path.is_file()} == files
    # What the folder learns later is no part of the fork, and the other way round.
    (post.root / "later.py").write_text("def later_giraffe():\n    return 1\n")
    post.refresh()
    assert post.settled(60)
    assert ask(post, "grep", pattern="giraffe|zebra")["total_lines"] == 1
    assert ask(post, "grep", pattern="giraffe|zebra", patch=PATCH)["total_lines"] == 4
    assert ask(post, "symbol", name="later_giraffe", patch=PATCH)["path"] == "later.py"


def test_a_patch_is_applied_to_what_is_not_saved(post: Engine) -> None:
    unsaved = b"# a new first line\n" + PARCEL.encode()
    post.update(Document("lib/parcel.py", unsaved))
    read = ask(
        post, "read_node", path="lib/parcel.py", patch=PATCH.replace("-1,2 +1,6", "-2,2 +2,6")
    )
    assert read["text"].splitlines()[:2] == ["# a new first line", "def weigh_crate(grams):"]

    post.update(Document("lib/parcel.py", b"def other():\n    return 1\n"))
    with pytest.raises(SettingsError, match=r"does not apply to 'lib/parcel\.py': hunk 1 of 1"):
        ask(post, "search", query="zebra", patch=PATCH)
    post.release("lib/parcel.py")
    assert ask(post, "grep", pattern="def stamp_zebra", patch=PATCH)["total_lines"] == 1


def test_an_overlay_follows_its_file_and_says_that_it_has_moved_on(post: Engine) -> None:
    diff = "--- a/lib/send.py\n+++ b/lib/send.py\n@@ -3,3 +3,3 @@\n \n-def send():\n"
    diff += "+def send_all():\n     return weigh_parcel(1)\n"
    (proposed,) = ask(post, "propose", diff=diff)["files"]
    assert not proposed["moved_on"] and proposed["base"] == text_digest(SEND.encode())
    (post.root / "lib" / "send.py").write_text("# A new first line.\n" + SEND)
    post.refresh()
    assert post.settled(60)
    (row,) = ask(post, "overlays")["overlays"]
    assert row["applies"] and row["files"][0] == {**proposed, "moved_on": True}
    assert ask(post, "symbol", name="send_all", patch=row["id"])["start_line"] == 5


def test_a_patch_reaches_no_link_and_nothing_that_is_not_indexed(post: Engine) -> None:
    (post.root / "link").symlink_to("/tmp")
    (post.root / "passwords").symlink_to("/etc/passwd")
    (post.root / ".gitignore").write_text("hidden/\n")
    new = "--- /dev/null\n+++ b/{}\n@@ -0,0 +1 @@\n+zebra = 1\n"
    for path in ("link/x.py", "passwords", "lib", "passwords/x.py"):
        with pytest.raises(SettingsError, match="does not apply"):
            ask(post, "grep", pattern="zebra", patch=new.format(path))
    assert ask(post, "grep", pattern="zebra", patch=new.format("hidden/x.py"))["total_lines"] == 0
    assert ask(post, "grep", pattern="zebra", patch=new.format("shown/x.py"))["total_lines"] == 1
    with pytest.raises(SettingsError, match="'status' takes no patch; these do: search"):
        ask(post, "status", patch=PATCH)


def test_a_fork_goes_when_nobody_asks(post: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals_module, "_UNUSED_S", 0.01)
    folder = post.proposals.open(PATCH.encode()).folder
    while not folder.closed:
        threading.Event().wait(0.01)
    assert ask(post, "grep", pattern="zebra", patch=PATCH)["total_lines"] == 3


def test_a_proposal_streams_in_beside_typing(post: Engine) -> None:
    """Each piece of it is asked at once; each key is found at once; neither takes the other's."""

    def piece(n: int) -> str:
        lines = "".join(f"+def stamp_{each}():\n+    return {each}\n" for each in range(n + 1))
        return f"--- /dev/null\n+++ b/lib/stamps.py\n@@ -0,0 +1,{2 * n + 2} @@\n{lines}"

    identity = ask(post, "propose", diff=piece(0))["id"]
    failures, is_done = list[BaseException](), threading.Event()

    def stream() -> None:
        try:
            for n in range(1, 30):
                assert ask(post, "edit_overlay", id=identity, diff=piece(n))["applies"]
                found = ask(post, "grep", pattern=f"def stamp_{n}\\(", patch=identity)
                assert found["total_lines"] == 1
        except BaseException as failure:
            failures.append(failure)
        finally:
            is_done.set()

    streaming, n_typed = threading.Thread(target=stream), 0
    streaming.start()
    while not is_done.is_set() or n_typed < 30:
        n_typed += 1
        post.update(Document("lib/send.py", f"{SEND}typed_{n_typed} = 1\n".encode()), "editor")
        assert ask(post, "grep", pattern=f"typed_{n_typed}\\b")["total_lines"] == 1
    streaming.join()
    assert not failures, failures
    both = ask(post, "grep", pattern=rf"typed_{n_typed}\b|stamp_29", patch=identity)
    assert {group["path"] for group in both["groups"]} == {"lib/send.py", "lib/stamps.py"}
    assert ask(post, "grep", pattern="stamp_")["total_lines"] == 0


def test_an_overlay_is_kept_asked_by_its_id_and_discarded(post: Engine) -> None:
    proposed = ask(post, "propose", diff=PATCH, author="ann", message="Stamp letters")
    identity = proposed["id"]
    rows = {
        file["path"]: (file["change"], file["added"], file["removed"]) for file in proposed["files"]
    }
    assert rows == {
        "lib/parcel.py": ("changed", 5, 1),
        "lib/truck.py": ("new", 5, 0),
        "old.py": ("deleted", 0, 2),
    }
    assert ask(post, "propose", diff=PATCH)["id"] == identity
    assert ask(post, "search", query=f"stamp_zebra overlay:{identity}")["hits"][0]["proposed"]
    with pytest.raises(SettingsError, match="no overlay 'stripes'"):
        ask(post, "search", query="stamp_zebra overlay:stripes")
    assert ask(post, "grep", pattern="zebra", patch=identity)["total_lines"] == 3
    shown = as_text("overlay", ask(post, "overlay", id=identity, with_diff=True))
    assert "lib/truck.py +5 -0" in shown and "def stamp_zebra" in shown

    (post.root / "old.py").write_text("")
    post.refresh()
    assert post.settled(60)
    row = ask(post, "overlays")["overlays"][0]
    assert not row["applies"] and "old.py" in row["problem"]
    assert "does not apply any more" in as_text("overlay", row)

    assert ask(post, "discard_overlay", id=identity)["status"] == "discarded"
    with pytest.raises(SettingsError, match=f"no overlay '{identity}'; known: there is none"):
        ask(post, "search", query="zebra", patch=identity)
    for problem in (PATCH[:200], "no diff\n", "../x"):
        with pytest.raises(SettingsError):
            ask(post, "propose", diff=problem)


@pytest.mark.parametrize(
    "below", ["neovim/lua", pytest.param("server/packhound/git", marks=pytest.mark.slow)]
)
def test_answers_equal_those_over_a_folder_in_which_git_applied_it(below: str, cache: Path) -> None:
    """Over commits of this repository; `python -m benchmarks.overlays` walks any number."""
    log = subprocess.run(
        ["git", "rev-list", "-n", "30", "--no-merges", "HEAD", "--", below],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    if not shutil.which("git") or len(log) < 4:
        pytest.skip("the history of this repository is not here")
    with walk(ROOT, below) as walked:
        commits = [each for each in walked.commits[-4:-1] if not set_aside(walked.patch(each))]
        compared = [walked.step(commit, cold=commit == commits[-1]) for commit in commits]
    assert compared and not any(compared), compared
