"""A daemon that is stopped or hangs is ended, and the next one goes on without a loss."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from packhound.core.errors import StoreError
from packhound.core.parent_process import is_alive
from packhound.relay import EngineSessions, engine_process
from tests.support.agent import Agent, engine_id, kill_engine, wait_for_end_of
from tests.support.command_line import packhound
from tests.support.lsp_client import RELAYED, LspClient, write_files

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")

HUNG = """
import os, sys, time
from pathlib import Path
from packhound.relay import ServerAddress, bind_listener, write_address
listener, address = bind_listener(Path(sys.argv[1]))
listener.listen()
write_address(Path(sys.argv[1]), ServerAddress(address, "token", os.getpid()))
print("listens", flush=True)
time.sleep(600)
"""
HANGS_AT_START = """
import os, sys, time
if "engine" in sys.orig_argv:
    with open(os.environ["STARTED"], "a") as started:
        started.write(f"{os.getpid()}\\n")
    time.sleep(600)
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    yield tmp_path / "cache"
    kill_engine(tmp_path / "cache")


@pytest.fixture
def root(tmp_path) -> Path:
    return write_files(tmp_path / "workspace")


@pytest.mark.slow
def test_a_stopped_daemon_is_replaced_and_told_what_is_not_saved(cache, root, tmp_path) -> None:
    editor, agent = LspClient(cache, RELAYED), Agent(cache, root)
    try:
        editor.initialize(root)
        editor.settle()
        document = editor.open_document(root / "config.py", "def unsaved_zebra(): pass\n")
        assert "unsaved_zebra" in agent.tool("search", query="unsaved_zebra")
        stopped = engine_id(cache)
        os.kill(stopped, signal.SIGSTOP)
        editor.change_document(document, 2, ("def typed_meanwhile(): pass\n",))
        assert editor.search("typed_meanwhile")[:1] == ["config.py typed_meanwhile"]
        assert "typed_meanwhile" in agent.tool("search", query="typed_meanwhile")
        done = packhound(tmp_path, "search", "typed_meanwhile", "--root", str(root))
        assert "typed_meanwhile" in done.stdout and not done.stderr
        assert not is_alive(stopped) and engine_id(cache) != stopped
    finally:
        editor.kill()
        agent.close()


@pytest.mark.slow
def test_the_command_line_has_a_stopped_daemon_ended(cache, root, tmp_path) -> None:
    """Its editor, of the same terminal, is stopped as well, so that nobody starts another."""
    editor = LspClient(cache, RELAYED)
    try:
        editor.initialize(root)
        editor.settle()
        editor.open_document(root / "config.py", "def unsaved_zebra(): pass\n")
        editor.search("unsaved_zebra")
        stopped = engine_id(cache)
        editor.process.send_signal(signal.SIGSTOP)
        os.kill(stopped, signal.SIGSTOP)
        done = packhound(tmp_path, "search", "load_config", "--root", str(root))
        assert "load_config" in done.stdout
        assert "gives no sign of life; answered without it" in done.stderr
        assert not is_alive(stopped)
        editor.process.send_signal(signal.SIGCONT)
        assert editor.search("unsaved_zebra")[:1] == ["config.py unsaved_zebra"]
    finally:
        editor.process.send_signal(signal.SIGCONT)
        editor.kill()


def test_a_daemon_that_takes_connections_and_says_nothing_is_replaced(cache, root) -> None:
    command = [sys.executable, "-c", HUNG, str(cache)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as hung:
        assert hung.stdout.readline() == b"listens\n"
        agent = Agent(cache, root)
        assert "load_config" in agent.tool("search", query="load_config")
        agent.close()
        assert hung.wait(30) == -signal.SIGKILL


def test_a_daemon_that_hangs_at_its_start_is_ended(cache, tmp_path, monkeypatch) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(HANGS_AT_START)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    monkeypatch.setenv("STARTED", str(tmp_path / "started"))
    monkeypatch.setattr(engine_process, "_START_S", 2.0)
    with pytest.raises(StoreError, match="did not start"):
        EngineSessions(cache, "mcp", {}).begin()
    [process_id] = (tmp_path / "started").read_text().split()
    wait_for_end_of(int(process_id))
