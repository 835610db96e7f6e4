"""Operations on a folder itself: its settings, its sources, and what it recorded of its user."""

from __future__ import annotations

from typing import Annotated

from packhound.core.errors import SettingsError
from packhound.core.typed import about
from packhound.operations import fields
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.text import Row, Text, rows_in
from packhound.redact import visible_line


class Config(Request):
    """Nothing to say."""


class RebuildSources(Request):
    """The sources beside code to index anew."""

    sources: Annotated[fields.Words, about("Only these; else all that are on.")] = ()
    regenerate: Annotated[bool, about("Encode records whose text is the same too.")] = False
    remote: Annotated[
        bool, about("Send the notes to the team's store, and read those there, anew.")
    ] = False


class Forget(Request):
    """Nothing to say."""


def config(call: Call, request: Config) -> Json:
    """Return every setting in force in each folder with its origin, and problems of files.

    Answer: `roots`, each with its `settings` and the `problems` of settings files.
    """
    in_force = [(root.path, root.engine.follow_settings()) for root in call.roots]
    return {
        "roots": [
            {"root": path, "settings": each.rows(), "problems": list(each.problems)}
            for path, each in in_force
        ]
    }


def _config_text(answer: Row) -> Text:
    lines = [
        visible_line(f"{row['name']} = {row['value']!r} ({row['origin']})")
        for root in rows_in(answer, "roots")
        for row in root["settings"]
    ]
    return Text((), lines, "settings")


def rebuild(call: Call, request: RebuildSources) -> Json:
    """Index sources beside code anew in each folder. Raises SettingsError or StoreError.

    Answer: `rebuilt`: `records`, vectors `reused` and `regenerated` of each source.
    """
    rows = [
        {"root": root.path, **row._asdict()}
        for root in call.roots
        for row in root.engine.sources.rebuild(
            request.sources, regenerate=request.regenerate, remote=request.remote
        )
    ]
    return {"rebuilt": rows}


def _rebuilt_text(answer: Row) -> Text:
    lines = [
        f"{row['name']}: {row['records']:,} records, {row['reused']:,} vectors reused, "
        f"{row['regenerated']:,} regenerated"
        for row in rows_in(answer, "rebuilt")
    ]
    return Text((), lines, "sources")


def forget(call: Call, request: Forget) -> Json:
    """Delete the record of what the user opened, edited and picked, and conversations.

    Answer: Nothing.
    """
    if not len(call.roots):
        raise SettingsError("no folder is open")
    for root in call.roots:
        root.engine.forget()
    return {}


OPERATIONS = (
    Operation(
        "config",
        "Settings",
        "Every setting in force, and where it came from.",
        Config,
        config,
        _config_text,
        "folder",
    ),
    Operation(
        "rebuild_sources",
        "Rebuild sources",
        "Index sources beside code anew.",
        RebuildSources,
        rebuild,
        _rebuilt_text,
        "folder",
        writes=True,
    ),
    Operation(
        "forget_use",
        "Forget use",
        "Forget what was opened, edited and picked, and conversations.",
        Forget,
        forget,
        lambda _answer: Text(["forgotten"]),
        "folder",
        writes=True,
    ),
)
