"""Editors on one folder: the daemon has the index, and another goes on when it is killed."""

from __future__ import annotations

import os

import pytest

from packhound.daemon import connect
from tests.support.agent import kill_engine
from tests.support.lsp_client import RELAYED, LspClient, wait_until, write_files

COMMAND = RELAYED
pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")


def writes(client: LspClient) -> bool:
    return client.settle()["roots"][0]["writer"]


@pytest.mark.slow
def test_another_process_goes_on_when_the_one_that_serves_is_killed(
    start_server, tmp_path, monkeypatch
):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    folder = write_files(tmp_path / "workspace")
    first, second, third = (start_server() for _ in range(3))
    for client in (first, second, third):
        client.initialize(folder)
        assert writes(client)

    (folder / "late.py").write_text("def late_zebra(): pass\n")
    second.touch(folder / "late.py")
    kill_engine(tmp_path / "cache")
    first.kill()
    assert third.shut_down() == 0
    wait_until(lambda: writes(second))

    # The command line and agents ask the new one.
    connections = []
    wait_until(lambda: connections.append(connect([folder])) or connections[-1])
    assert connections[-1].answer("search", {"query": "late_zebra"})
    connections[-1].close()

    assert second.shut_down() == 0
    fourth = start_server()
    fourth.initialize(folder)
    names = [
        hit["name"] for hit in fourth.request("packhound/search", {"query": "late_zebra"})["hits"]
    ]
    assert "late_zebra" in names and writes(fourth)
