"""`packhound mcp` and `packhound agents`: the same index for coding agents."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from packhound.core.errors import SettingsError
from packhound.core.settings import Settings, read_settings
from packhound.mcp.agent_configs import Agent, apply, plan, server_command
from packhound.mcp.agent_configs import agents as known_agents


@click.command()
@click.argument("roots", nargs=-1, type=click.Path(path_type=Path))
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting.")
def mcp(roots: tuple[Path, ...], changes: tuple[str, ...]) -> None:
    """Serve ROOTS (default: here) to an agent over MCP, on standard input and output."""
    from packhound.mcp.server import serve_mcp

    given = dict(change.partition("=")[::2] for change in changes)
    settings, problems = read_settings(given, Settings())
    if problems:
        raise SettingsError(problems[0])
    serve_mcp(roots or (Path(),), settings)


@click.group()
def agents() -> None:
    """Tell coding agents of this index, or make them forget it."""


@agents.command("list")
def list_agents() -> None:
    """Show which agents are here and where they keep their servers."""
    for agent in known_agents(Path.home(), Path.cwd()):
        click.echo(f"{agent.name:12} {'found' if agent.found else '-':6} {agent.config}")


@agents.command()
@click.option("--only", multiple=True, metavar="NAME", help="Only this agent.")
@click.option("--root", default=".", help="Folder to serve; . is the one the agent works in.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def install(only: tuple[str, ...], root: str, yes: bool) -> None:
    """Write the MCP server into the configuration of the agents that are here."""
    _change(only, server_command(root), yes)


@agents.command()
@click.option("--only", multiple=True, metavar="NAME", help="Only this agent.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(only: tuple[str, ...], yes: bool) -> None:
    """Take the MCP server out of the agents' configuration again."""
    _change(only, None, yes)


def _change(only: tuple[str, ...], command: list[str] | None, yes: bool) -> None:
    """Show each change, then make it."""
    chosen = _chosen(only)
    changes, refused = [], []
    for agent in chosen:
        try:
            changes.append(plan(agent, command))
        except SettingsError as problem:
            # The others are not to wait for one that cannot be read.
            refused.append(agent)
            click.echo(f"{agent.name}: {problem}", err=True)
            if command:
                click.echo(f"  the server's command is: {shlex.join(command)}", err=True)
    changes = [change for change in changes if change.diff]
    if not changes:
        click.echo("nothing to change" if chosen else "no agent was found")
        return
    for change in changes:
        click.echo(f"{change.agent}:\n{change.diff}")
    if yes or click.confirm("Write these changes?"):
        for change in changes:
            apply(change)
            click.echo(f"written: {change.path}")
    if refused and only:
        raise SettingsError(f"not changed: {', '.join(agent.name for agent in refused)}")


def _chosen(only: tuple[str, ...]) -> list[Agent]:
    known = known_agents(Path.home(), Path.cwd())
    names = {agent.name.lower(): agent for agent in known}
    for name in only:
        if name.lower() not in names:
            legal = ", ".join(agent.name for agent in known)
            raise SettingsError(f"agent '{name}' is not known; known are: {legal}")
    return [names[name.lower()] for name in only] or [agent for agent in known if agent.found]
