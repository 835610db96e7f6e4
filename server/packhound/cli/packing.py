"""`packhound pack`: the right code for a prompt, within a budget of tokens."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from packhound.api import pack_json, pack_request_from
from packhound.cli.options import FOCUS, JSON, MODEL, ROOTS, SET, complete_file
from packhound.cli.several_roots import Answerers
from packhound.cli.terminal import echo, print_json
from packhound.pack import FORMATS


@click.command()
@click.argument("prompt")
@ROOTS
@click.option("--budget", "-b", default=8_000, show_default=True, help="Tokens at most.")
@click.option("--reserve", default=0, show_default=True, help="Tokens of the budget to leave free.")
@click.option("--format", default="markdown", show_default=True, type=click.Choice(FORMATS))
@click.option(
    "--pin",
    "pinned",
    multiple=True,
    metavar="PATH[:A-B]",
    help="Must be in the pack.",
    shell_complete=complete_file,
)
@click.option("--exclude", "excluded", multiple=True, metavar="GLOB", help="Must not be in it.")
@FOCUS
@click.option("--for", "model", default="", metavar="MODEL", help="Show what the pack costs there.")
@click.option(
    "--tokenizer",
    default="",
    help="A tokenizer.json, or tiktoken:NAME, to count with.",
    shell_complete=complete_file,
)
@click.option(
    "--conversation", default="", metavar="NAME", help="Leave out what its packs have shown."
)
@MODEL
@JSON
@SET
def pack(
    prompt: str,
    roots: Sequence[Path],
    encoder_path: str,
    as_json: bool,
    changes: Sequence[str],
    **options: Any,  # noqa: ANN401 - the fields of PackRequest, checked by their schema
) -> None:
    """Pack the code that PROMPT is about; - reads the prompt from standard input."""
    if prompt == "-":
        prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    with Answerers(roots, encoder_path, changes) as answerers:
        settings = answerers.settings.read().settings
        request = pack_request_from({"prompt": prompt, **options}, settings)
        answerers.check_focus(options["focus_path"])
        result = answerers.pack(request)
    if as_json or options["format"] == "json":
        print_json(pack_json(result, request.model, contributions=True))
        return
    echo(result.text)
    echo(f"{result.tokens:,} of {result.budget:,} tokens", err=True)
    for note in result.notes:
        echo(f"note: {note}", err=True)
