"""Options that say which folder is opened with which settings, and its engine."""

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
MODEL = click.option("--model", default="", help="Folder of another ONNX embedding model.")
SET = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change a setting, as in the editor.",
)


@contextmanager
def searcher(
    root: Path, model: str, changes: Sequence[str]
) -> Iterator[Callable[[Query], Results]]:
    """A running language server of the folder, which sees unsaved text; else its engine."""
    from packhound.api.json_codec import results_of
    from packhound.api.socket import connect
    from packhound.service.roots import index_folder, real_path

    server = None
    if not (model or changes):
        server = connect(index_folder(real_path(root)))
    if server is None:
        with open_engine(root, model, changes) as engine:
            yield engine.search
        return
    try:
        yield lambda query: results_of(server.search(query))
    finally:
        server.close()


@contextmanager
def open_engine(root: Path, model: str = "", changes: Sequence[str] = ()) -> Iterator[Engine]:
    """The engine of `root`, when nothing is pending any more."""
    from packhound.service.engine import Engine

    engine = Engine.open(root, settings_of(model, changes))
    try:
        wait(engine)
        yield engine
    finally:
        engine.close()


def wait(engine: Engine) -> None:
    """Until nothing is pending, with a progress bar on a terminal."""
    if engine.settled(0.4):
        return
    if sys.stderr.isatty():
        from packhound.cli import show

        show.progress(engine)
    engine.settled()


def settings_of(model: str, changes: Sequence[str], base: Settings | None = None) -> Settings:
    """`base` with `--model` and every `--set`. Raises SettingsError."""
    given: dict[str, object] = {"model": model} if model else {}
    for change in changes:
        name, equals, value = change.partition("=")
        if not equals:
            raise SettingsError(f"--set takes NAME=VALUE, not '{change}'")
        try:
            given[name] = json.loads(value)
        except json.JSONDecodeError:
            given[name] = value
    settings, problems = read_settings(given, base)
    if problems:
        raise SettingsError("; ".join(problems))
    return settings
