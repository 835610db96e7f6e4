"""The user's own ignore file is the one that git reads, with or without git."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from packhound.core.settings import Settings
from packhound.git.client import user_ignore_file
from packhound.index.writer import Index
from packhound.indexing.indexer import Indexer

needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git reads its settings")


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    config = tmp_path / "gitconfig"
    config.touch()
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    return config


def test_without_a_setting_it_is_the_usual_one(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert user_ignore_file(tmp_path) == tmp_path / "xdg" / "git" / "ignore"
    monkeypatch.setenv("PATH", "")
    assert user_ignore_file(tmp_path) == tmp_path / "xdg" / "git" / "ignore"
    monkeypatch.setenv("XDG_CONFIG_HOME", "")
    assert user_ignore_file(tmp_path) == tmp_path / ".config" / "git" / "ignore"


@needs_git
def test_it_is_read_where_the_setting_says(tmp_path: Path, config: Path) -> None:
    (tmp_path / "more").write_text("[core]\n\texcludesFile = ~/mine\n")
    config.write_text("[include]\n\tpath = more\n")
    assert user_ignore_file(tmp_path) == tmp_path / "mine"


@needs_git
def test_what_it_names_is_not_indexed(tmp_path: Path, config: Path) -> None:
    config.write_text("[core]\n\texcludesFile = ~/mine\n")
    (tmp_path / "mine").write_text("notes.py\n")
    root = tmp_path / "root"
    root.mkdir()
    for name in ("a.py", "notes.py"):
        (root / name).write_text("x = 1\n")
    index = Index(None)
    indexer = Indexer(root, Settings(), index, None, lambda: None)
    indexer.start()
    try:
        assert indexer.queue.settled(60)
        assert [*index.snapshot.files] == ["a.py"]
    finally:
        indexer.close()
