"""Git and activation: read beside the work, wrong in nothing, fatal to nothing."""

from __future__ import annotations

import math
import shutil
import stat
import subprocess
import sys

import pytest

from packhound.activation import Activation
from packhound.history import HistoryReader, changed_lines, parse_diff, parse_status, read_history

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder, *arguments):
    subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@b", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
    )


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


@needs_git
def test_commits_and_dirt_by_file(repository):
    (repository / "top.py").write_text("z = 4\nnew = 5\n")
    found = read_history(repository)
    assert found.state == "ready"
    assert found.files["sub/a b.py"].commits == 2 and found.files["top.py"].commits == 1
    assert found.dirty == {"top.py"} and found.recency("top.py") == 1.0
    assert 0.9 < found.recency("sub/a b.py") <= 1.0 and found.recency("none.py") == 0.0
    assert changed_lines(repository) == {"top.py": ((0, 1),)}


@needs_git
def test_a_folder_within_a_repository(repository):
    (repository / "sub" / "a b.py").write_text("changed\n")
    found = read_history(repository / "sub")
    assert set(found.files) == {"a b.py"} and found.dirty == {"a b.py"}


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
def test_configuration_of_the_repository_runs_nothing(repository):
    mark = repository / "ran"
    git(repository, "config", "core.fsmonitor", f"touch '{mark}'; false")
    git(repository, "config", "diff.external", f"touch '{mark}'")
    git(repository, "config", "core.pager", f"touch '{mark}'")
    git(repository, "config", "filter.x.clean", f"touch '{mark}'; cat")
    (repository / ".gitattributes").write_text("*.py filter=x\n")
    (repository / "top.py").write_text("other\n")
    read_history(repository)
    changed_lines(repository)
    assert not mark.exists()


def test_parsers_take_anything():
    assert parse_diff("nonsense\n@@ -1 +1 @@\n") == {}
    assert parse_status("") == frozenset()


def test_activation_follows_act_r(tmp_path):
    now = [1_000.0]
    kept = Activation(tmp_path / "uses.json", clock=lambda: now[0])
    assert kept.level("a.py", "f") == -math.inf and kept.signal("a.py", "f") == 0.0
    kept.use("a.py", "f", "open")
    now[0] = 1_100.0
    assert kept.level("a.py", "f") == pytest.approx(math.log(100**-0.5))
    kept.use("a.py", "f", "open")
    now[0] = 1_200.0
    assert kept.level("a.py", "f") == pytest.approx(math.log(200**-0.5 + 100**-0.5))
    kept.save()
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "uses.json").stat().st_mode) == 0o600
    again = Activation(tmp_path / "uses.json", clock=lambda: now[0])
    assert again.level("a.py", "f") == kept.level("a.py", "f")
    again.clear()
    assert not (tmp_path / "uses.json").exists() and again.names() == ()


def test_a_damaged_file_is_none(tmp_path):
    for damage in ("{", "[[1]]", '[["a", "b", [["x", 1]]]]', "null"):
        (tmp_path / "uses.json").write_text(damage)
        assert Activation(tmp_path / "uses.json").names() == ()


def test_what_is_remembered_is_bounded():
    kept = Activation(None)
    for i in range(100):
        kept.use("a.py", "f", "edit")
        kept.use("a.py", f"g{i}", "pick")
    assert len(kept._uses["a.py", "f"]) == 32
