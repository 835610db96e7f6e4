"""`packhound pack`: provenance as data, and settings for what a request leaves out."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from packhound.core.settings_files import Overrides
from packhound.mcp.folders import Folders
from tests.support.command_line import packhound


def test_json_has_the_origins_of_each_item(tmp_path: Path, root: Path) -> None:
    done = packhound(tmp_path, "pack", "unlock the door", "--root", str(root), "--json")
    pack = json.loads(done.stdout)
    [search] = [
        origin
        for item in pack["items"]
        if item["path"] == "door.py"
        for origin in item["origins"]
        if origin["source"] == "search"
    ]
    assert (search["rank"], pack["cost"]) == (1, None)
    assert search["why"] and all(signal["signal"] for signal in search["why"])


def test_settings_say_what_a_request_leaves_out(tmp_path: Path, root: Path, monkeypatch) -> None:
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "packhound.toml").write_text("pack.model = 'gpt-4o'\npack.reserve = 7_990\n")
    command = ("pack", "unlock the door", "--root", str(root), "--json")
    pack = json.loads(packhound(tmp_path, *command).stdout)
    assert pack["cost"]["model"] == "gpt-4o" and pack["tokens"] <= 10
    requests = json.loads(packhound(tmp_path, *command, "--reserve", "1").stdout)
    assert requests["tokens"] > 10
    changed = json.loads(packhound(tmp_path, *command, "--set", "pack.reserve=1").stdout)
    assert changed["tokens"] == requests["tokens"]
    tokenizer = Path(str(files("packhound"))) / "model" / "tokenizer.json"
    model = {"input": 2.5, "window": 128_000, "tokenizer": str(tokenizer)}
    (tmp_path / "models.json").write_text(json.dumps({"models": {"gpt-4o": model}}))
    exact = json.loads(packhound(tmp_path, *command, "--reserve", "1").stdout)
    assert "tokens: model, counted exactly" in exact["notes"]
    (tmp_path / "models.json").unlink()
    folders = Folders([root], Overrides())
    try:
        answer = folders.call("pack", {"prompt": "unlock the door"})
        assert answer["cost"]["model"] == "gpt-4o" and answer["tokens"] <= 10
    finally:
        folders.close()


def test_a_map_needs_no_prompt(tmp_path: Path, root: Path) -> None:
    done = packhound(tmp_path, "pack", "--map", "--budget", "200", "--root", str(root))
    assert "door.py\n" in done.stdout and "def " in done.stdout
    refused = packhound(tmp_path, "pack", "--root", str(root))
    assert refused.returncode == 2 and "is missing; give the task in words" in refused.stderr
