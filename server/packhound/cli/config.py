"""`packhound config`: every setting in force, and where it came from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from packhound.api import Json, settings_json
from packhound.cli.opening import Answerer, folder_settings, print_json
from packhound.cli.options import JSON, ROOT, SET


@click.command()
@ROOT
@JSON
@SET
def config(root: Path, as_json: bool, changes: Sequence[str]) -> None:
    """Print each setting in force in a folder: its value, where it came from, what it does.

    Where a language server has the folder open, these are its settings.
    """
    settings = folder_settings(root, "", changes)
    with Answerer(root, settings, overridden=bool(changes)) as answerer:
        answer: Json = answerer.config() or settings_json(settings.read())
    if as_json:
        print_json(answer)
        return
    rows: Any = answer["settings"]
    for row in rows:
        origin = f"{row['origin']} {row['file']}".rstrip()
        click.echo(f"{row['name']} = {json.dumps(row['value'], ensure_ascii=False)}  ({origin})")
        click.echo(f"    {row['description']}")
