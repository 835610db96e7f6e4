"""`packhound agents`: the configuration of coding agents."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from packhound import mcp
from packhound.cli.options import complete_folder
from packhound.cli.terminal import echo
from packhound.core.errors import RootError, SettingsError
from packhound.core.settings import Settings
from packhound.service import check_root, real_path, root_path


@click.group()
def agents() -> None:
    """Configure coding agents to use this index, or not to."""


@agents.command("list")
def list_agents() -> None:
    """List known agents and the files that configure their servers."""
    for agent in mcp.agents(Path.home(), Path.cwd()):
        echo(f"{agent.name:16} {'found' if agent.installed else '-':6} {agent.config}")


@agents.command()
@click.option("--only", multiple=True, metavar="NAME", help="Only this agent.")
@click.option(
    "--root",
    default="",
    help="Folder to serve.  [default: the one that the agent works in, this one if in none]",
    shell_complete=complete_folder,
)
@click.option("--skill/--no-skill", default=True, help="Add the skill.  [default: --skill]")
@click.option("--yes", is_flag=True, help="Do not ask.")
def install(only: tuple[str, ...], root: str, skill: bool, yes: bool) -> None:
    """Add the MCP server to the installed agents, and a skill to those that read skills.

    The server is started first: nothing is written unless it answers.
    """
    selected = _select(only)
    folder = str(real_path(root_path(root))) if root else ""
    commands = _commands(selected, folder)
    placed = [agent for agent in selected if agent.name in commands]
    changes = _plan(placed, commands, skill=skill)
    if changes:
        n_tools = _check(folder)
        echo(f"the server starts and offers {n_tools} tools")
    _write(changes, selected, only, yes)


@agents.command()
@click.option("--only", multiple=True, metavar="NAME", help="Only this agent.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(only: tuple[str, ...], yes: bool) -> None:
    """Remove the MCP server from the agents' configuration, and the skill unless it was edited."""
    selected = _select(only)
    _write(_plan(selected, {}), selected, only, yes)


def _commands(selected: Sequence[mcp.Agent], folder: str) -> dict[str, list[str]]:
    """Return the command of the server by agent; one without a folder to serve is told of."""
    commands = {}
    for agent in selected:
        try:
            root = folder or agent.root or str(check_root(Path.cwd(), Settings()))
        except RootError:
            echo(f"{agent.name}: it works in no folder; name one by --root FOLDER", err=True)
        else:
            commands[agent.name] = mcp.server_command(root)
    return commands


def _check(folder: str) -> int:
    """Return how many tools the server offers, started as an agent would. Raises SettingsError."""
    if folder:
        return mcp.check_server(mcp.server_command(folder), Path(folder))
    with tempfile.TemporaryDirectory() as empty:
        return mcp.check_server(mcp.server_command("."), Path(empty))


def _plan(
    selected: Sequence[mcp.Agent], commands: Mapping[str, list[str]], *, skill: bool = True
) -> list[mcp.Change]:
    """Return the changes to make; what cannot be changed is named on stderr.

    The entry of an agent without a command goes, its skill too; without `skill` that stays.
    """
    changes: list[mcp.Change] = []
    for agent in selected:
        command = commands.get(agent.name)
        try:
            planned: list[mcp.Change | None] = [mcp.plan(agent, command)]
            planned += [mcp.plan_skill(agent, install=command is not None)] if skill else []
        except SettingsError as problem:
            # One unreadable file does not stop the others.
            echo(f"{agent.name}: {problem}", err=True)
            if command:
                echo(f"  the server's command is: {shlex.join(command)}", err=True)
        else:
            changes += filter(None, planned)
    return changes


def _write(
    changes: Sequence[mcp.Change], selected: Sequence[mcp.Agent], only: Sequence[str], yes: bool
) -> None:
    """Show each change, then make it."""
    refused = [agent.name for agent in selected if agent.name not in {c.agent for c in changes}]
    changes = [change for change in changes if change.diff]
    if not changes:
        echo("nothing to change" if selected else "no agent was found")
    for change in changes:
        echo(f"{change.agent}:\n{change.diff}")
    if changes and (yes or click.confirm("Write these changes?")):
        for change in changes:
            mcp.apply(change)
            echo(f"{'deleted' if change.after is None else 'written'}: {change.path}")
    if refused and only:
        raise SettingsError(f"not changed: {', '.join(refused)}")


def _select(only: tuple[str, ...]) -> list[mcp.Agent]:
    agents_by_name = {agent.name.lower(): agent for agent in mcp.agents(Path.home(), Path.cwd())}
    for name in only:
        if name.lower() not in agents_by_name:
            expected = ", ".join(agent.name for agent in agents_by_name.values())
            raise SettingsError(f"unknown agent '{name}'; expected one of: {expected}")
    installed = [agent for agent in agents_by_name.values() if agent.installed]
    return [agents_by_name[name.lower()] for name in only] or installed
