"""`status`: what is indexed, and whether anything is pending."""

from __future__ import annotations

import json

from packhound.api.json_codec import Arguments, Json, Row, status_json
from packhound.api.tools.roots import join_statuses
from packhound.api.tools.text import Text, rows_in
from packhound.api.tools.tool import MAX_TOKENS, Tool
from packhound.redact import visible_line
from packhound.service import Engine


def _answer(engine: Engine, arguments: Arguments) -> Json:
    return status_json(engine.status())


def _text(answer: Row) -> Text:
    brief = [
        f"{visible_line(state['root'])}: {state['state']}, {state['pending']:,} pending, "
        f"{state['files']:,} files, {state['nodes']:,} nodes"
        for state in rows_in(answer, "roots") or [answer]
    ]
    return Text([json.dumps(answer)], brief=brief)


TOOL = Tool(
    "status",
    "Status",
    "What is indexed, and whether anything is pending.",
    {"max_tokens": MAX_TOKENS},
    {"max_tokens": 4_000},
    _answer,
    _text,
    join_statuses,
)
