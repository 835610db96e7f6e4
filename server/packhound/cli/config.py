"""`packhound config`: every setting in force, and where it came from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from packhound.cli.options import JSON, ROOTS, SET
from packhound.cli.several_roots import Answerers
from packhound.cli.terminal import print_json


@click.command()
@ROOTS
@JSON
@SET
def config(roots: Sequence[Path], as_json: bool, changes: Sequence[str]) -> None:
    """Print each setting in force in a folder: its value, where it came from, what it does.

    Where a language server has the folder open, these are its settings.
    """
    with Answerers(roots, "", changes) as answerers:
        answers = answerers.configs()
    if as_json:
        print_json(answers[0] if len(answers) == 1 else {"roots": answers})
        return
    for answer in answers:
        if len(answers) > 1:
            click.echo(f"{answer['root']}:")
        _print(answer["settings"])


def _print(rows: Any) -> None:  # noqa: ANN401 - rows of JSON
    for row in rows:
        origin = f"{row['origin']} {row['file']}".rstrip()
        click.echo(f"{row['name']} = {json.dumps(row['value'], ensure_ascii=False)}  ({origin})")
        click.echo(f"    {row['description']}")
