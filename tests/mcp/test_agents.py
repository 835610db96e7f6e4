"""Installing shows what it writes, writes only its own entry, and can be undone."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from packhound.core.errors import SettingsError
from packhound.mcp.agent_configs import agents, apply, plan, server_command
from packhound.mcp.jsonc import plain, with_entry, without_entry


def agent(tmp_path, name):
    return next(agent for agent in agents(tmp_path, tmp_path) if agent.name == name)


@pytest.mark.parametrize(
    "name", ["Claude Code", "Cursor", "VS Code", "Gemini CLI", "Windsurf", "Zed"]
)
def test_json_agents_keep_everything_else(tmp_path, name):
    one = agent(tmp_path, name)
    one.config.parent.mkdir(parents=True, exist_ok=True)
    before = '{\n    "theme": "dark",\n    "x": [\n        1\n    ]\n}\n'
    one.config.write_text(before)
    apply(plan(one, server_command(".")))
    written = json.loads(one.config.read_text())
    servers = next(value for key, value in written.items() if "ervers" in key)
    assert servers["packhound"]["args"][:3] == ["-m", "packhound", "mcp"]
    assert written["theme"] == "dark"
    assert not plan(one, server_command(".")).diff
    apply(plan(one, None))
    assert one.config.read_text() == before


def test_codex_keeps_comments(tmp_path):
    one = agent(tmp_path, "Codex")
    one.config.parent.mkdir(parents=True)
    before = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"\n'
    one.config.write_text(before)
    change = plan(one, server_command("."))
    assert "+[mcp_servers.packhound]" in change.diff and "\n-" not in change.diff.split("@@")[2]
    apply(change)
    apply(plan(one, server_command(".")))
    assert one.config.read_text().count("[mcp_servers.packhound]") == 1
    apply(plan(one, None))
    assert one.config.read_text() == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # A remark after the last member, with what looks like the end of an object in it.
        ('{"a": 1 /* , } */}', '{\n  "a": 1 /* , } */}'),
        ('{ // mine\n"mcpServers": {}, "b": 2}', '{ // mine\n "b": 2}'),
        ('{"b": 2, // mine\n  "mcpServers": {"packhound": {}}\n}', '{"b": 2 // mine\n}'),
        ('{"mcpServers": {"packhound": {}},}', "{}"),
        ('{"mcpServers": {"x": {}, "packhound": {},},}', '{"mcpServers": {"x": {}, },}'),
    ],
)
def test_remarks_and_commas_stay_what_they_are(before, after):
    entry = {"command": "x"}
    changed = with_entry(before, "mcpServers", "packhound", entry)
    assert json.loads(plain(changed))["mcpServers"]["packhound"] == entry
    assert without_entry(changed, "mcpServers", "packhound") == after
    json.loads(plain(after))


def test_a_broken_file_is_left_alone(tmp_path):
    one = agent(tmp_path, "Cursor")
    one.config.parent.mkdir(parents=True)
    for broken in ("{", "[]", '{"mcpServers": 3}'):
        one.config.write_text(broken)
        with pytest.raises(SettingsError, match="left unchanged"):
            plan(one, server_command("."))


def test_only_installed_agents_are_listed(tmp_path):
    assert not any(one.installed for one in agents(tmp_path, tmp_path))
    (tmp_path / ".cursor").mkdir()
    assert [one.name for one in agents(tmp_path, tmp_path) if one.installed] == ["Cursor"]


COMMENTED = """// Zed settings
{
  // what I like: "context_servers" {
  "theme": "One", /* not } this */
  "url": "https://internal//x",
  %s
}
"""


@pytest.mark.parametrize(
    "servers",
    [
        '"tabs": 4,',
        '"context_servers": {},',
        '"context_servers": {\n    // mine\n    "other": {"command": "y"},\n  },',
        '"context_servers": { "other": {"command": "y"} }',
    ],
)
def test_comments_and_trailing_commas_stay(tmp_path, servers):
    one = agent(tmp_path, "Zed")
    one.config.parent.mkdir(parents=True)
    before = COMMENTED % servers
    one.config.write_text(before)
    change = plan(one, server_command("."))
    assert not [line for line in change.diff.splitlines()[2:] if line.startswith("-")] or (
        "} }" in servers or "{}" in servers
    )
    apply(change)
    written = json.loads(plain(one.config.read_text()))
    assert written["context_servers"]["packhound"]["args"][-2:] == ["mcp", "."]
    assert ("other" in servers) == ("other" in written["context_servers"])
    assert written["url"] == "https://internal//x" and "// Zed settings" in change.after
    assert not plan(one, server_command(".")).diff
    apply(plan(one, server_command("/elsewhere")))
    apply(plan(one, None))
    left = json.loads(plain(one.config.read_text()))
    assert "packhound" not in json.dumps(left) and left["theme"] == "One"
    assert left.get("context_servers", {}) == json.loads(plain(before)).get("context_servers", {})
    assert "/* not } this */" in one.config.read_text()


def test_one_unreadable_file_does_not_keep_the_others(tmp_path):
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text("{ broken")
    (tmp_path / ".codex").mkdir()
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "packhound", "agents", "install", "--yes"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, **home},
    )
    assert done.returncode == 0 and "left unchanged" in done.stderr, done.stderr
    assert "-m packhound mcp ." in done.stderr
    assert "[mcp_servers.packhound]" in (tmp_path / ".codex" / "config.toml").read_text()
    assert (tmp_path / ".cursor" / "mcp.json").read_text() == "{ broken"
