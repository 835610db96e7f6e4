"""Accepting a proposed patch: what is written, what is refused, and that nothing is lost."""

from __future__ import annotations

import difflib
import os
import random
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.types import Document
from packhound.operations import as_text
from packhound.service.acceptance import FileChange, plan_changes, written
from packhound.service.engine import Engine
from packhound.service.overlays import journals_folder
from tests.support import release
from tests.support.git_repository import IDENTITY, git
from tests.support.proposals import ask, committed

ONE = "".join(f"line {n}\n" for n in range(1, 31))
FILES = {"one.py": ONE, "lib/two.py": ONE, "three.txt": ONE, "run.sh": "echo 1\n"}


@pytest.fixture
def folder(tmp_path: Path, cache: Path) -> Iterator[Engine]:
    with committed(tmp_path / "folder", FILES) as engine:
        yield engine


def diff_of(path: str, old: str | None, new: str | None) -> str:
    """Return the part of a patch for one file."""
    before, after = ((text or "").splitlines(keepends=True) for text in (old, new))
    names = f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new else "/dev/null"
    return "".join(difflib.unified_diff(before, after, *names))


def said(folder: Engine, *arguments: str) -> str:
    """Return what git says of a folder."""
    done = subprocess.run(
        ["git", *IDENTITY, *arguments], cwd=folder.root, capture_output=True, text=True, check=True
    )
    return done.stdout


CHANGE = diff_of("one.py", ONE, ONE.replace("line 5\n", "line five\n"))
NEW = diff_of("new/four.py", None, "x = 1\n")
GONE = diff_of("lib/two.py", ONE, None)
RENAMED = """\
diff --git a/three.txt b/lib/3.txt
rename from three.txt
rename to lib/3.txt
--- a/three.txt
+++ b/lib/3.txt
@@ -1,2 +1,2 @@
-line 1
+line one
 line 2
"""
EXECUTABLE = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"


def test_all_files_of_a_patch_are_written_and_the_decision_is_kept(folder: Engine) -> None:
    (folder.root / "one.py").chmod(0o640)
    proposed = ask(folder, "propose", diff=CHANGE + NEW + GONE + RENAMED + EXECUTABLE, author="ann")
    accepted = ask(folder, "accept", proposal=proposed["id"], by="bob", reason="It is right")

    assert (folder.root / "one.py").read_text() == ONE.replace("line 5\n", "line five\n")
    assert stat.S_IMODE((folder.root / "one.py").stat().st_mode) == 0o640
    assert (folder.root / "new/four.py").read_text() == "x = 1\n"
    assert (folder.root / "lib/3.txt").read_text() == ONE.replace("line 1\n", "line one\n")
    assert not (folder.root / "three.txt").exists() and not (folder.root / "lib/two.py").exists()
    assert os.access(folder.root / "run.sh", os.X_OK)
    assert not [*folder.root.rglob(".packhound*")]
    changes = {row["path"]: row["change"] for row in accepted["files"]}
    assert changes == {
        **{"one.py": "changed", "new/four.py": "new", "lib/two.py": "deleted"},
        **{"three.txt": "deleted", "lib/3.txt": "renamed", "run.sh": "changed"},
    }
    assert "  new new/four.py" in as_text("accept", accepted)

    assert ask(folder, "overlays")["overlays"] == []
    (row,) = ask(folder, "overlays", all=True)["overlays"]
    (decision,) = row["decisions"]
    assert (decision["decision"], decision["by"]) == ("accepted", "bob")
    assert decision["reason"] == "It is right" and decision["base"].keys() == changes.keys()
    assert decision["verdict"].startswith(("no break is known", "1 ", "2 "))
    with pytest.raises(SettingsError, match="was accepted already"):
        ask(folder, "accept", proposal=proposed["id"])
    # What was written is searched.
    assert folder.settled(60)
    assert ask(folder, "grep", pattern="line five")["total_lines"] == 1


def test_a_diff_is_accepted_as_it_is_and_one_that_is_rejected_is_kept_with_the_reason(
    folder: Engine,
) -> None:
    assert ask(folder, "accept", proposal=NEW)["status"] == "accepted"
    proposed = ask(folder, "propose", diff=CHANGE)
    with pytest.raises(SettingsError, match="say why it is rejected"):
        ask(folder, "reject", id=proposed["id"])
    ask(folder, "reject", id=proposed["id"], reason="Not five", by="ann")
    assert ask(folder, "overlays")["overlays"] == []
    text = as_text("overlays", ask(folder, "overlays", all=True))
    assert "rejected by ann" in text and ": Not five" in text
    assert (folder.root / "one.py").read_text() == ONE
    # Proposed again it is open again, and what was decided is still said.
    again = ask(folder, "propose", diff=CHANGE)
    assert again["id"] == proposed["id"] and again["open"]
    assert [each["decision"] for each in again["decisions"]] == ["rejected"]


def test_bytes_that_are_not_utf_8_stay_those_of_the_patch(folder: Engine) -> None:
    old = 'def lat():\n    return "caf\udce9"\n'
    new = old.replace("lat", "lat2").replace("caf", "th")
    path = folder.root / "lat.py"
    path.write_text(old, encoding="utf-8", errors="surrogateescape")
    git(folder.root, "add", ".")
    git(folder.root, "commit", "-qm", "Latin")

    proposed = ask(folder, "propose", diff=diff_of("lat.py", old, new))
    ask(folder, "accept", proposal=proposed["id"])
    assert path.read_bytes() == b'def lat2():\n    return "th\xe9"\n'
    git(folder.root, "add", ".")
    git(folder.root, "commit", "-qm", "Latin again")
    ask(folder, "accept", proposal=diff_of("lat.py", new, old))
    assert path.read_bytes() == b'def lat():\n    return "caf\xe9"\n'


def test_an_overlay_is_edited_under_its_id(folder: Engine) -> None:
    proposed = ask(folder, "propose", diff=CHANGE)
    edited = ask(folder, "edit_overlay", id=proposed["id"], diff=NEW)
    assert edited["id"] == proposed["id"]
    assert [file["path"] for file in edited["files"]] == ["new/four.py"]
    # The first diff is another overlay now.
    assert ask(folder, "propose", diff=CHANGE)["id"] != proposed["id"]
    assert len(ask(folder, "overlays")["overlays"]) == 2


def test_work_in_no_commit_is_refused_or_merged(folder: Engine) -> None:
    mine = ONE.replace("line 20\n", "mine 20\n")
    (folder.root / "one.py").write_text(mine)
    (folder.root / "new").mkdir()
    (folder.root / "new/mine.py").write_text("mine = 1\n")
    folder.refresh()
    with pytest.raises(SettingsError, match=r"uncommitted changes in one\.py: commit them, or mer"):
        ask(folder, "accept", proposal=CHANGE + NEW)
    assert (folder.root / "one.py").read_text() == mine
    assert not (folder.root / "new/four.py").exists()
    with pytest.raises(SettingsError, match=r"uncommitted changes in new/mine\.py"):
        ask(folder, "accept", proposal=diff_of("new/mine.py", "mine = 1\n", "mine = 2\n"))

    (row,) = ask(folder, "accept", proposal=CHANGE, three_way=True)["files"]
    assert not row["merged"]
    assert (folder.root / "one.py").read_text() == mine.replace("line 5\n", "line five\n")
    # It was made for the commit, and its context is no more.
    near = diff_of("one.py", ONE, ONE.replace("line 17\n", "line 17.5\n"))
    with pytest.raises(SettingsError, match=r"it applies to the last commit: merge \(three-way\)"):
        ask(folder, "accept", proposal=near)
    (row,) = ask(folder, "accept", proposal=near, three_way=True)["files"]
    assert row["merged"]
    merged = (folder.root / "one.py").read_text()
    assert "line five\n" in merged and "line 17.5\n" in merged and "mine 20\n" in merged


def test_a_conflict_is_reported_and_nothing_is_written(folder: Engine) -> None:
    mine = ONE.replace("line 5\n", "mine 5\n")
    (folder.root / "one.py").write_text(mine)
    folder.refresh()
    with pytest.raises(SettingsError, match=r"changes of the same lines as in the patch in one\.p"):
        ask(folder, "accept", proposal=NEW + CHANGE, three_way=True)
    assert (folder.root / "one.py").read_text() == mine
    assert not (folder.root / "new").exists()


def test_what_is_not_saved_is_for_its_editor_alone(folder: Engine) -> None:
    folder.update(Document("one.py", ONE.encode()), "an editor")
    assert plan_changes(folder, CHANGE.encode(), three_way=False)
    unsaved = ONE.replace("line 20\n", "typed 20\n").encode()
    folder.update(Document("one.py", unsaved), "an editor")
    for three_way in (False, True):
        with pytest.raises(SettingsError, match=r"unsaved changes in one\.py: save them"):
            ask(folder, "accept", proposal=CHANGE, three_way=three_way)
    (change,) = plan_changes(folder, CHANGE.encode(), three_way=True, editor="an editor")
    assert change.is_unsaved and edited(change) == unsaved.replace(b"line 5\n", b"line five\n")
    assert (folder.root / "one.py").read_text() == ONE


def edited(change: FileChange) -> bytes:
    """Return what an editor has once it has made the edits of a change."""
    text = change.seen or b""
    for start, end, new in reversed(change.edits):
        text = text[:start] + new + text[end:]
    return text


def write(folder: Engine, changes: Sequence[FileChange]) -> None:
    with written(folder, changes):
        pass


def test_a_failure_takes_back_what_was_written(folder: Engine) -> None:
    outside = folder.root.parent / "outside"
    outside.mkdir()
    changes = plan_changes(folder, (CHANGE + NEW + GONE).encode(), three_way=False)
    (folder.root / "lib/two.py").write_text("changed meanwhile\n")
    with pytest.raises(SettingsError, match=r"nothing was written: lib/two\.py: it was changed m"):
        write(folder, changes)
    assert (folder.root / "one.py").read_text() == ONE
    assert (folder.root / "lib/two.py").read_text() == "changed meanwhile\n"
    assert not (folder.root / "new").exists() and not [*folder.root.rglob(".packhound*")]
    # A link that came meanwhile is not followed.
    changes = plan_changes(folder, (CHANGE + NEW).encode(), three_way=False)
    (folder.root / "new").symlink_to(outside)
    with pytest.raises(SettingsError, match="nothing was written"):
        write(folder, changes)
    assert not [*outside.iterdir()] and (folder.root / "one.py").read_text() == ONE


def test_what_was_changed_since_it_was_written_stays_and_is_named(folder: Engine) -> None:
    changes = plan_changes(folder, (CHANGE + NEW).encode(), three_way=False)

    def refuse() -> None:
        (folder.root / "one.py").write_text("mine\n")
        raise OSError(28, "No space left on device", "two.py")

    with pytest.raises(SettingsError) as refused, written(folder, changes):
        refuse()
    said = str(refused.value)
    assert said.startswith("two.py: No space left on device; what was written is taken back, but")
    assert said.endswith("which stay as they are: one.py")
    assert (folder.root / "one.py").read_text() == "mine\n"
    assert not (folder.root / "new").exists()


_KILLED = """
import os, signal, sys
from pathlib import Path
from packhound.service.engine import Engine
from tests.service.test_acceptance import CHANGE, NEW
from tests.support.proposals import ask
engine = Engine.open(Path(sys.argv[1]))
assert engine.settled(60)
def kill(event, arguments):
    # The second file, once the first is in its place.
    if event == "os.link":
        os.kill(os.getpid(), signal.SIGKILL)
ask(engine, "propose", diff=CHANGE + NEW)
sys.addaudithook(kill)
ask(engine, "accept", proposal=CHANGE + NEW)
"""


@pytest.mark.slow
def test_what_a_killed_process_wrote_by_half_is_taken_back_and_told(
    tmp_path: Path, cache: Path
) -> None:
    with committed(tmp_path / "folder", FILES) as engine:
        root = engine.root
    command = [sys.executable, "-c", _KILLED, str(root)]
    killed = subprocess.run(command, check=False, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert (root / "one.py").read_text() != ONE and [*root.rglob(".packhound*")]
    engine = Engine.open(root)
    try:
        assert said(engine, "status", "--porcelain") == ""
        listed = ask(engine, "overlays")
        assert len(listed["overlays"]) == 1 and listed["overlays"][0]["applies"]
        (note,) = listed["notes"]
        assert "accepted by half when its process was killed; taken back: one.py" in note
        assert note in as_text("overlays", listed)
        assert ask(engine, "overlays")["notes"] == []
        assert ask(engine, "accept", proposal=CHANGE + NEW)["notes"] == []
        assert (root / "new/four.py").exists()
    finally:
        engine.close()


@pytest.mark.parametrize(
    "text", [b'{"undo": {"one.py"', b'{"undo":{"a\xff":1},"beside":[]}', b"\0" * 9]
)
def test_a_journal_that_cannot_be_read_is_told_once_and_kept(folder: Engine, text: bytes) -> None:
    journals = journals_folder(folder.root)
    journals.mkdir(parents=True, mode=0o700)
    (journals / "0a1b.lock").touch(0o600)
    (journals / "0a1b").write_bytes(text)
    (journals / "0a1b").chmod(0o600)
    (note,) = ask(folder, "overlays")["notes"]
    assert "what would take it back cannot be read: compare the files with git" in note
    assert f"its journal stays, '{journals / '0a1b'}'" in note
    assert [path.name for path in journals.iterdir()] == ["0a1b"]
    assert ask(folder, "overlays")["notes"] == []


def test_a_commit_has_the_files_of_the_proposal_and_runs_the_users_hooks(folder: Engine) -> None:
    for name, value in (("user.name", "t"), ("user.email", "t@t")):
        git(folder.root, "config", name, value)
    (folder.root / "three.txt").write_text("staged\n")
    git(folder.root, "add", "three.txt")
    hook = folder.root / ".git/hooks/commit-msg"
    hook.write_text(f'#!/bin/sh\necho "$(cat $1)" > {folder.root.parent / "said"}\n')
    hook.chmod(0o755)
    proposed = ask(folder, "propose", diff=CHANGE + NEW, author="ann", message="Five")
    for subject, problem in (
        ("five", "expected 'type"),
        ("feat: " + "x" * 80, "72"),
        ("feat: token ghp_0123456789abcdefghijABCDEFGHIJ012345", "looks like a secret"),
    ):
        with pytest.raises(SettingsError, match=problem):
            ask(folder, "accept", proposal=proposed["id"], commit=subject)
    (folder.root / "one.py").write_text(ONE + "mine\n")
    with pytest.raises(SettingsError, match=r"which the commit would have too, in one\.py: commit"):
        ask(folder, "accept", proposal=proposed["id"], commit="feat: five", three_way=True)
    assert (folder.root / "one.py").read_text() == ONE + "mine\n"
    (folder.root / "one.py").write_text(ONE)
    accepted = ask(folder, "accept", proposal=proposed["id"], commit="feat(lib): say five")

    assert said(folder, "rev-parse", "HEAD").strip() == accepted["commit"]
    assert said(folder, "show", "--name-only", "--format=%s").split() == [
        *("feat(lib):", "say", "five", "new/four.py", "one.py")
    ]
    body = said(folder, "show", "-s", "--format=%b")
    assert "Five" in body and f"Overlay: {proposed['id']}" in body and "Proposed-by: ann" in body
    assert (folder.root.parent / "said").read_text().startswith("feat(lib): say five")
    assert said(folder, "status", "--porcelain") == "M  three.txt\n"


def test_a_hook_that_refuses_leaves_the_files_and_says_so(folder: Engine) -> None:
    hook = folder.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho no five >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(SettingsError, match=r"written, but not committed: .*no five"):
        ask(folder, "accept", proposal=NEW, commit="feat: say five")
    assert said(folder, "status", "--porcelain") == "?? new/\n"


@pytest.mark.parametrize("path", [".husky/pre-commit", "lib/hooks/pre-commit"])
def test_what_runs_at_a_commit_is_not_committed_unseen(folder: Engine, path: str) -> None:
    git(folder.root, "config", "core.hooksPath", "lib/hooks")
    change = diff_of(path, None, "rm -rf x\n")
    with pytest.raises(SettingsError, match="says what runs at a commit"):
        ask(folder, "accept", proposal=change, commit="ci: check")
    assert ask(folder, "accept", proposal=change)["status"] == "accepted"


@pytest.mark.parametrize("is_folder", [True, False])
def test_what_a_link_makes_a_hook_is_not_committed_unseen(folder: Engine, is_folder: bool) -> None:
    hooks = folder.root / "hooks"
    if is_folder:
        hooks.symlink_to("lib")
        git(folder.root, "config", "core.hooksPath", "hooks")
    else:
        (folder.root / ".git/hooks/pre-commit").symlink_to("../../lib/pre-commit")
    change = diff_of("lib/pre-commit", None, "rm -rf x\n")
    with pytest.raises(SettingsError, match="says what runs at a commit"):
        ask(folder, "accept", proposal=change, commit="ci: check")


def test_what_a_hook_names_is_not_committed_unseen_and_hooks_are_told(folder: Engine) -> None:
    for name, script in (("pre-commit", "sh scripts/lint.sh"), ("post-commit", "true")):
        hook = folder.root / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\n{script}\n")
        hook.chmod(0o755)
    lint = diff_of("scripts/lint.sh", None, "exit 0\n")
    with pytest.raises(SettingsError, match=r"in CI: the hook pre-commit names it: accept the"):
        ask(folder, "accept", proposal=lint, commit="ci: lint")
    assert ask(folder, "accept", proposal=lint)["hooks"] == []
    for name, value in (("user.name", "t"), ("user.email", "t@t")):
        git(folder.root, "config", name, value)
    accepted = ask(folder, "accept", proposal=CHANGE, commit="feat: say five")
    assert accepted["hooks"] == ["post-commit", "pre-commit"]
    assert "; hooks that ran: post-commit, pre-commit" in as_text("accept", accepted)


def test_nothing_that_a_submodule_names_runs(folder: Engine, tmp_path: Path) -> None:
    sub = folder.root / "sub"
    sub.mkdir()
    (sub / "x.py").write_text("x = 1\n")
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "x")):
        git(sub, *command)
    git(folder.root, "add", "sub")
    git(folder.root, "commit", "-qm", "sub")
    git(sub, "config", "filter.m.clean", f"sh -c 'touch {tmp_path}/ran; cat'")
    (sub / ".git/info/attributes").write_text("* filter=m\n")
    (sub / "x.py").write_text("x = 2\n")
    with pytest.raises(SettingsError):
        ask(folder, "accept", proposal=diff_of("sub", None, "x\n"))
    assert not (tmp_path / "ran").exists()
    assert (sub / "x.py").read_text() == "x = 2\n"


def test_without_git_only_a_merge_writes(
    folder: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SettingsError, match=r"git does not say .* merge \(three-way\)"):
        ask(folder, "accept", proposal=CHANGE)
    assert ask(folder, "accept", proposal=CHANGE, three_way=True)["status"] == "accepted"
    assert "line five" in (folder.root / "one.py").read_text()


STATES = ("clean", "uncommitted", "staged", "both", "unsaved", "unsaved and uncommitted", "gone")


class State:
    """Random work of a user's in a repository, and a random patch for its last commit."""

    def __init__(self, folder: Engine, seed: int) -> None:
        self.folder, self.chance, self.n = folder, random.Random(seed), 0
        git(folder.root, "reset", "-q", "--hard")
        git(folder.root, "clean", "-qfdx")
        self.unsaved: dict[str, bytes] = {}
        for path in ("one.py", "lib/two.py", "three.txt"):
            self._work_on(path, self.chance.choice(STATES))
        if self.chance.random() < 0.3:
            (folder.root / "new").mkdir()
            (folder.root / "new/four.py").write_text(self._edit(""))
        folder.refresh()
        assert folder.settled(60)

    def _edit(self, text: str) -> str:
        """Return a text in which the user has written and deleted lines."""
        lines = text.splitlines(keepends=True)
        for _ in range(self.chance.randint(1, 4)):
            self.n += 1
            at, gone = self.chance.randint(0, len(lines)), self.chance.choice([0, 0, 1, 2])
            lines[at : at + gone] = [f"mine {self.n}\n"]
        return "".join(lines)

    def _work_on(self, path: str, state: str) -> None:
        file, text = self.folder.root / path, FILES[path]
        if state in ("staged", "both", "uncommitted", "unsaved and uncommitted"):
            text = self._edit(text)
            file.write_text(text)
        if state in ("staged", "both"):
            git(self.folder.root, "add", path)
        if state == "both":
            text = self._edit(text)
            file.write_text(text)
        if state.startswith("unsaved"):
            self.unsaved[path] = self._edit(text).encode()
            self.folder.update(Document(path, self.unsaved[path]), self)
        if state == "gone":
            file.unlink()

    def patch(self) -> str:
        """Return changes that somebody else makes of the commit: two lines of each, at most."""
        parts = [NEW] if self.chance.random() < 0.3 else []
        for path in ("one.py", "lib/two.py"):
            new = ONE
            for n in self.chance.sample(range(1, 31), self.chance.choice([0, 1, 1, 2])):
                new = new.replace(f"line {n}\n", self.chance.choice(["", f"theirs {n}\n"]))
            parts += [diff_of(path, ONE, new)] if new != ONE else []
        parts.append(self.chance.choice(["", RENAMED, diff_of("three.txt", ONE, None)]))
        return "".join(parts) or CHANGE

    def texts(self) -> dict[str, bytes]:
        """Return what the user has written: files by path, and what is not saved."""
        root = self.folder.root
        files = {path.relative_to(root).as_posix(): path for path in root.rglob("*")}
        kept = {
            p: f.read_bytes() for p, f in files.items() if f.is_file() and ".git" not in f.parts
        }
        return {**kept, **{f"unsaved {path}": text for path, text in self.unsaved.items()}}

    def accept(self, patch: str, *, three_way: bool) -> None:
        """Accept a patch in the editor that has what is not saved. Raises SettingsError."""
        changes = plan_changes(self.folder, patch.encode(), three_way=three_way, editor=self)
        write(self.folder, [each for each in changes if each.path not in self.unsaved])
        for each in changes:
            if each.path in self.unsaved:
                self.unsaved[each.path] = edited(each)

    def close(self) -> None:
        for path in self.unsaved:
            self.folder.release(path, self)


def lines_of(texts: dict[str, bytes]) -> dict[str, set[bytes]]:
    return {path: {*text.splitlines()} for path, text in texts.items()}


def check_nothing_is_lost(folder: Engine, seed: int) -> bool:
    """Accept a random patch beside random work; return True if it was accepted."""
    state = State(folder, seed)
    patch, three_way = state.patch(), state.chance.random() < 0.6
    before, index = state.texts(), (folder.root / ".git/index").read_bytes()
    try:
        state.accept(patch, three_way=three_way)
        is_accepted = True
    except SettingsError:
        is_accepted = False
    after = state.texts()
    assert (folder.root / ".git/index").read_bytes() == index
    assert not [path for path in after if ".packhound" in path]
    if not is_accepted:
        assert after == before
    elif not three_way:
        mine = {path for path, text in before.items() if b"mine" in text}
        assert {path: after[path] for path in mine} == {path: before[path] for path in mine}
    was, now = lines_of(before), lines_of(after)
    for path, lines in was.items():
        moved = path if path in now else "lib/3.txt"
        written = {line for line in lines if line.startswith(b"mine")}
        assert written <= now.get(moved, set()), (path, written)
        original = {*FILES.get(path.removeprefix("unsaved "), "").encode().splitlines()}
        deleted = original - lines
        assert not deleted & now.get(moved, set()), (path, deleted)
    state.close()
    return is_accepted


def test_nothing_of_the_users_is_lost(folder: Engine) -> None:
    accepted = [check_nothing_is_lost(folder, seed) for seed in range(60)]
    assert 10 < sum(accepted) < 50


@pytest.mark.release
def test_nothing_of_the_users_is_lost_in_a_thousand_states(folder: Engine) -> None:
    first, n = 60 + release.seed() * 10_000, release.size(1_000)
    accepted = [check_nothing_is_lost(folder, seed) for seed in range(first, first + n)]
    assert 0.15 < sum(accepted) / n < 0.85
