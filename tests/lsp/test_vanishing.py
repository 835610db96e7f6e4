"""Editors and servers that vanish at any moment, four at a time on one folder: all of them go,
no process stays behind, and the index is whole.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.service.engine import Engine
from tests.support.lsp_client import COMMAND, frame, write_files
from tests.support.processes import MARK, processes_of
from tests.support.release import seed, size

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

AT_ONCE = 4
TIMEOUT_S = 120.0
"""Servers on one folder start one after the other, and a busy machine takes ten times as long."""


def say(server: subprocess.Popen, message: dict, share: float = 1.0) -> None:
    """Send a message, or only the first part of it."""
    sent = frame({"jsonrpc": "2.0", **message})
    server.stdin.write(sent[: int(len(sent) * share)])
    server.stdin.flush()


def hang_up(server: subprocess.Popen) -> None:
    server.stdin.close()
    server.stdout.close()


def stop_within_a_message(server: subprocess.Popen) -> None:
    say(server, {"id": 9, "method": "packhound/search", "params": {"query": "x" * 5_000}}, 0.7)
    hang_up(server)


def stop_listening(server: subprocess.Popen) -> None:
    server.stdout.close()
    say(server, {"id": 9, "method": "packhound/status"})


def close_the_window(server: subprocess.Popen) -> None:
    say(server, {"id": 9, "method": "shutdown"})
    say(server, {"method": "exit"})


WAYS = {
    "killed": lambda server: server.kill(),
    "terminated": lambda server: server.terminate(),
    "interrupted": lambda server: server.send_signal(signal.SIGINT),
    "terminal gone": lambda server: server.send_signal(signal.SIGHUP),
    "no more input": lambda server: server.stdin.close(),
    "half a message": stop_within_a_message,
    "nobody listens": stop_listening,
    "window closed": close_the_window,
    "hung up": hang_up,
}


def heed_signals() -> None:
    """Undo what `nohup` and shells in the background have made the tests ignore."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def begin(folder: Path, trial: str) -> subprocess.Popen:
    """A server that is indexing, searching and waiting when it returns."""
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    environment = {**os.environ, MARK: trial}
    server = subprocess.Popen(
        COMMAND, stdin=pipe, stdout=pipe, stderr=nothing, env=environment, preexec_fn=heed_signals
    )
    folders = [{"uri": folder.as_uri(), "name": "x"}]
    say(server, {"id": 1, "method": "initialize", "params": {"workspaceFolders": folders}})
    say(server, {"method": "initialized", "params": {}})
    say(server, {"id": 2, "method": "packhound/search", "params": {"query": "load config"}})
    say(server, {"id": 3, "method": "packhound/pack", "params": {"prompt": "load config"}})
    say(server, {"id": 4, "method": "packhound/status", "params": {"wait": True}})
    return server


def test_a_relay_ends_when_nobody_listens(start_server, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    serving = start_server()
    serving.initialize(folder)
    serving.settle()
    relay = begin(folder, trial="")
    assert any(b'"result"' in line for line in relay.stdout)
    stop_listening(relay)
    assert relay.wait(TIMEOUT_S) == 1
    relay.stdin.close()
    assert serving.shut_down() == 0


@pytest.mark.parametrize(
    "rounds",
    [pytest.param(3, marks=pytest.mark.slow), pytest.param(size(250), marks=pytest.mark.release)],
)
def test_whoever_vanishes_leaves_nothing_behind(tmp_path, monkeypatch, rounds):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    seeded, ways = random.Random(seed(rounds)), list(WAYS)
    sources = {f"m{n}.py": f"def load_config_{n}():\n    return {n}\n" * 40 for n in range(60)}
    folder = write_files(tmp_path / "workspace", sources)
    for n in range(rounds):
        trial = str(uuid.uuid4())
        chosen = [ways[(AT_ONCE * n + i) % len(ways)] for i in range(AT_ONCE)]
        servers = [begin(folder, trial) for _ in chosen]
        # One file changes each time, so that there is something to save.
        (folder / f"m{n % 60}.py").write_text(f"def load_config_{n}_again(): pass\n")
        for way, server in zip(chosen, servers, strict=True):
            time.sleep(seeded.uniform(0, 0.8))
            WAYS[way](server)
        deadline = time.monotonic() + TIMEOUT_S
        for way, server in zip(chosen, servers, strict=True):
            try:
                server.wait(deadline - time.monotonic())
            except subprocess.TimeoutExpired:
                raise AssertionError(f"{way}, round {n}: the server lives on") from None
            server.stdin.close()
            server.stdout.close()
        while still := processes_of(trial):
            assert time.monotonic() < deadline, f"{chosen}, round {n}: {still} live on"
            time.sleep(0.02)
    engine = Engine.open(folder, settings_from({"index.workers": 1}))
    assert engine.settled(60) and engine.index.writer
    assert engine.status().notes == () and engine.snapshot.n_files == len(sources)
    last = f"load_config_{rounds - 1}_again"
    assert engine.search(Query(last, mode="symbol")).hits[0].node.name == last
    engine.close()
