"""Settings files as the command line, agents and editors see them."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from packhound.core.settings_files import Overrides
from packhound.core.settings_reader import SETTINGS
from packhound.daemon import connect
from packhound.mcp.folders import Folders
from packhound.service.roots import real_path
from tests.support.agent import kill_engine
from tests.support.command_line import packhound
from tests.support.lsp_client import RELAYED, LspClient, wait_until


@pytest.fixture(autouse=True)
def user_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "packhound.toml"


def config(tmp_path: Path, root: Path, *options: str) -> dict[str, dict]:
    done = packhound(tmp_path, "config", "--json", "--root", str(root), *options)
    assert done.returncode == 0, done.stderr
    return {row["name"]: row for row in json.loads(done.stdout)["settings"]}


def test_every_setting_is_printed_with_its_origin(
    tmp_path: Path, root: Path, user_file: Path
) -> None:
    user_file.write_text("index.workers = 3\n")
    (root / ".packhound.toml").write_text("search.limit = 4\nencoder.path = 'x'\n")
    rows = config(tmp_path, root, "--set", "search.hover=off")
    assert list(rows) == list(SETTINGS)
    actual = {name: (row["value"], row["origin"], row["file"]) for name, row in rows.items()}
    assert actual["index.workers"] == (3, "user file", str(user_file))
    assert actual["search.limit"] == (4, "workspace file", str(root / ".packhound.toml"))
    assert actual["search.hover"] == ("off", "--set", "")
    assert actual["encoder.path"] == ("", "default", "")
    done = packhound(tmp_path, "config", "--root", str(root))
    assert f"search.limit = 4  (workspace file {root / '.packhound.toml'})" in done.stdout
    for setting in SETTINGS.values():
        assert f"    {setting.description}\n" in done.stdout
    assert "'encoder.path' is ignored in a folder that is not trusted" in done.stderr


def test_searches_of_the_command_line_follow_files(tmp_path: Path, root: Path) -> None:
    (root / "pyproject.toml").write_text("[tool.packhound]\nindex.exclude = ['roof.py']\n")
    done = packhound(tmp_path, "search", "mend_roof", "--json", "--root", str(root))
    paths = [hit["path"] for hit in json.loads(done.stdout)["hits"]]
    assert "roof.py" not in paths


def test_agents_follow_files_at_the_next_search(root: Path, user_file: Path) -> None:
    with closing(Folders([root], Overrides())) as folders:
        query = {"query": "open_door mend_roof return"}
        assert len(folders.call("search", query)["hits"]) > 1
        user_file.write_text("search.limit = 1\n")
        assert len(folders.call("search", query)["hits"]) == 1
        (root / ".packhound.toml").write_text("index.exclude = ['roof.py']\n")
        folders.call("search", query)
        wait_until(lambda: folders.call("status", {})["files"] < 3)


@pytest.mark.parametrize("trusted", [True, False])
def test_editors_follow_files_at_the_next_search(tmp_path: Path, root: Path, trusted: bool) -> None:
    (root / ".packhound.toml").write_text("index.persist = true\nindex.workers = 1\n")
    client = LspClient(tmp_path / "cache", RELAYED)
    try:
        options = {"trusted": trusted, "packhound": {"search": {"hover": "always"}}}
        client.initialize(root, initializationOptions=options)
        assert client.settle()["files"] >= 2
        query = "open_door mend_roof return"
        assert len(client.search(query)) > 1
        (root / ".packhound.toml").write_text("search.limit = 1\nindex.workers = 3\n")
        assert len(client.search(query)) == 1
        connections = []
        roots = [real_path(root)]
        wait_until(lambda: connections.append(connect(roots)) or connections[-1])
        connections[-1].close()
        rows = config(tmp_path, root)
        assert (rows["search.hover"]["value"], rows["search.hover"]["origin"]) == (
            *("always", "client"),
        )
        assert rows["search.limit"]["origin"] == "workspace file"
        assert rows["index.workers"]["value"] == (3 if trusted else 2)
        logged = json.dumps(client.notifications)
        assert ("'index.workers' is ignored" in logged) == (not trusted)
        assert "unknown setting" not in logged
    finally:
        client.kill()
        kill_engine(tmp_path / "cache")
