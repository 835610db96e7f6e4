"""Configuration files of coding agents, and the entry of Packhound's MCP server in them.

A change is first planned and shown as a diff; only the entry `packhound` is touched, and removing
it restores every byte of the file.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from packhound.core.errors import SettingsError
from packhound.core.private_file import write_private_atomic
from packhound.mcp.jsonc import with_entry, without_entry
from packhound.mcp.toml_entry import with_table, without_table

_NAME = "packhound"
_BOM = "\ufeff"
WORKSPACE = "${workspaceFolder}"

Entry: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Agent:
    """A coding agent: the file with its MCP servers, and paths that exist if it is installed.

    The entry of a server has its command and further `fields`; one of `one_command` has the
    arguments in the same list. `root` is what stands for the folder that
    the agent works in: "." if it starts servers there, a variable that it replaces, or "" if it
    works in no folder. `skills` is the folder of the user's skills, of an agent that has one.
    """

    name: str
    config: Path
    marks: Sequence[Path]
    key: str = "mcpServers"
    fields: Entry = field(default_factory=dict)
    one_command: bool = False
    root: str = "."
    skills: Path | None = None

    def entry(self, command: Sequence[str]) -> Entry:
        """Return the entry of a server that is started by a command."""
        if self.one_command:
            return {**self.fields, "command": [*command]}
        return {**self.fields, "command": command[0], "args": [*command[1:]]}

    @property
    def installed(self) -> bool:
        """Return True if the agent seems to be installed."""
        return any(mark.exists() for mark in self.marks)


@dataclass(frozen=True, slots=True)
class Change:
    """A planned change of one file; None where there is no file."""

    agent: str
    path: Path
    before: str | None
    after: str | None

    @property
    def diff(self) -> str:
        """The change as a unified diff; empty if there is none."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(keepends=True),
            (self.after or "").splitlines(keepends=True),
            str(self.path),
            str(self.path),
        )
        return "".join(lines)


def agents(home: Path, workspace: Path) -> tuple[Agent, ...]:
    """Return all known agents, installed or not."""
    config, support = home / ".config", _support_folder(home)
    code, insiders = support / "Code" / "User", support / "Code - Insiders" / "User"
    codex, cline = home / ".codex", code / "globalStorage" / "saoudrizwan.claude-dev"
    copilot, windsurf, zed = home / ".copilot", home / ".codeium" / "windsurf", config / "zed"
    desktop, opencode = support / "Claude", config / "opencode"
    claude, claude_folder = home / ".claude.json", home / ".claude"
    opencode_files = [opencode / "opencode.json", opencode / "opencode.jsonc"]
    opencode_file = next(filter(Path.exists, opencode_files), opencode_files[0])
    return (
        Agent("Claude Code", claude, (claude_folder, claude), skills=claude_folder / "skills"),
        Agent("Claude Desktop", desktop / "claude_desktop_config.json", [desktop], root=""),
        Agent("Cursor", home / ".cursor" / "mcp.json", [home / ".cursor"], root=WORKSPACE),
        Agent("VS Code", code / "mcp.json", [code], **_VSCODE),
        Agent("VS Code Insiders", insiders / "mcp.json", [insiders], **_VSCODE),
        Agent("Codex", codex / "config.toml", [codex], "mcp_servers", skills=codex / "skills"),
        Agent("Gemini CLI", home / ".gemini" / "settings.json", [home / ".gemini"]),
        Agent("Windsurf", windsurf / "mcp_config.json", [windsurf], root=""),
        Agent("Zed", zed / "settings.json", [zed], "context_servers", {"source": "custom"}),
        Agent(
            "opencode",
            opencode_file,
            [opencode],
            key="mcp",
            fields={"type": "local", "enabled": True},
            one_command=True,
            skills=opencode / "skills",
        ),
        Agent("Cline", cline / "settings" / "cline_mcp_settings.json", [cline], root=""),
        Agent(
            "Copilot CLI",
            copilot / "mcp-config.json",
            [copilot],
            fields={"type": "local", "tools": ["*"]},
        ),
        Agent("this folder", workspace / ".mcp.json", [workspace / ".mcp.json"]),
    )


def plan(agent: Agent, command: Sequence[str] | None) -> Change:
    """Return the change that adds the server to an agent's file, or removes it (None).

    Raises:
        SettingsError: the file is not one that the agent itself would write.
    """
    try:
        before: str | None = agent.config.read_bytes().decode("utf-8")
    except FileNotFoundError:
        before = None
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"'{agent.config}' cannot be read: {problem}") from None
    if command is None and not before:
        return Change(agent.name, agent.config, before, before)
    mark = _BOM if before and before.startswith(_BOM) else ""
    text = before.removeprefix(_BOM) if before else before
    try:
        after = _edit(agent, text, agent.entry(command) if command else None)
    except (ValueError, TypeError, AttributeError, KeyError) as problem:
        raise SettingsError(f"'{agent.config}' is left unchanged: {problem}") from None
    return Change(agent.name, agent.config, before, None if after is None else mark + after)


def _edit(agent: Agent, text: str | None, entry: Entry | None) -> str | None:
    is_toml = agent.config.suffix == ".toml"
    if entry is not None:
        return (with_table if is_toml else with_entry)(text, agent.key, _NAME, entry)
    return (without_table if is_toml else without_entry)(text or "", agent.key, _NAME)


def apply(change: Change) -> None:
    """Write a planned change, in one step. Raises SettingsError."""
    try:
        target = change.path.resolve()
        if change.after is None:
            target.unlink(missing_ok=True)
            if target.parent.name == _NAME:  # The skill's own folder, and that of skills.
                with suppress(OSError):
                    target.parent.rmdir()
                    target.parent.parent.rmdir()
            return
        change.path.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else None
        write_private_atomic(target, change.after.encode())
        if mode is not None:
            target.chmod(mode)
    except OSError as problem:
        raise SettingsError(f"'{change.path}' cannot be written: {problem}") from None


def server_command(root: str) -> list[str]:
    """Return the command of the server for a root, or for none where the agent names its own."""
    return [sys.executable, "-m", "packhound", "mcp", *([root] if root else [])]


# VS Code does not start servers in the workspace; it replaces this variable.
_VSCODE: dict[str, Any] = {"key": "servers", "fields": {"type": "stdio"}, "root": WORKSPACE}


def _support_folder(home: Path) -> Path:
    """Return the folder in which desktop programs keep their settings."""
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", home / "AppData" / "Roaming"))
    return home / ".config"
