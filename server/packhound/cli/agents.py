"""`packhound agents`: the configuration of coding agents."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from packhound.cli.options import complete_folder
from packhound.core.errors import SettingsError
from packhound.mcp import Agent, apply, plan, server_command
from packhound.mcp import agents as known_agents


@click.group()
def agents() -> None:
    """Configure coding agents to use this index, or not to."""


@agents.command("list")
def list_agents() -> None:
    """List known agents and the files that configure their servers."""
    for agent in known_agents(Path.home(), Path.cwd()):
        click.echo(f"{agent.name:12} {'found' if agent.installed else '-':6} {agent.config}")


@agents.command()
@click.option("--only", multiple=True, metavar="NAME", help="Only this agent.")
@click.option(
    "--root",
    default=".",
    help="Folder to serve; . is the one the agent works in.",
    shell_complete=complete_folder,
)
@click.option("--yes", is_flag=True, help="Do not ask.")
def install(only: tuple[str, ...], root: str, yes: bool) -> None:
    """Add the MCP server to the configuration of the installed agents."""
    _change(only, server_command(root), yes)


@agents.command()
@click.option("--only", multiple=True, metavar="NAME", help="Only this agent.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(only: tuple[str, ...], yes: bool) -> None:
    """Remove the MCP server from the agents' configuration."""
    _change(only, None, yes)


def _change(only: tuple[str, ...], command: list[str] | None, yes: bool) -> None:
    """Show each change, then make it."""
    selected = _select(only)
    changes, refused = [], []
    for agent in selected:
        try:
            changes.append(plan(agent, command))
        except SettingsError as problem:
            # One unreadable file does not stop the others.
            refused.append(agent)
            click.echo(f"{agent.name}: {problem}", err=True)
            if command:
                click.echo(f"  the server's command is: {shlex.join(command)}", err=True)
    changes = [change for change in changes if change.diff]
    if not changes:
        click.echo("nothing to change" if selected else "no agent was found")
        return
    for change in changes:
        click.echo(f"{change.agent}:\n{change.diff}")
    if yes or click.confirm("Write these changes?"):
        for change in changes:
            apply(change)
            click.echo(f"written: {change.path}")
    if refused and only:
        raise SettingsError(f"not changed: {', '.join(agent.name for agent in refused)}")


def _select(only: tuple[str, ...]) -> list[Agent]:
    agents_by_name = {agent.name.lower(): agent for agent in known_agents(Path.home(), Path.cwd())}
    for name in only:
        if name.lower() not in agents_by_name:
            expected = ", ".join(agent.name for agent in agents_by_name.values())
            raise SettingsError(f"unknown agent '{name}'; expected one of: {expected}")
    installed = [agent for agent in agents_by_name.values() if agent.installed]
    return [agents_by_name[name.lower()] for name in only] or installed
