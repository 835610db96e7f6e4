"""`record_episode`: what an agent ran or decided, and what came of it."""

from __future__ import annotations

from packhound.api.json_codec import Row
from packhound.api.memory import EPISODE_DEFAULTS, EPISODE_FIELDS, record_episode
from packhound.api.tools.roots import need_root
from packhound.api.tools.text import Text
from packhound.api.tools.tool import Tool


def _text(answer: Row) -> Text:
    result = f", {answer['result']}" if answer["result"] else ""
    return Text([f"recorded {answer['kind']} {answer['id']}{result}"])


TOOL = Tool(
    "record_episode",
    "Record an episode",
    "Note what was run or decided here, or that an earlier query or pack, named by its words, was "
    "of use (accepted) or not (rejected).",
    EPISODE_FIELDS,
    EPISODE_DEFAULTS,
    record_episode,
    _text,
    join=need_root,
    group="episodes",
    writes=True,
    idempotent=False,
)
