"""Configuration files of coding agents, and the entry of Packhound's MCP server in them.

A change is first planned and shown as a diff; only the entry `packhound` is touched, and removing
it restores the file.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from packhound.core.errors import SettingsError
from packhound.core.private_file import write_private_atomic
from packhound.mcp.jsonc import plain, with_entry, without_entry

_NAME = "packhound"


@dataclass(frozen=True, slots=True)
class Agent:
    """A coding agent: the file with its MCP servers, and paths that exist if it is installed.

    `entry` makes the text of the file with the server (given its command) or without it (None).
    """

    name: str
    config: Path
    marks: tuple[Path, ...]
    entry: Callable[[str, list[str] | None], str]

    @property
    def installed(self) -> bool:
        """Return True if the agent seems to be installed."""
        return any(mark.exists() for mark in self.marks)


@dataclass(frozen=True, slots=True)
class Change:
    """A planned change of one file."""

    agent: str
    path: Path
    before: str
    after: str

    @property
    def diff(self) -> str:
        """The change as a unified diff; empty if there is none."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            str(self.path),
            str(self.path),
        )
        return "".join(lines)


def agents(home: Path, workspace: Path) -> tuple[Agent, ...]:
    """Return all known agents, installed or not."""
    user_code, zed = _vscode_folder(home), _config_home(home) / "zed"
    claude = home / ".claude.json"
    return (
        Agent("Claude Code", claude, (home / ".claude", claude), _servers),
        Agent("Cursor", home / ".cursor" / "mcp.json", (home / ".cursor",), _servers),
        Agent("VS Code", user_code / "mcp.json", (user_code,), _vscode_servers),
        Agent("Codex", home / ".codex" / "config.toml", (home / ".codex",), _codex_table),
        Agent("Gemini CLI", home / ".gemini" / "settings.json", (home / ".gemini",), _servers),
        Agent(
            "Windsurf",
            home / ".codeium" / "windsurf" / "mcp_config.json",
            (home / ".codeium" / "windsurf",),
            _servers,
        ),
        Agent("Zed", zed / "settings.json", (zed,), _zed),
        Agent("this folder", workspace / ".mcp.json", (workspace / ".mcp.json",), _servers),
    )


def plan(agent: Agent, command: list[str] | None) -> Change:
    """Return the change that adds the server to an agent's file, or removes it (None).

    Raises:
        SettingsError: the file is not one that the agent itself would write.
    """
    try:
        before = agent.config.read_text("utf-8")
    except FileNotFoundError:
        before = ""
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"'{agent.config}' cannot be read: {problem}") from None
    if command is None and not before:
        return Change(agent.name, agent.config, "", "")
    try:
        after = agent.entry(before, command)
    except (ValueError, TypeError, AttributeError) as problem:
        raise SettingsError(f"'{agent.config}' is left unchanged: {problem}") from None
    return Change(agent.name, agent.config, before, after)


def apply(change: Change) -> None:
    """Write a planned change, in one step. Raises SettingsError."""
    try:
        change.path.parent.mkdir(parents=True, exist_ok=True)
        target = change.path.resolve()
        mode = target.stat().st_mode & 0o777 if target.exists() else None
        write_private_atomic(target, change.after.encode())
        if mode is not None:
            target.chmod(mode)
    except OSError as problem:
        raise SettingsError(f"'{change.path}' cannot be written: {problem}") from None


def server_command(root: str) -> list[str]:
    """Return the command of the server; `root` "." means the working folder of the agent."""
    return [sys.executable, "-m", "packhound", "mcp", root]


def _servers(before: str, command: list[str] | None) -> str:
    return _json_entry(before, "mcpServers", _stdio(command))


def _vscode_servers(before: str, command: list[str] | None) -> str:
    # VS Code does not start servers in the workspace; it replaces this variable.
    entry = _stdio([*command[:-1], "${workspaceFolder}"] if command else None)
    return _json_entry(before, "servers", entry and {"type": "stdio", **entry})


def _zed(before: str, command: list[str] | None) -> str:
    entry = _stdio(command)
    return _json_entry(before, "context_servers", entry and {"source": "custom", **entry})


def _stdio(command: list[str] | None) -> dict[str, object] | None:
    return {"command": command[0], "args": command[1:]} if command else None


def _json_entry(before: str, key: str, entry: dict[str, object] | None) -> str:
    """Return the file with the entry under `key`, everything else unchanged and in order."""
    if before.strip() and plain(before) != before:
        # Comments and trailing commas stay as they were written.
        return with_entry(before, key, _NAME, entry) if entry else without_entry(before, key, _NAME)
    config = json.loads(before) if before.strip() else {}
    if not isinstance(config, dict) or not isinstance(config.get(key, {}), dict):
        raise ValueError("it is not a JSON object of settings")
    servers = config.get(key, {})
    if entry is None:
        if _NAME not in servers:
            return before
        del servers[_NAME]
        if not servers:
            config.pop(key, None)
    else:
        config[key] = {**servers, _NAME: entry}
    first_indent = re.search(r"^([ \t]+)\"", before, re.MULTILINE)
    indent = first_indent[1] if first_indent else "  "
    return json.dumps(config, indent=indent, ensure_ascii=False) + "\n"


_CODEX = re.compile(rf"(?ms)^\[mcp_servers\.{_NAME}\]\n.*?(?=^\[|\Z)")


def _codex_table(before: str, command: list[str] | None) -> str:
    """Edit a TOML file as text, so that its comments stay."""
    without = _CODEX.sub("", before)
    if command is None:
        return without.rstrip("\n") + "\n" if without.strip() else ""
    arguments = ", ".join(json.dumps(argument) for argument in command[1:])
    table = f"[mcp_servers.{_NAME}]\ncommand = {json.dumps(command[0])}\nargs = [{arguments}]\n"
    return f"{without.rstrip()}\n\n{table}" if without.strip() else table


def _vscode_folder(home: Path) -> Path:
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "Code" / "User"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", home / "AppData" / "Roaming")) / "Code" / "User"
    return _config_home(home) / "Code" / "User"


def _config_home(home: Path) -> Path:
    return home / ".config"
