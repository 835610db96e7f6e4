"""`packhound clear`: the index of a folder, and what the user used there, leave the cache."""

from __future__ import annotations

from pathlib import Path

import click

from packhound.api.socket import connect
from packhound.cli.opening import ROOT
from packhound.core.settings import cache_folder
from packhound.search.rank.personalization import forget
from packhound.service.roots import clear_index, index_folder, real_path


@click.command()
@ROOT
@click.option("--all", "everything", is_flag=True, help="Of every folder, not only this one.")
@click.option(
    "--activation", "only_uses", is_flag=True, help="Only what you opened, edited and picked."
)
def clear(root: Path, everything: bool, only_uses: bool) -> None:
    """Delete the index of a folder from the cache, and what you used there."""
    here = index_folder(real_path(root))
    for folder in sorted(cache_folder().glob("*/")) if everything else [here]:
        _forget(folder)
    if only_uses:
        click.echo("forgot what was opened, edited and picked")
        return
    freed = clear_index(None if everything else root)
    click.echo(f"freed {freed / 1e6:.1f} MB")


def _forget(folder: Path) -> None:
    """Where a server has the folder open it must forget too, or it would save all again."""
    server = connect(folder)
    if server is not None:
        server.forget()
        server.close()
    forget(folder)
