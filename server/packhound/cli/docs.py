"""`packhound docs`: write the documentation that is made from the index, or check it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from packhound.cli.opening import Asker
from packhound.cli.options import ALONE, ROOT, SET, complete_folder
from packhound.cli.terminal import echo_line
from packhound.core.errors import SettingsError
from packhound.operations import DOCS_FOLDER, PAGE_MARK


@click.command()
@ROOT
@click.option(
    "--out",
    default=DOCS_FOLDER,
    show_default=True,
    metavar="FOLDER",
    help="Folder of the pages, relative to the root; nothing else is written.",
    shell_complete=complete_folder,
)
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if a page is stale.")
@SET
@ALONE
def docs(root: Path, out: str, check: bool, changes: tuple[str, ...], alone: bool) -> None:
    """Write a page of Markdown for each folder with code: its public definitions and their uses.

    What was not made by this command is never written over.
    """
    folder = root.resolve()
    below = (folder / out).resolve()
    relative = Path(os.path.relpath(below, folder)).as_posix()
    with Asker([root], "", changes, alone=alone) as asker:
        answer = asker.answer("docs", {"out": relative})
    if not answer["complete"]:
        raise SettingsError(f"{answer['reading']}: ask again when all are")
    pages = {folder / page["path"]: page["text"] for page in answer["pages"]}
    differing = _differing(below, pages)
    if check:
        for path in differing:
            echo_line(f"stale: {os.path.relpath(path, folder)}")
        sys.exit(1 if differing else 0)
    for path, text in differing.items():
        _write(path, text)
    echo_line(f"{relative}: {len(pages):,} pages, {len(differing):,} of them new or changed")


def _differing(out: Path, pages: Mapping[Path, str]) -> dict[Path, str]:
    """Return the pages that are missing or other than they should be; "" for those to delete.

    Raises SettingsError: a file that is no page is in the way, or a link leads out of the folder.
    """
    made = {path for path in out.rglob("*.md") if _is_page(path)} if out.is_dir() else set()
    differing = {path: "" for path in sorted(made - {path.resolve() for path in pages})}
    for path, text in pages.items():
        if not path.parent.resolve().is_relative_to(out):
            raise SettingsError(f"'{path}' leads out of '{out}'")
        if os.path.lexists(path) and not _is_page(path):
            raise SettingsError(f"'{path}' was not made by this command; move it, or change --out")
        if not path.exists() or path.read_text("utf-8") != text:
            differing[path] = text
    return differing


def _is_page(path: Path) -> bool:
    """Return True for a regular file that begins as each page does."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(PAGE_MARK)) == PAGE_MARK.encode()


def _write(path: Path, text: str) -> None:
    if not text:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    with new.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
    new.replace(path)
