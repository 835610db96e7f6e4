"""`packhound clear`: delete a folder's index, the user's activity there, or all that is kept."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from packhound.cli.options import ROOT
from packhound.cli.terminal import echo
from packhound.core.errors import SettingsError, StoreError, os_error_as
from packhound.core.log_file import LOGS
from packhound.core.private_file import size_of
from packhound.core.user_folders import cache_folder, data_folder, state_folder
from packhound.daemon import connect
from packhound.pack import forget_conversations
from packhound.redact import visible_line
from packhound.search import forget
from packhound.service import clear_index, index_folder, notes_folder, real_path


@click.command()
@ROOT
@click.option("--all", "all_folders", is_flag=True, help="All folders, not only this one.")
@click.option(
    "--activation",
    "only_activity",
    is_flag=True,
    help="Only what you opened, edited and picked, and conversations.",
)
@click.option(
    "--everything",
    is_flag=True,
    help="Also your notes, skills and episodes there, and all logs, after asking.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
def clear(root: Path, all_folders: bool, only_activity: bool, everything: bool, yes: bool) -> None:
    """Delete the index of a folder from the cache, and what you used there."""
    if everything and only_activity:
        raise SettingsError("give '--everything' or '--activation', not both")
    if everything and not yes:
        whose = "every folder" if all_folders else f"'{real_path(root)}'"
        click.confirm(
            f"Delete the index, notes, skills and episodes of {visible_line(whose)}, and all logs? "
            "Notes cannot be made again.",
            abort=True,
        )
    cached = cache_folder().glob("*/") if all_folders else [index_folder(real_path(root))]
    _forget_in_daemon([root])
    for folder in sorted(cached):
        forget(folder)
        forget_conversations(folder)
    if only_activity:
        echo("forgot what was opened, edited and picked, and conversations")
        return
    freed = clear_index(None if all_folders else root)
    if everything:
        kept = _data_folders() if all_folders else [notes_folder(real_path(root))]
        logs = [path for name in LOGS for path in state_folder().glob(f"{name}*")]
        freed += _delete([*kept, *logs])
    echo(f"freed {freed / 1e6:.1f} MB")


def _data_folders() -> list[Path]:
    """Return the folders of notes of all workspaces; the user may keep others beside them."""
    folders = data_folder().glob("*/")
    return [folder for folder in folders if re.search(r"-[0-9a-f]{16}$", folder.name)]


def _delete(paths: Sequence[Path]) -> int:
    """Delete files and whole folders; return the bytes freed. Raises StoreError."""
    freed = 0
    for path in paths:
        with os_error_as(StoreError, f"'{path}' cannot be deleted"):
            n_bytes = sum(map(size_of, [path, *path.rglob("*")]))
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
            freed += n_bytes
    return freed


def _forget_in_daemon(roots: Sequence[Path]) -> None:
    """Delete the activity in a running daemon too: it would save it again."""
    try:
        daemon = connect([real_path(root) for root in roots])
        if daemon is not None:
            with closing(daemon):
                daemon.answer("forget_use", {})
    except StoreError as problem:
        echo(f"note: {problem}; if it goes on, it may save what you did again", err=True)
