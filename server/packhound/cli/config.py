"""`packhound config`: every setting in force, and where it came from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from packhound.cli.opening import Asker
from packhound.cli.options import JSON, ROOTS, SET
from packhound.cli.terminal import echo, print_json


@click.command()
@ROOTS
@JSON
@SET
def config(roots: Sequence[Path], as_json: bool, changes: Sequence[str]) -> None:
    """Print each setting in force in a folder: its value, where it came from, what it does.

    Where a language server has the folder open, these are its settings.
    """
    with Asker(roots, "", changes) as asker:
        answers = asker.answer("config", {})["roots"]
    if as_json:
        print_json(answers[0] if len(answers) == 1 else {"roots": answers})
        return
    for answer in answers:
        if len(answers) > 1:
            echo(f"{answer['root']}:")
        _print(answer["settings"])


def _print(rows: Any) -> None:  # noqa: ANN401 - rows of JSON
    for row in rows:
        origin = f"{row['origin']} {row['file']}".rstrip()
        echo(f"{row['name']} = {json.dumps(row['value'], ensure_ascii=False)}  ({origin})")
        echo(f"    {row['description']}")
