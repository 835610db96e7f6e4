"""`packhound pack`: the right code for a prompt, within a budget of tokens."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from packhound.api.json_codec import pack_json
from packhound.api.socket import connect
from packhound.cli.opening import MODEL, ROOT, open_engine
from packhound.core.errors import SettingsError
from packhound.pack.request import FORMATS, Format, Pack, PackRequest
from packhound.service.roots import index_folder, real_path


@click.command()
@click.argument("prompt")
@ROOT
@click.option("--budget", "-b", default=8_000, show_default=True, help="Tokens at most.")
@click.option("--reserve", default=0, show_default=True, help="Tokens of the budget to leave free.")
@click.option("--format", "form", default="markdown", show_default=True, type=click.Choice(FORMATS))
@click.option("--pin", "pinned", multiple=True, metavar="PATH[:A-B]", help="Must be in the pack.")
@click.option("--exclude", "excluded", multiple=True, metavar="GLOB", help="Must not be in it.")
@click.option("--for", "llm", default="", metavar="MODEL", help="Show what the pack costs there.")
@click.option("--tokenizer", default="", help="A tokenizer.json, or tiktoken:NAME, to count with.")
@MODEL
def pack(
    prompt: str,
    root: Path,
    budget: int,
    reserve: int,
    form: Format,
    pinned: tuple[str, ...],
    excluded: tuple[str, ...],
    llm: str,
    tokenizer: str,
    model: str,
) -> None:
    """Pack the code that PROMPT is about; - reads the prompt from standard input."""
    if budget < 1 or not 0 <= reserve < budget:
        raise SettingsError(
            f"budget {budget} with reserve {reserve}: legal is 0 <= reserve < budget"
        )
    request = PackRequest(
        prompt=sys.stdin.buffer.read().decode("utf-8", "replace") if prompt == "-" else prompt,
        budget=budget,
        reserve=reserve,
        pinned=pinned,
        excluded=excluded,
        model=llm,
        tokenizer=tokenizer,
        format=form,
    )
    found = _packed(root, request, model)
    if form == "json":
        click.echo(json.dumps(pack_json(found), ensure_ascii=False))
        return
    click.echo(found.text)
    click.echo(f"{found.tokens:,} of {found.budget:,} tokens", err=True)
    for note in found.notes:
        click.echo(f"note: {note}", err=True)


def _packed(root: Path, request: PackRequest, model: str) -> Pack:
    """By a running language server of the folder, which sees unsaved text; else by its engine."""
    server = None if model else connect(index_folder(real_path(root)))
    if server is None:
        with open_engine(root, model) as engine:
            return engine.pack(request)
    try:
        return server.pack(request)
    finally:
        server.close()
