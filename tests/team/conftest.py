from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.git_repository import git
from tests.support.postgres import Database, Server

CHECKOUT = Path(__file__).parents[2]
REPOSITORY = "example.org/shop/kitchen"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One server for all tests."""
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def database(server: Server) -> Database:
    return Database(server.url)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with some files of Python."""
    return _committed(tmp_path / "clone", "server/packhound/index", "fixtures/questions/src")


@pytest.fixture
def clone_of_all_languages(tmp_path: Path) -> Path:
    return _committed(tmp_path / "all", "fixtures/languages", "fixtures/questions")


def _committed(root: Path, *parts: str) -> Path:
    for part in parts:
        shutil.copytree(CHECKOUT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    commit_all(root)
    return root


def commit_all(root: Path, repository: str = REPOSITORY) -> None:
    """Make a folder a repository with a remote, if it is none, and commit what is there."""
    if not (root / ".git").is_dir():
        git(root, "init", "-q", "-b", "main")
        git(root, "remote", "add", "origin", f"git@{repository.replace('/', ':', 1)}.git")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Change")
