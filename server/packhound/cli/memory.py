"""`packhound memory`: write, list, show, search, delete, export and import notes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from packhound import knowledge, service
from packhound.cli.fields import add_fields
from packhound.cli.group import ReportingGroup
from packhound.cli.opening import Asker, folder_settings
from packhound.cli.operations import COMMANDS
from packhound.cli.options import JSON, ROOT, ROOTS, complete_file
from packhound.cli.terminal import echo, print_json
from packhound.core.errors import SettingsError, os_error_as
from packhound.core.private_file import write_private_atomic
from packhound.memory import NOTE_TYPES, NoteStore, NoteType, note_from, note_json, write_note
from packhound.operations import AddNote
from packhound.redact import json_line


@click.group(cls=ReportingGroup)
def memory() -> None:
    """Notes on the code: insights, decisions and stashes, kept until you delete them."""


@memory.command()
@click.argument("kind", metavar="TYPE", type=click.Choice(NOTE_TYPES))
@click.argument("name")
@click.argument("content")
@ROOT
@JSON
def add(root: Path, kind: NoteType, name: str, content: str, as_json: bool, **options: Any) -> None:  # noqa: ANN401 - fields of a note
    """Write a note of TYPE insight, decision or stash, called NAME, saying CONTENT.

    An insight may have an empty NAME. Code is PATH#NAME or PATH:LINE.
    """
    keys = {"insight": ("key", "content"), "decision": ("topic", "decision")}
    names = keys.get(kind, ("name", "summary"))
    values = {**options, "type": kind, **dict(zip(names, (name, content), strict=True))}
    settings, shared = folder_settings(root).read().settings, options["shared"]
    if shared is None:
        shared = settings.notes.shared
    if (
        shared
        or settings.team.notes
        or options["code"]
        or (kind == "decision" and settings.sources.episodes)
    ):
        identity = _ask([root], "add", {**values, "shared": shared})["id"]
    else:
        identity = write_note(_store(root), kind, values).id
    if as_json:
        print_json({"id": identity})
    else:
        echo(f"noted as {identity}")


@memory.command()
@click.argument("identities", metavar="ID...", nargs=-1, required=True)
@ROOTS
def forget(identities: Sequence[str], roots: Sequence[Path]) -> None:
    """Delete notes."""
    stores = [_store(root) for root in roots]
    is_sent = folder_settings(roots[0]).read().settings.team.notes
    for identity in identities:
        is_deleted = not is_sent and any(store.delete(identity) for store in stores)
        is_deleted = is_deleted or _ask(roots, "forget", {"id": identity})["status"] == "deleted"
        if not is_deleted:
            raise SettingsError(
                f"there is no note '{identity}'; 'packhound memory list' lists them"
            )
    echo(f"deleted {len(identities)}")


@memory.command()
@ROOT
@click.option("--output", "-o", type=click.Path(path_type=Path), help="File.  [default: stdout]")
def export(root: Path, output: Path | None) -> None:
    """Write your notes as JSON, one a line, whole and with their code: they may hold secrets.

    Shared notes are files already, in .packhound/notes.
    """
    lines = [json_line(note_json(note)) for note in _store(root).all()]
    text = "".join(f"{line}\n" for line in lines)
    if output is None:
        echo(text, nl=False)
    else:
        write_private_atomic(output, text.encode())
        echo(f"{len(lines)} notes", err=True)


@memory.command("import")
@click.argument("file", shell_complete=complete_file)
@ROOT
def import_(file: str, root: Path) -> None:
    """Read notes that were exported; FILE - is standard input. Notes of equal id are replaced."""
    with os_error_as(SettingsError, f"'{file}'"), click.open_file(file, encoding="utf-8") as lines:
        notes = [*_notes_in(file, lines)]
    _store(root).put_all(notes)
    echo(f"{len(notes)} notes")


@memory.command()
@ROOT
def rescue(root: Path) -> None:
    """Make a damaged file of notes anew, of what can be read in it and in its newest backup."""
    rescued = _store(root).rescue()
    if not rescued.problem:
        echo(f"nothing is damaged: {rescued.n_notes} notes")
        return
    of = f", with those of {rescued.backup.name}" if rescued.backup else "; there was no backup"
    echo(f"{rescued.n_notes} notes are there again{of}")
    if rescued.kept is not None:
        echo(f"the damaged file is kept as '{rescued.kept}' ({rescued.problem})")


@memory.command()
@ROOT
@click.option("--episodes", is_flag=True, help="Delete what was asked and packed, not the notes.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def clear(root: Path, episodes: bool, yes: bool) -> None:
    """Delete your notes of a folder, after asking; shared ones stay, for git to delete."""
    if episodes:
        log = knowledge.EpisodeLog(_folder(root) / knowledge.EPISODES_FILE)
        noun, n, delete = "episodes", len(log.read()), log.clear
    else:
        store = _store(root)
        noun, n, delete = "notes", len(store.all()), store.clear
    if not yes:
        click.confirm(f"Delete {n} {noun}? They cannot be made again.", abort=True)
    echo(f"deleted {delete()}" if n else f"there are no {noun}")


def _notes_in(file: str, lines: Iterable[str]) -> Iterable[Any]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise SettingsError("must be an object")
            yield note_from(row)
        except (SettingsError, ValueError, RecursionError) as problem:
            raise SettingsError(f"'{file}' line {number}: {problem}") from None


def _store(root: Path) -> NoteStore:
    return NoteStore(_folder(root))


def _folder(root: Path) -> Path:
    return service.notes_folder(service.check_root(root, folder_settings(root).read().settings))


def _ask(roots: Sequence[Path], name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    with Asker(roots) as asker:
        return asker.answer(f"memory/{name}", values)


for words, command in COMMANDS.items():
    if words.startswith("memory "):
        memory.add_command(command)
add_fields(
    add,
    AddNote,
    names={"files": ("--file",)},
    omit=("type", "key", "content", "topic", "decision", "name", "summary"),
)
