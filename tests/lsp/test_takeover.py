"""Two editors on one folder: one process saves the index, and another goes on when it is killed."""

from __future__ import annotations

import os
import signal
import time

import pytest
from raw import PATIENCE_S, RawClient
from two_files import make_folder

from packhound.api.socket_client import connect
from packhound.service.roots import index_folder

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")


def writes(client: RawClient) -> bool:
    return client.result("packhound/status", {"wait": True})["roots"][0]["writer"]


def wait_until(happened) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def test_a_reader_becomes_the_writer_when_the_writer_is_killed(started, tmp_path, monkeypatch):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    folder = make_folder(tmp_path / "workspace")
    first, second, third = (started() for _ in range(3))
    for client in (first, second, third):
        client.initialize(folder)
        assert writes(client) == (client is first)

    (folder / "late.py").write_text("def late_zebra(): pass\n")
    changes = [{"uri": (folder / "late.py").as_uri(), "type": 1}]
    second.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    os.kill(first.process.pid, signal.SIGKILL)
    third.result("shutdown")
    third.notify("exit")
    third.end()
    wait_until(lambda: writes(second))

    # The command line and agents ask the new one.
    connections = []
    wait_until(lambda: connections.append(connect(index_folder(folder))) or connections[-1])
    assert connections[-1].call("search", {"query": "late_zebra"})
    connections[-1].close()

    second.result("shutdown")
    second.notify("exit")
    assert second.end() == 0
    fourth = started()
    fourth.initialize(folder)
    names = [
        hit["name"] for hit in fourth.result("packhound/search", {"query": "late_zebra"})["hits"]
    ]
    assert "late_zebra" in names and writes(fourth)
