"""Other processes ask the running server, and see what its editor has not saved."""

from __future__ import annotations

import json
import os
import socket
import stat

import pytest

from packhound.errors import SettingsError, StoreError
from packhound.ipc import connect, serve_socket
from packhound.types import Document


@pytest.fixture
def server(engine):
    served = serve_socket(engine)
    yield served
    served.close()


def test_unsaved_text_is_seen(engine, server):
    engine.update(Document("new.py", b"def unsaved_idea():\n    return 1\n"))
    connection = connect(engine.folder)
    answer = connection.call("search", {"query": "unsaved_idea", "limit": 1})
    connection.close()
    assert answer["hits"][0]["path"] == "new.py"


def test_refusals_come_back_as_ours(engine, server):
    connection = connect(engine.folder)
    with pytest.raises(SettingsError, match="limit"):
        connection.call("search", {"query": "x", "limit": 0})
    assert connection.call("status", {})["state"] in ("ready", "degraded")
    connection.close()


def test_only_the_owner_may_ask(engine, server):
    said = json.loads((engine.folder / "server.json").read_text())
    if os.name == "posix":
        for name in ("server.json", "server.sock"):
            found = engine.folder / name
            if found.exists():
                assert stat.S_IMODE(found.stat().st_mode) == 0o600
        assert stat.S_IMODE(engine.folder.stat().st_mode) == 0o700
    family = socket.AF_UNIX if isinstance(said["address"], str) else socket.AF_INET
    with socket.socket(family) as stranger:
        address = said["address"]
        stranger.connect(address if isinstance(address, str) else tuple(address))
        stranger.sendall(b'{"token": "guess", "tool": "status", "arguments": {}}\nnonsense\n[]\n')
        lines = stranger.makefile("rb")
        assert [set(json.loads(lines.readline())) for _ in range(3)] == [{"error"}] * 3


def test_nobody_there_is_none(engine, tmp_path):
    assert connect(engine.folder) is None
    (tmp_path / "server.json").write_text('{"address": ["10.0.0.1", 80], "token": "x"}')
    assert connect(tmp_path) is None
    (tmp_path / "server.json").write_text("{")
    assert connect(tmp_path) is None


def test_a_server_that_goes_away_is_told(engine):
    served = serve_socket(engine)
    connection = connect(engine.folder)
    assert connection.call("status", {})
    served.close()
    with pytest.raises(StoreError):
        connection.call("status", {})
    connection.close()
    assert connect(engine.folder) is None
