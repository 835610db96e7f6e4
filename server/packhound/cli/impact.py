"""`packhound symbol` and `packhound changes`: what a definition or a change touches."""

from __future__ import annotations

from pathlib import Path

import click

from packhound.api import Json, as_text, call
from packhound.cli.opening import Answerer, folder_settings, print_json
from packhound.cli.options import JSON, ROOT
from packhound.core.types import MOST_HITS


@click.command()
@click.argument("name")
@ROOT
@click.option(
    "--distance", default=1, show_default=True, type=click.IntRange(1, 4), help="Calls to follow."
)
@click.option(
    "--limit",
    "-n",
    default=30,
    show_default=True,
    type=click.IntRange(1, MOST_HITS),
    help="Maximum number of each kind.",
)
@JSON
def symbol(name: str, root: Path, distance: int, limit: int, as_json: bool) -> None:
    """Show what calls NAME, what it calls, what implements it, and the tests that reach it.

    NAME is a name, Qual.name, PATH:LINE or PATH#NAME.
    """
    _answer(root, "symbol", {"name": name, "distance": distance, "limit": limit}, as_json)


@click.command()
@click.argument("base", default="HEAD")
@ROOT
@click.option(
    "--limit",
    "-n",
    default=10,
    show_default=True,
    type=click.IntRange(1, MOST_HITS),
    help="Maximum number of tests and of related files.",
)
@JSON
def changes(base: str, root: Path, limit: int, as_json: bool) -> None:
    """Show what differs from BASE, what calls it, which tests to run, and what changes with it."""
    _answer(root, "changes", {"base": base, "limit": limit}, as_json)


def _answer(root: Path, tool: str, arguments: Json, as_json: bool) -> None:
    """Print what a tool answers, from the running language server where there is one."""
    with Answerer(root, folder_settings(root), overridden=False) as answerer:
        answer = answerer.ask(
            lambda server: server.call(tool, arguments),
            lambda engine: call(engine, tool, arguments),
        )
    if as_json:
        print_json(answer)
    else:
        click.echo(as_text(tool, answer, {"max_tokens": _MAX_TOKENS}))


_MAX_TOKENS = 100_000
"""A person can scroll."""
