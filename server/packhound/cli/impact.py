"""`packhound symbol` and `packhound changes`: what a definition or a change touches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from packhound.cli.opening import Asker
from packhound.cli.options import JSON, ROOTS, limit_option
from packhound.cli.terminal import echo, print_json
from packhound.core.types import Json

_MAX_TOKENS = 100_000
"""A person can scroll."""


@click.command()
@click.argument("name")
@ROOTS
@click.option(
    "--distance", default=1, show_default=True, type=click.IntRange(1, 4), help="Calls to follow."
)
@limit_option(30, "Maximum number of each kind.")
@JSON
def symbol(name: str, roots: Sequence[Path], distance: int, limit: int, as_json: bool) -> None:
    """Show what calls NAME, what it calls, what implements it, and the tests that reach it.

    NAME is a name, Qual.name, PATH:LINE or PATH#NAME.
    """
    _answer(roots, "symbol", {"name": name, "distance": distance, "limit": limit}, as_json)


@click.command()
@click.argument("base", default="HEAD")
@ROOTS
@limit_option(10, "Maximum number of tests and of related files.")
@JSON
def changes(base: str, roots: Sequence[Path], limit: int, as_json: bool) -> None:
    """Show what differs from BASE, what calls it, which tests to run, and what changes with it."""
    _answer(roots, "changes", {"base": base, "limit": limit}, as_json)


def _answer(roots: Sequence[Path], name: str, arguments: Json, as_json: bool) -> None:
    """Print the answer of an operation."""
    from packhound.operations import as_text

    with Asker(roots) as asker:
        answer = asker.answer(name, arguments)
    if as_json:
        print_json(answer)
    else:
        echo(as_text(name, answer, {"max_tokens": _MAX_TOKENS}))
