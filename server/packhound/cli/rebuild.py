"""`packhound rebuild`: the index of code, and those of the sources beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from packhound.cli.opening import Asker, exit_unless_saved, open_engine, wait
from packhound.cli.options import ROOT
from packhound.cli.terminal import echo
from packhound.core.records import CODE, SOURCE_NAMES


@click.command()
@click.argument(
    "sources", nargs=-1, metavar="[SOURCE]...", type=click.Choice((CODE, *SOURCE_NAMES))
)
@ROOT
@click.option(
    "--regenerate-embeddings",
    is_flag=True,
    help="Encode records whose text is the same too; code is always encoded anew.",
)
@click.option(
    "--remote",
    is_flag=True,
    help="Send the notes to the team's store, and read those there, anew; of notes alone.",
)
def rebuild(sources: Sequence[str], root: Path, regenerate_embeddings: bool, remote: bool) -> None:
    """Discard indexes and build them again: of SOURCEs, or of all; what is not made stays.

    Vectors of unchanged records are reused where a running process has them.
    """
    other_sources = [name for name in sources if name != CODE]
    if remote and CODE in sources:
        raise click.UsageError("--remote is of notes alone")
    if CODE in sources or not (sources or remote):
        _rebuild_code(root)
    if not sources or other_sources:
        arguments = {"sources": other_sources, "regenerate": regenerate_embeddings}
        arguments |= {"remote": True} if remote else {}
        with Asker([root]) as asker:
            for row in asker.answer("rebuild_sources", arguments)["rebuilt"]:
                counts = f"{row['reused']:,} vectors reused, {row['regenerated']:,} regenerated"
                echo(f"{row['name']}: {row['records']:,} records, {counts}")


def _rebuild_code(root: Path) -> None:
    with open_engine(root) as engine:
        engine.rebuild()
        wait(engine)
        engine.flush()
        state = engine.status()
    echo(f"{state.files:,} files, {state.nodes:,} nodes")
    exit_unless_saved(state)
