"""Servers as editors start them: real processes, each with a cache folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from raw import RawClient
from two_files import make_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace of two small files."""
    return make_folder(tmp_path / "workspace")


@pytest.fixture
def started(tmp_path: Path):
    """A function that starts a server process."""
    clients: list[RawClient] = []

    def start(**options: object) -> RawClient:
        clients.append(RawClient(tmp_path / "cache", **options))
        return clients[-1]

    yield start
    for client in clients:
        client.close()


@pytest.fixture
def client(started, folder: Path) -> RawClient:
    """A server that has indexed `folder`."""
    client = started()
    client.initialize(folder)
    client.result("packhound/status", {"wait": True})
    return client
