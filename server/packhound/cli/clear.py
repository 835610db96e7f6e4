"""`packhound clear`: delete a folder's index, and the user's activity there."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from packhound.cli.options import ROOT
from packhound.cli.terminal import echo
from packhound.core.errors import StoreError
from packhound.core.user_folders import cache_folder
from packhound.daemon import connect
from packhound.pack import forget_conversations
from packhound.search import forget
from packhound.service import clear_index, index_folder, real_path


@click.command()
@ROOT
@click.option("--all", "all_folders", is_flag=True, help="All folders, not only this one.")
@click.option(
    "--activation",
    "only_activity",
    is_flag=True,
    help="Only what you opened, edited and picked, and conversations.",
)
def clear(root: Path, all_folders: bool, only_activity: bool) -> None:
    """Delete the index of a folder from the cache, and what you used there."""
    cached = cache_folder().glob("*/") if all_folders else [index_folder(real_path(root))]
    _forget_in_daemon([root])
    for folder in sorted(cached):
        forget(folder)
        forget_conversations(folder)
    if only_activity:
        echo("forgot what was opened, edited and picked, and conversations")
        return
    freed = clear_index(None if all_folders else root)
    echo(f"freed {freed / 1e6:.1f} MB")


def _forget_in_daemon(roots: Sequence[Path]) -> None:
    """Delete the activity in a running daemon too: it would save it again."""
    try:
        daemon = connect([real_path(root) for root in roots])
        if daemon is not None:
            with closing(daemon):
                daemon.answer("forget_use", {})
    except StoreError as problem:
        echo(f"note: {problem}; if it goes on, it may save what you did again", err=True)
