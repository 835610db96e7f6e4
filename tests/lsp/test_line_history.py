"""The commits of a hit's lines through the language server, unsaved text included."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.git_repository import git
from tests.support.lsp_client import LspClient, write_files

CODE = 'def load_settings(path):\n    """Read the settings."""\n    return open(path)\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "workspace"
    write_files(folder, {"settings.py": CODE})
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "Begin")):
        git(folder, *arguments)
    return folder


def test_who_asks_gets_the_commits_of_the_lines_on_the_screen(client: LspClient, folder) -> None:
    place = {"uri": (folder / "settings.py").as_uri(), "position": {"line": 0, "character": 5}}
    [hit] = client.request("packhound/search", {"query": "load settings", "git": True})["hits"]
    assert (hit["git"]["state"], hit["git"]["commits"]) == ("committed", 1)
    explained = client.request("packhound/explain", {**place, "git": True})
    assert explained["hit"]["git"]["last_change_time"] == hit["git"]["last_change_time"]
    assert explained["hit"]["git"]["text"] in explained["markdown"]
    assert "git" not in client.request("packhound/explain", place)["hit"]
    client.open_document(folder / "settings.py", CODE.replace("open(path)", "open(path, 'rb')"))
    [hit] = client.request("packhound/search", {"query": "load settings", "git": True})["hits"]
    assert (hit["git"]["state"], hit["git"]["commits"]) == ("not committed", 1)
    [plain] = client.request("packhound/search", {"query": "load settings"})["hits"]
    assert "git" not in plain
