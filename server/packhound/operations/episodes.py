"""`record_episode`: what an agent or a person ran or decided, and what came of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from packhound.core.typed import about, sized
from packhound.knowledge import MAX_EPISODE_TEXT, EpisodeKind
from packhound.operations import fields
from packhound.operations.notes import root_to_write
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.text import Row, Text


class RecordEpisode(Request):
    """An event, and what came of it."""

    kind: Annotated[EpisodeKind, about("What happened.")]
    text: Annotated[str, sized("What was asked, packed, run or decided.", MAX_EPISODE_TEXT, 1)]
    result: Annotated[
        Literal["", "accepted", "rejected"], about("What came of it, if it is known.")
    ] = ""
    code: fields.References = ()
    conversation: Annotated[str, sized("Conversation that it belongs to.", 200)] = ""


def run(call: Call, request: RecordEpisode) -> Json:
    """Write an episode, or the result of the last one of its kind and text.

    Raises SettingsError where episodes are off.

    Answer: `id`, `kind` and `result`.
    """
    root, code = root_to_write(call, request.code)
    episode = root.engine.sources.episodes.record(
        request.kind, request.text, code, request.result, request.conversation
    )
    return {"id": episode.id, "kind": episode.kind, "result": episode.result}


def text(answer: Row) -> Text:
    """Return what was recorded."""
    result = f", {answer['result']}" if answer["result"] else ""
    return Text([f"recorded {answer['kind']} {answer['id']}{result}"])


_EPISODE = Operation(
    "record_episode",
    "Record an episode",
    "Note what was run or decided here, or that an earlier query or pack, named by its words, was "
    "of use (accepted) or not (rejected).",
    RecordEpisode,
    run,
    text,
    group="episodes",
    writes=True,
    idempotent=False,
    instead="For a procedure use record_skill.",
)
OPERATIONS = (_EPISODE, replace(_EPISODE, name="memory/episode", group="notes"))
