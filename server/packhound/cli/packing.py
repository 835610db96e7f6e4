"""`packhound pack`: the right code for a prompt, within a budget of tokens."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from packhound.cli.opening import Asker
from packhound.cli.options import FOCUS, JSON, MODEL, ROOTS, SET, complete_file
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
@click.option("--exclude", "exclude", multiple=True, metavar="GLOB", help="Must not be in it.")
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
    **options: Any,  # noqa: ANN401 - fields of the request, checked there
) -> None:
    """Pack the code that PROMPT is about; - reads the prompt from standard input."""
    if prompt == "-":
        prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    with Asker(roots, encoder_path, changes) as asker:
        answer = asker.answer("pack", {"prompt": prompt, "explain": True, **options})
    if as_json or options["format"] == "json":
        print_json(answer)
        return
    echo(answer["text"])
    echo(f"{answer['tokens']:,} of {answer['budget']:,} tokens", err=True)
    for note in answer["notes"]:
        echo(f"note: {note}", err=True)
