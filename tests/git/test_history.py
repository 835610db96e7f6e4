"""Git's history: read in the background, wrong in nothing, fatal to nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time

import pytest

from packhound.core.line_history import LineHistory
from packhound.core.types import Document
from packhound.git import stream
from packhound.git.blame import line_histories
from packhound.git.log import HistoryReader, parse_log, parse_status, read_history
from packhound.git.working_tree import Changes, changed_lines, move_lines, parse_diff
from tests.support.git_repository import git

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a b.py").write_text("x = 1\ny = 2\n")
    (tmp_path / "top.py").write_text("z = 3\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    (tmp_path / "sub" / "a b.py").write_text("x = 1\ny = 3\n")
    git(tmp_path, "commit", "-qam", "two")
    return tmp_path


@pytest.mark.skipif(sys.platform == "win32", reason="a script in place of git")
def test_a_git_that_takes_too_long_is_ended_and_named(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nprintf first\nexec sleep 600\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    root, lines = tmp_path / "root", []
    root.mkdir()
    printed = [*stream(root, "log", timeout_s=1.0, on_timeout=lines.append)]
    assert printed in (["first"], [])
    assert lines == ["git log took longer than 1 s; what it printed counts"]


@needs_git
def test_commits_and_dirt_by_file(repository):
    (repository / "top.py").write_text("z = 4\nnew = 5\n")
    actual = read_history(repository)
    assert actual.state == "ready"
    assert actual.files["sub/a b.py"].commits == 2 and actual.files["top.py"].commits == 1
    assert actual.dirty == {"top.py"} and actual.recency("top.py") == 1.0
    assert 0.9 < actual.recency("sub/a b.py") <= 1.0 and actual.recency("none.py") == 0.0
    assert changed_lines(repository) == {"top.py": ((0, 1),)}


@needs_git
def test_commits_on_a_branch_that_left_nothing_behind_count(repository):
    git(repository, "checkout", "-qb", "side")
    for text in ("z = 9\n", "z = 3\n"):
        (repository / "top.py").write_text(text)
        git(repository, "commit", "-qam", text.strip())
    git(repository, "checkout", "-q", "-")
    (repository / "sub" / "a b.py").write_text("x = 5\n")
    git(repository, "commit", "-qam", "main")
    git(repository, "merge", "-q", "--no-edit", "side")
    assert read_history(repository).files["top.py"].commits == 3
    (folder_history,) = read_history(repository / "sub").files.values()
    assert folder_history.commits == 3


@needs_git
def test_a_folder_within_a_repository(repository):
    (repository / "sub" / "a b.py").write_text("changed\n")
    actual = read_history(repository / "sub")
    assert set(actual.files) == {"a b.py"} and actual.dirty == {"a b.py"}


@needs_git
def test_what_is_no_repository_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert read_history(tmp_path).state == "untracked"
    assert changed_lines(tmp_path) == {}
    monkeypatch.setenv("PATH", "")
    assert read_history(tmp_path).state == "unavailable"


@needs_git
def test_reading_is_behind(repository):
    reader = HistoryReader(repository)
    assert reader.history.state == "reading"
    reader.refresh()
    assert reader.wait(30).state == "ready"


@needs_git
def test_files_that_git_does_not_have(repository):
    (repository / "fresh").mkdir()
    (repository / "fresh" / "new.py").write_text("n = 1\n")
    actual = read_history(repository)
    assert actual.is_new("fresh/new.py") and actual.recency("fresh/new.py") == 1.0
    assert not actual.is_new("top.py") and not actual.is_dirty("fresher/new.py")
    assert set(changed_lines(repository)) == {"fresh/new.py"}


@needs_git
def test_a_repository_without_commits(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("a = 1\n")
    actual = read_history(tmp_path)
    assert (actual.state, actual.files, actual.recency("a.py")) == ("ready", {}, 1.0)


def read(repository, saved):
    reader = HistoryReader(repository, saved)
    reader.refresh()
    return reader.wait(30)


@needs_git
def test_a_start_reads_only_commits_since_the_last_one(repository, tmp_path_factory):
    saved = tmp_path_factory.mktemp("cache") / "history.json"
    first = read(repository, saved)
    assert first.files == read_history(repository).files
    # What was kept is not read again, which is seen where it says something else.
    kept = json.loads(saved.read_text())
    kept["files"]["top.py"][1] = 1_000
    saved.write_text(json.dumps(kept))
    assert read(repository, saved).files["top.py"].last_change == 1_000
    (repository / "new.py").write_text("z = 5\n")
    git(repository, "add", "new.py")
    git(repository, "commit", "-qm", "three")
    second = read(repository, saved)
    assert second.files["top.py"].last_change == 1_000 and second.files["new.py"].commits == 1
    assert read(repository, saved) == second


@needs_git
@pytest.mark.parametrize("change", ["amended", "author", "broken", "gone"])
def test_what_was_kept_of_another_history_is_read_anew(repository, tmp_path_factory, change):
    saved = tmp_path_factory.mktemp("cache") / "history.json"
    read(repository, saved)
    kept = json.loads(saved.read_text())
    kept["files"]["top.py"][1] = 1_000
    saved.write_text(json.dumps(kept))
    if change == "amended":
        git(repository, "commit", "-q", "--amend", "-m", "other")
    elif change == "author":
        git(repository, "config", "user.email", "another@example.org")
    elif change == "broken":
        saved.write_text(saved.read_text()[:-10])
    else:
        saved.unlink()
    assert read(repository, saved).files == read_history(repository).files
    assert read(repository, saved).files == read_history(repository).files


@needs_git
def test_only_new_commits_are_read_again(repository):
    reader = HistoryReader(repository)
    reader.refresh()
    first = reader.wait(30)
    (repository / "top.py").write_text("z = 5\n")
    git(repository, "commit", "-qam", "three")
    reader.refresh()
    second = reader.wait(30)
    assert second.files == read_history(repository).files and second.head != first.head
    assert second.files["top.py"].commits == 2
    # A rewritten history is read from its start.
    git(repository, "reset", "-q", "--hard", "HEAD~1")
    git(repository, "commit", "-q", "--amend", "-m", "other")
    reader.refresh()
    assert reader.wait(30).files == read_history(repository).files


@needs_git
def test_own_commits_are_known(repository):
    git(repository, "config", "user.email", "a@b")
    assert len(read_history(repository).files["sub/a b.py"].own_commits) == 2
    git(repository, "config", "user.email", "other@b")
    assert read_history(repository).files["sub/a b.py"].own_commits == ()


def test_a_log_that_ends_early_counts_whole_commits():
    log = "\x1e300 a@b\n\0one.py\0two.py\0\x1e200 a@b\n\0one.py\0\x1e100 a@b\n\0thr"
    for size in (1, 7, 1_000):
        pieces = [log[i : i + size] for i in range(0, len(log), size)]
        actual = parse_log(pieces, "a@b")
        assert {name: file.commits for name, file in actual.items()} == {"one.py": 2, "two.py": 1}
        assert actual["one.py"].own_commits == (300, 200)


@needs_git
def test_odd_names_and_odd_lines(repository):
    names = ["ä b.py", 'quo"te.py', "plus.py"] if sys.platform != "win32" else ["ä b.py", "plus.py"]
    for name in names:
        (repository / name).write_text("one\ntwo\n", "utf-8", newline="")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "odd")
    git(repository, "config", "diff.mnemonicPrefix", "true")
    for name in names:
        text = "one\ntwo\n++ b/none.py\n@@ -1 +1 @@\n"
        (repository / name).write_text(text, "utf-8", newline="")
    assert changed_lines(repository) == {name: ((2, 3),) for name in names}


@needs_git
def test_an_editors_text_against_the_disk_and_the_disk_against_head(repository):
    opened = {}
    changes = Changes(repository, opened.get)
    changes.refresh()
    assert changes.lines("top.py") == ()
    opened["top.py"] = Document("top.py", b"new\nz = 3\n")
    assert changes.lines("top.py") == ((0, 0),)
    opened["top.py"] = Document("top.py", b"z = 3\n")
    assert changes.lines("top.py") == ()
    opened["none.py"] = Document("none.py", b"x\n")
    assert changes.lines("none.py")[0][0] == 0


def test_changed_lines_move_with_the_edits_above_them():
    assert move_lines([(10, 12)], []) == ((10, 12),)
    assert move_lines([(10, 12)], [(0, 0, 0, 3)]) == ((0, 2), (13, 15))
    assert move_lines([(10, 12)], [(2, 5, 2, 3)]) == ((2, 2), (8, 10))
    assert move_lines([(10, 12)], [(20, 21, 20, 24)]) == ((10, 12), (20, 23))
    assert move_lines([(10, 12)], [(11, 11, 11, 12)]) == ((10, 13), (11, 11))


@needs_git
def test_a_git_within_the_folder_is_not_run(tmp_path, monkeypatch):
    mark, fake = tmp_path / "ran", tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent))
    assert read_history(tmp_path).state == "unavailable"
    assert not mark.exists()


@needs_git
def test_settings_in_the_environment_speak_of_another_repository(repository, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(repository / "nowhere"))
    assert read_history(repository).state == "ready"


@needs_git
@pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts")
def test_a_signed_commit_is_not_checked_by_the_repositorys_program(repository):
    mark, program = repository / "ran", repository / "gpg"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    program.chmod(0o755)
    git(repository, "config", "log.showSignature", "true")
    git(repository, "config", "gpg.program", str(program))
    signed = subprocess.run(
        ["git", "cat-file", "commit", "HEAD"], cwd=repository, check=True, capture_output=True
    ).stdout.replace(b"\n\n", b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END\n\n", 1)
    commit = subprocess.run(
        ["git", "hash-object", "-w", "-t", "commit", "--stdin"],
        cwd=repository,
        input=signed,
        check=True,
        capture_output=True,
    ).stdout.decode()
    git(repository, "update-ref", "HEAD", commit.strip())
    subprocess.run(["git", "log"], cwd=repository, check=True, capture_output=True)
    assert mark.exists(), "git alone does run it"
    mark.unlink()
    assert read_history(repository).state == "ready"
    assert not mark.exists()


@needs_git
@pytest.mark.parametrize("included", [False, True])
def test_configuration_of_the_repository_runs_nothing(repository, included):
    mark = repository / "ran"
    git(repository, "config", "core.fsmonitor", f"touch '{mark}'; false")
    git(repository, "config", "diff.external", f"touch '{mark}'")
    git(repository, "config", "core.pager", f"touch '{mark}'")
    if included:
        (repository / "more").write_text(f'[filter "x"]\nclean = "touch \'{mark}\'; cat"\n')
        git(repository, "config", "include.path", "../more")
    else:
        git(repository, "config", "filter.x.clean", f"touch '{mark}'; cat")
    (repository / ".gitattributes").write_text("*.py filter=x\n")
    (repository / "top.py").write_text("other\n")
    read_history(repository)
    changed_lines(repository)
    assert not mark.exists()


def test_parsers_take_anything():
    assert parse_diff("nonsense\n@@ -1 +1 @@\n") == {}
    assert parse_status("") == (frozenset(), frozenset())
    assert parse_log(["x", "\x1e", "\0"]) == {}


@needs_git
def test_the_commits_of_lines_are_those_of_the_text_on_the_screen(repository):
    text = b"# unsaved\nx = 1\ny = 3\n"
    unsaved, old, both = line_histories(repository, "sub/a b.py", text, [(0, 0), (1, 1), (1, 2)])
    assert (unsaved.state, unsaved.commits) == ("not committed", 0)
    assert (old.state, old.commits) == ("committed", 1)
    assert (both.state, both.commits, both.is_stale) == ("committed", 2, False)
    assert both.last_change >= old.last_change > 0
    [new] = line_histories(repository, "new.py", b"a = 1\n", [(0, 0)])
    assert new.state == "untracked"
    [refused] = line_histories(repository, "top.py", b"z = 3\n", [(8, 9)])
    assert refused.state == "unavailable", "it is committed, and git did not answer"
    [cell] = line_histories(repository, "cells.ipynb", text, [(0, 0)])
    assert cell.state == "unavailable", "git has no text of cells"
    [of_folder] = line_histories(repository / "sub", "a b.py", text, [(1, 2)])
    assert of_folder == both


@needs_git
def test_lines_of_no_repository_have_no_history(tmp_path):
    assert [row.state for row in line_histories(tmp_path, "a.py", b"a\n", [(0, 0)])] == [
        "untracked"
    ]


@needs_git
def test_no_filter_is_run_to_read_the_history_of_lines(repository):
    (repository / ".gitattributes").write_text("* filter=evil\n")
    git(repository, "config", "filter.evil.clean", f"touch '{repository}/ran'; cat")
    [row] = line_histories(repository, "top.py", b"z = 3\n", [(0, 0)])
    assert row.state == "unavailable" and not (repository / "ran").exists()


def test_lines_are_stale_after_seven_days():
    days = (6, 8)
    rows = [LineHistory("committed", 1, int(time.time()) - n * 86_400) for n in days]
    assert [row.is_stale for row in rows] == [False, True]
    assert [row.describe() for row in rows] == [
        "1 commit, 6 days ago",
        "1 commit, 1 week ago (stale)",
    ]
