"""Options for the folder and its settings, and the engine they open."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from packhound.core.errors import SettingsError
from packhound.core.settings import Settings, read_settings
from packhound.core.types import Query, Results

if TYPE_CHECKING:
    from packhound.service.engine import Engine

ROOT = click.option(
    "--root", default=".", type=click.Path(path_type=Path), help="Folder to search; default: here."
)
MODEL = click.option(
    "--model", "encoder_path", default="", help="Folder of another ONNX embedding model."
)
SET = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change a setting, as in the editor; for example search.limit=20.",
)


@contextmanager
def searcher(root: Path, settings: Settings) -> Iterator[Callable[[Query], Results]]:
    """Yield the search of a running language server, which sees unsaved text; else an engine's."""
    from packhound.api.json_codec import results_of
    from packhound.api.socket_client import connect
    from packhound.service.roots import index_folder, real_path

    # A running server has settings of its own.
    server = connect(index_folder(real_path(root))) if settings == Settings() else None
    if server is None:
        with open_engine(root, settings) as engine:
            yield engine.search
        return
    try:
        yield lambda query: results_of(server.search(query))
    finally:
        server.close()


@contextmanager
def open_engine(root: Path, settings: Settings | None = None) -> Iterator[Engine]:
    """Yield the engine of `root` once nothing is pending."""
    from packhound.service.engine import Engine

    engine = Engine.open(root, settings)
    try:
        wait(engine)
        yield engine
    finally:
        engine.close()


def wait(engine: Engine) -> None:
    """Wait until nothing is pending, with a progress bar on a terminal."""
    if engine.settled(0.4):
        return
    if sys.stderr.isatty():
        from packhound.cli import show

        show.progress(engine)
    engine.settled()


def settings_of(
    encoder_path: str, changes: Sequence[str], base: Settings | None = None
) -> Settings:
    """Return `base` changed by `--model` and every `--set`. Raises SettingsError."""
    values: dict[str, object] = {"encoder.path": encoder_path} if encoder_path else {}
    for change in changes:
        name, equals, value = change.partition("=")
        if not equals:
            raise SettingsError(f"--set takes NAME=VALUE, not '{change}'")
        try:
            values[name] = json.loads(value)
        except json.JSONDecodeError:
            values[name] = value
    settings, problems, deprecations = read_settings(values, base)
    if problems:
        raise SettingsError("; ".join(problems))
    for deprecation in deprecations:
        click.echo(f"note: {deprecation}", err=True)
    return settings
