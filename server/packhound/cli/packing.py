"""`packhound pack`: the right code for a prompt, within a budget of tokens."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from packhound.api import pack_json, pack_request_from
from packhound.cli.opening import Answerer, folder_settings, print_json
from packhound.cli.options import FOCUS, JSON, MODEL, ROOT, SET, complete_file
from packhound.pack import FORMATS


@click.command()
@click.argument("prompt")
@ROOT
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
@MODEL
@JSON
@SET
def pack(
    prompt: str,
    root: Path,
    encoder_path: str,
    as_json: bool,
    changes: Sequence[str],
    **options: Any,  # noqa: ANN401 - the fields of PackRequest, checked by their schema
) -> None:
    """Pack the code that PROMPT is about; - reads the prompt from standard input."""
    if prompt == "-":
        prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    settings = folder_settings(root, encoder_path, changes)
    request = pack_request_from({"prompt": prompt, **options}, settings.read().settings)
    with Answerer(root, settings, overridden=bool(encoder_path or changes)) as answerer:
        result = answerer.pack(request)
    if as_json or options["format"] == "json":
        print_json(pack_json(result, request.model, contributions=True))
        return
    click.echo(result.text)
    click.echo(f"{result.tokens:,} of {result.budget:,} tokens", err=True)
    for note in result.notes:
        click.echo(f"note: {note}", err=True)
