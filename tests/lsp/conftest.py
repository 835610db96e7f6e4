"""Servers as editors start them: real processes, each with a cache folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from raw import RawClient

SOURCES = {
    "config.py": "def load_config(path):\n    '''Read the settings file.'''\n    return path\n",
    "shapes.py": "class Circle:\n    def area(self):\n        return 3\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace of two small files."""
    return make_folder(tmp_path / "workspace")


def make_folder(path: Path, sources: dict[str, str] = SOURCES) -> Path:
    path.mkdir(parents=True)
    for name, text in sources.items():
        (path / name).write_text(text, encoding="utf-8", newline="")
    return path


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
