"""Two versions on one machine: the newer one serves, whoever came first, and nothing is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from packhound.relay.address import ServerAddress
from tests.support.agent import Agent, engine_id, kill_engine, wait_for_end_of
from tests.support.command_line import packhound
from tests.support.lsp_client import LspClient, write_files

OTHER = "import packhound, sys; packhound.__version__ = '{}'; from packhound.cli import run; run()"


def other_version(version: str, command: str) -> list[str]:
    """Return the command of Packhound as another version of it."""
    return [sys.executable, "-c", OTHER.format(version), command]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PACKHOUND_IDLE_SECONDS", "30")
    yield tmp_path / "cache"
    kill_engine(tmp_path / "cache")


@pytest.fixture
def root(tmp_path) -> Path:
    return write_files(tmp_path / "workspace")


def start_engine(cache: Path, version: str) -> subprocess.Popen[bytes]:
    """Start an engine of another version, and wait until it listens."""
    cache.mkdir(mode=0o700)
    engine = subprocess.Popen(other_version(version, "engine"))
    while engine_id(cache) != engine.pid:
        assert engine.poll() is None
    return engine


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the relay of an editor is started as a file there")
def test_a_newer_version_takes_over_and_the_older_editor_goes_on(cache, root) -> None:
    with start_engine(cache, "0.0.1") as older:
        editor = LspClient(cache, other_version("0.0.1", "lsp"))
        editor.initialize(root)
        editor.settle()
        editor.open_document(root / "config.py", "def unsaved_zebra(): pass\n")
        assert editor.search("unsaved_zebra")[:1] == ["config.py unsaved_zebra"]
        assert engine_id(cache) == older.pid
        agent = Agent(cache, root)
        assert "unsaved_zebra" in agent.tool("search", query="unsaved_zebra")
        assert older.wait(30) == 0
        assert engine_id(cache) is not None
        assert editor.search("unsaved_zebra")[:1] == ["config.py unsaved_zebra"]
        agent.close()
        editor.kill()


def test_an_older_version_joins_a_newer_one(cache, root, tmp_path) -> None:
    with start_engine(cache, "99.0") as newer:
        agent = Agent(cache, root)
        assert "load_config" in agent.tool("search", query="load_config")
        assert engine_id(cache) == newer.pid
        done = packhound(tmp_path, "search", "load_config", "--root", str(root))
        assert "load_config" in done.stdout
        assert "is Packhound 99.0; answered without it" in done.stderr
        agent.close()
        kill_engine(cache)


@pytest.mark.slow
def test_the_address_of_an_older_engine_that_was_killed_is_no_hindrance(cache, root) -> None:
    with start_engine(cache, "0.0.1") as older:
        older.kill()
    wait_for_end_of(older.pid)
    assert json.loads((cache / "engine.json").read_text())["version"] == "0.0.1"
    agent = Agent(cache, root)
    assert "load_config" in agent.tool("search", query="load_config")
    agent.close()


@pytest.mark.parametrize(
    ("other", "is_older"),
    [
        *(("", True), ("0.1.0", True), ("0.9", True), ("1.0.0rc1", True), ("1.0.0.dev3", True)),
        *(("1.0.0", False), ("1.0.1", False), ("1.10.0", False)),
    ],
)
def test_versions_are_in_order(monkeypatch, other, is_older) -> None:
    monkeypatch.setattr("packhound.relay.address.__version__", "1.0.0")
    assert ServerAddress("", "", 0, other).is_older is is_older
