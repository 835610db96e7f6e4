"""Servers as editors start them: real processes, each with a cache folder of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.agent import kill_engine, start_engine
from tests.support.lsp_client import COMMAND, RELAYED, LspClient, write_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace of two small files."""
    return write_files(tmp_path / "workspace")


@pytest.fixture
def start_server(request: pytest.FixtureRequest, tmp_path: Path):
    """A function that starts a server process; none may log a traceback.

    Those of a module with `COMMAND = RELAYED` share a daemon; those with no command are forked.
    """
    clients: list[LspClient] = []
    usual = getattr(request.module, "COMMAND", COMMAND)

    def start(**options: object) -> LspClient:
        command = options.setdefault("command", usual)
        if command is RELAYED:
            start_engine(tmp_path / "cache", {**os.environ, **options.get("environment", {})})
        clients.append(LspClient(tmp_path / "cache", forked=command is COMMAND, **options))
        return clients[-1]

    yield start
    for client in clients:
        client.kill()
    kill_engine(tmp_path / "cache")
    assert not any(client.tracebacks() for client in clients), [c.tracebacks() for c in clients]


@pytest.fixture
def client(start_server, folder: Path) -> LspClient:
    """A server that has indexed `folder`."""
    client = start_server()
    client.initialize(folder)
    client.settle()
    return client
