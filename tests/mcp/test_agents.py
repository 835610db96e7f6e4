"""Installing shows what it writes, writes only its own entry, and can be undone."""

from __future__ import annotations

import json

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from packhound.core.errors import SettingsError
from packhound.knowledge.skill_files import read_skill
from packhound.knowledge.text_files import TextFile
from packhound.mcp.agent_configs import agents, apply, plan, server_command
from packhound.mcp.agent_skill import plan_skill, skill_text
from packhound.mcp.jsonc import plain, with_entry, without_entry
from tests.support.program import run_program


def agent(tmp_path, name):
    return next(agent for agent in agents(tmp_path, tmp_path) if agent.name == name)


@pytest.mark.parametrize(
    "name",
    [
        *("Claude Code", "Claude Desktop", "Cursor", "VS Code", "VS Code Insiders", "Gemini CLI"),
        *("Windsurf", "Zed", "opencode", "Cline", "Copilot CLI", "this folder"),
    ],
)
def test_json_agents_keep_everything_else(tmp_path, name):
    selected = agent(tmp_path, name)
    selected.config.parent.mkdir(parents=True, exist_ok=True)
    before = '{\n    "theme": "dark",\n    "x": [\n        1\n    ]\n}\n'
    selected.config.write_text(before)
    change = plan(selected, server_command(selected.root))
    assert not [line for line in change.diff.splitlines()[2:] if line.startswith("-")]
    apply(change)
    written = json.loads(selected.config.read_text())
    assert written["theme"] == "dark"
    entry = written[selected.key]["packhound"]
    command = entry["command"]
    command = command if isinstance(command, list) else [command, *entry["args"]]
    assert command[1:4] == ["-m", "packhound", "mcp"]
    assert not plan(selected, server_command(selected.root)).diff
    apply(plan(selected, None))
    assert selected.config.read_text() == before


def test_editors_that_start_servers_elsewhere_name_the_folder_by_a_variable(tmp_path):
    roots = {agent.name: agent.root for agent in agents(tmp_path, tmp_path)}
    variable = {name for name, root in roots.items() if root == "${workspaceFolder}"}
    assert variable == {"Cursor", "VS Code", "VS Code Insiders"}
    assert server_command("")[-1] == "mcp"


def test_opencode_keeps_the_file_with_comments_that_it_has(tmp_path):
    path = agent(tmp_path, "opencode").config.with_suffix(".jsonc")
    path.parent.mkdir(parents=True)
    path.write_text('{\n  // mine\n  "theme": "dark",\n}\n')
    opencode = agent(tmp_path, "opencode")
    apply(plan(opencode, server_command(opencode.root)))
    assert "// mine" in path.read_text() and '"packhound"' in path.read_text()
    assert [file.name for file in path.parent.iterdir()] == ["opencode.jsonc"]
    apply(plan(opencode, None))
    assert path.read_text() == '{\n  // mine\n  "theme": "dark",\n}\n'


LINE_END = st.sampled_from(["\n", "\r\n"])
MEMBERS = st.dictionaries(st.sampled_from(["a", "mcpServers", "z"]), st.just({}), max_size=3)
LAYOUT = st.sampled_from([None, 2, 4, "\t"])


@settings(max_examples=300)
@given(MEMBERS, LAYOUT, LINE_END, st.sampled_from(["", "\n", " \n\n"]), st.data())
def test_every_byte_of_json_is_restored(members, indent, line_end, tail, data):
    others = st.dictionaries(st.sampled_from(["other", "x y"]), st.just({"command": "y"}))
    if "mcpServers" in members:
        members = {**members, "mcpServers": data.draw(others)}
    text = (json.dumps(members, indent=indent) + tail).replace("\n", line_end)
    entry = {"command": "/usr/bin/python", "args": ["-m", "packhound", "mcp", "."]}
    changed = with_entry(text, "mcpServers", "packhound", entry)
    assert json.loads(changed)["mcpServers"]["packhound"] == entry
    assert without_entry(changed, "mcpServers", "packhound") == text


@pytest.mark.parametrize("name", ["Cursor", "Codex"])
@pytest.mark.parametrize("before", [None, b"", b"\n"])
def test_a_file_that_was_not_there_is_gone_again_and_an_empty_one_is_empty(tmp_path, name, before):
    selected = agent(tmp_path, name)
    selected.config.parent.mkdir(parents=True)
    if before is not None:
        selected.config.write_bytes(before)
    apply(plan(selected, server_command(selected.root)))
    assert b"packhound" in selected.config.read_bytes()
    apply(plan(selected, None))
    assert (selected.config.read_bytes() if selected.config.exists() else None) == before


TOML = (
    'model = "x"',
    '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"\n',
    '[mcp_servers]\n[mcp_servers.other] # yours\ncommand = "y"\n\n\n',
    'mcp_servers = {other = {command = "y"}}\n',
    'mcp_servers.other.command = "y" # dotted\n\n[tui]\nx = 1\n',
    "\r\n[tui]\r\nx = 1 # last\r\n",
)


@pytest.mark.parametrize("before", TOML)
def test_every_byte_of_toml_is_restored(tmp_path, before):
    selected = agent(tmp_path, "Codex")
    selected.config.parent.mkdir(parents=True)
    selected.config.write_bytes(before.encode())
    apply(plan(selected, server_command(".")))
    written = tomlkit.parse(selected.config.read_bytes().decode()).unwrap()
    assert written["mcp_servers"]["packhound"]["args"] == ["-m", "packhound", "mcp", "."]
    assert ("other" in before) == ("other" in written["mcp_servers"])
    assert not plan(selected, server_command(".")).diff
    apply(plan(selected, None))
    assert selected.config.read_bytes() == before.encode()


def test_a_table_with_a_comment_beside_its_header_is_changed_and_not_repeated(tmp_path):
    selected = agent(tmp_path, "Codex")
    selected.config.parent.mkdir(parents=True)
    before = '[mcp_servers.packhound] # comment\ncommand = "old" # mine\nenabled = true\n'
    selected.config.write_text(before)
    apply(plan(selected, server_command(".")))
    text = selected.config.read_text()
    assert text.startswith("[mcp_servers.packhound] # comment\n") and "# mine" in text
    assert tomlkit.parse(text).unwrap()["mcp_servers"]["packhound"]["enabled"] is True
    apply(plan(selected, None))
    assert "packhound" not in selected.config.read_text()


def test_a_byte_order_mark_stays(tmp_path):
    selected = agent(tmp_path, "Cursor")
    selected.config.parent.mkdir(parents=True)
    before = b'\xef\xbb\xbf{\r\n  "a": 1\r\n}'
    selected.config.write_bytes(before)
    apply(plan(selected, server_command(".")))
    assert selected.config.read_bytes().startswith(b"\xef\xbb\xbf{\r\n")
    apply(plan(selected, None))
    assert selected.config.read_bytes() == before


def test_codex_keeps_comments(tmp_path):
    selected = agent(tmp_path, "Codex")
    selected.config.parent.mkdir(parents=True)
    before = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"\n'
    selected.config.write_text(before)
    change = plan(selected, server_command("."))
    assert "+[mcp_servers.packhound]" in change.diff and "\n-" not in change.diff.split("@@")[2]
    apply(change)
    apply(plan(selected, server_command(".")))
    assert selected.config.read_text().count("[mcp_servers.packhound]") == 1
    apply(plan(selected, None))
    assert selected.config.read_text() == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # A remark after the last member, with what looks like the end of an object in it.
        ('{"a": 1 /* , } */}', '{"a": 1 /* , } */}'),
        ('{ // mine\n"mcpServers": {}, "b": 2}', '{ // mine\n"mcpServers": {}, "b": 2}'),
        ('{"b": 2, // mine\n  "mcpServers": {"packhound": {}}\n}', '{"b": 2 // mine\n}'),
        ('{"mcpServers": {"packhound": {}},}', "{}"),
        (
            '{"mcpServers": {"packhound": {}, "a": {}, "b": {}}}',
            '{"mcpServers": {"a": {}, "b": {}}}',
        ),
        ('{"mcpServers": {"x": {}, "packhound": {},},}', '{"mcpServers": {"x": {}, },}'),
    ],
)
def test_remarks_and_commas_stay_what_they_are(before, after):
    entry = {"command": "x"}
    changed = with_entry(before, "mcpServers", "packhound", entry)
    assert json.loads(plain(changed))["mcpServers"]["packhound"] == entry
    assert without_entry(changed, "mcpServers", "packhound") == after
    json.loads(plain(after))


@pytest.mark.parametrize(
    ("name", "before"),
    [
        (
            "Gemini CLI",
            '{"mcpServers": {"packhound": {"trust": true, // mine\n'
            '"command": "old", "args": ["mcp"], "env": {"A": "1"}}}}',
        ),
        (
            "Cursor",
            '{\r\n  "mcpServers": {\r\n    "packhound": {\r\n      // mine\r\n'
            '      "args": [\r\n        "mcp"\r\n      ],\r\n      "trust": true,\r\n'
            '      "env": {"A": "1"}\r\n    }\r\n  }\r\n}',
        ),
    ],
)
def test_what_the_user_added_to_the_entry_stays(tmp_path, name, before):
    selected = agent(tmp_path, name)
    selected.config.parent.mkdir(parents=True)
    selected.config.write_bytes(before.encode())
    apply(plan(selected, server_command(".")))
    text = selected.config.read_bytes().decode()
    entry = json.loads(plain(text))["mcpServers"]["packhound"]
    command, *arguments = server_command(".")
    assert entry == {"command": command, "args": arguments, "trust": True, "env": {"A": "1"}}
    assert "// mine" in text and text.count("\n") - text.count("\r\n") in (0, 1)
    assert not plan(selected, server_command(".")).diff


@pytest.mark.parametrize(
    ("name", "before", "problem"),
    [
        ("Cursor", '{"mcpServers": {"a": {}}, "mcpServers": {}}', "it has 'mcpServers' twice"),
        ("Cursor", '{"mcpServers": {"packhound": {}, "packhound": {}}}', "'packhound' twice"),
        ("Codex", '[[mcp_servers]]\ncommand = "y"\n', "'mcp_servers' is no table"),
        ("Codex", "[mcp_servers]\npackhound = 1\n", "'mcp_servers.packhound' is no table"),
    ],
)
def test_a_file_without_one_place_for_the_entry_is_left_alone(tmp_path, name, before, problem):
    selected = agent(tmp_path, name)
    selected.config.parent.mkdir(parents=True)
    selected.config.write_text(before)
    for command in (server_command("."), None):
        with pytest.raises(SettingsError, match=problem):
            plan(selected, command)


def test_a_broken_file_is_left_alone(tmp_path):
    selected = agent(tmp_path, "Cursor")
    selected.config.parent.mkdir(parents=True)
    for broken in ("{", "[]", '{"mcpServers": 3}'):
        selected.config.write_text(broken)
        with pytest.raises(SettingsError, match="left unchanged"):
            plan(selected, server_command("."))


def test_only_installed_agents_are_listed(tmp_path):
    assert not any(known.installed for known in agents(tmp_path, tmp_path))
    (tmp_path / ".cursor").mkdir()
    assert [known.name for known in agents(tmp_path, tmp_path) if known.installed] == ["Cursor"]


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
    selected = agent(tmp_path, "Zed")
    selected.config.parent.mkdir(parents=True)
    before = COMMENTED % servers
    selected.config.write_text(before)
    change = plan(selected, server_command("."))
    assert not [line for line in change.diff.splitlines()[2:] if line.startswith("-")] or (
        "} }" in servers or "{}" in servers
    )
    apply(change)
    written = json.loads(plain(selected.config.read_text()))
    assert written["context_servers"]["packhound"]["args"][-2:] == ["mcp", "."]
    assert ("other" in servers) == ("other" in written["context_servers"])
    assert written["url"] == "https://internal//x" and "// Zed settings" in change.after
    assert not plan(selected, server_command(".")).diff
    apply(plan(selected, server_command("/elsewhere")))
    apply(plan(selected, None))
    remaining = json.loads(plain(selected.config.read_text()))
    assert "packhound" not in json.dumps(remaining) and remaining["theme"] == "One"
    assert remaining.get("context_servers", {}) == json.loads(plain(before)).get(
        "context_servers", {}
    )
    assert "/* not } this */" in selected.config.read_text()


def run_agents(home, *arguments, cwd=None):
    homes = {"HOME": str(home), "USERPROFILE": str(home), "PACKHOUND_IDLE_SECONDS": "1"}
    return run_program("agents", *arguments, env=homes, cwd=cwd or home)


def test_one_unreadable_file_does_not_keep_the_others(tmp_path):
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text("{ broken")
    (tmp_path / ".codex").mkdir()
    run = run_agents(tmp_path, "install", "--yes")
    assert run.returncode == 0 and "left unchanged" in run.stderr, run.stderr
    assert "-m packhound mcp '${workspaceFolder}'" in run.stderr
    assert "the server starts and offers" in run.stdout
    assert "[mcp_servers.packhound]" in (tmp_path / ".codex" / "config.toml").read_text()
    assert (tmp_path / ".cursor" / "mcp.json").read_text() == "{ broken"
    assert run_agents(tmp_path, "remove", "--yes").returncode == 0
    assert not (tmp_path / ".codex" / "config.toml").exists()


def test_nothing_is_written_for_a_server_that_does_not_start(tmp_path):
    (tmp_path / ".codex").mkdir()
    run = run_agents(tmp_path, "install", "--yes", "--root", str(tmp_path / "nowhere"))
    assert run.returncode == 2 and "the server does not start" in run.stderr, run.stderr
    assert "nowhere" in run.stderr
    assert not (tmp_path / ".codex" / "config.toml").exists()


def test_agents_that_read_skills_get_one_and_lose_it_again(tmp_path):
    path = tmp_path / ".claude" / "skills" / "packhound" / "SKILL.md"
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".cursor").mkdir()
    run = run_agents(tmp_path, "install", "--yes")
    assert f"written: {path}" in run.stdout, run.stderr
    lines = path.read_text().splitlines(keepends=True)
    [record] = read_skill(TextFile("packhound/SKILL.md", 0.0, iter(lines)))
    assert record.title.startswith("packhound: Find code by name or by meaning")
    assert not (tmp_path / ".cursor" / "skills").exists()
    assert run_agents(tmp_path, "install", "--yes").stdout.strip().endswith("nothing to change")
    assert run_agents(tmp_path, "remove", "--yes").returncode == 0
    assert not (tmp_path / ".claude" / "skills").exists() and (tmp_path / ".claude").exists()
    assert not (tmp_path / ".claude.json").exists()


def test_a_skill_can_be_left_out(tmp_path):
    (tmp_path / ".claude").mkdir()
    assert run_agents(tmp_path, "install", "--yes", "--no-skill").returncode == 0
    assert (tmp_path / ".claude.json").exists()
    assert not [*(tmp_path / ".claude").iterdir()]


def test_an_agent_that_works_in_no_folder_serves_that_of_the_command(tmp_path):
    config = agent(tmp_path, "Windsurf").config
    config.parent.mkdir(parents=True)
    before = '{"mcpServers": {"packhound": {"command": "x"}}}'
    config.write_text(before)
    run = run_agents(tmp_path, "install", "--yes", "--only", "Windsurf")
    assert (
        run.returncode == 2
        and "Windsurf: it works in no folder; name one by --root FOLDER" in run.stderr
    )
    assert config.read_text() == before
    (project := tmp_path / "project").mkdir()
    run = run_agents(tmp_path, "install", "--yes", "--only", "Windsurf", cwd=project)
    assert run.returncode == 0, run.stderr
    entry = json.loads(config.read_text())["mcpServers"]["packhound"]
    assert entry["args"][-2:] == ["mcp", str(project)]


@pytest.mark.parametrize("change", ["edited", "of another"])
def test_a_skill_that_somebody_edited_stays(tmp_path, change):
    path = tmp_path / ".codex" / "skills" / "packhound" / "SKILL.md"
    path.parent.mkdir(parents=True)
    text = skill_text().replace("Find code", "Find my code") if change == "edited" else "mine"
    path.write_text(text)
    for command in ("install", "remove"):
        assert run_agents(tmp_path, command, "--yes").returncode == 0
        assert path.read_text() == text


def test_a_skill_of_ours_is_replaced(tmp_path):
    change = plan_skill(agent(tmp_path, "Codex"), install=True)
    assert change is not None
    apply(change)
    assert change.path.read_text() == skill_text()
    removed = plan_skill(agent(tmp_path, "Codex"), install=False)
    assert removed is not None
    assert removed.after is None
