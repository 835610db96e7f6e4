"""`packhound show`: the code, note or other record that a reference names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from packhound.cli.opening import Asker
from packhound.cli.options import JSON, ROOTS, complete_file
from packhound.cli.terminal import echo, print_json


@click.command("show")
@click.argument("reference", metavar="REF", shell_complete=complete_file)
@ROOTS
@click.option("--lines", default=2_000, type=click.IntRange(1, 2_000), help="Lines at most.")
@JSON
def show_code(reference: str, roots: Sequence[Path], lines: int, as_json: bool) -> None:
    """Show the code at REF: PATH:LINE, PATH#Qual.name, Qual.name or PATH, unsaved text included.

    REF of a note, commit or another record is its reference in a search: note:ID, commit:ID, ...
    """
    from packhound.operations import as_text

    arguments = {"path": reference, "limit": lines, "max_tokens": 100_000}
    with Asker(roots) as asker:
        answer = asker.answer("read_node", arguments)
    if as_json:
        print_json(answer)
    else:
        echo(as_text("read_node", answer, arguments))
