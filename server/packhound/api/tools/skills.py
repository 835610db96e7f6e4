"""`skills` and `record_skill`: procedures that worked before on this workspace."""

from __future__ import annotations

from packhound.api.json_codec import Arguments, Json, Row
from packhound.api.tools.roots import join_pages, need_root
from packhound.api.tools.rows import page
from packhound.api.tools.search import record_text
from packhound.api.tools.text import Text, rows_in
from packhound.api.tools.tool import LIMIT, MAX_TOKENS, OFFSET, Tool
from packhound.core.parameters import text
from packhound.core.types import Query
from packhound.knowledge import SKILL_DEFAULTS, SKILL_FIELDS
from packhound.redact import visible_line
from packhound.service import Engine

GROUP = "skills"
_LINES = 12


def _search(engine: Engine, arguments: Arguments) -> Json:
    offset, limit = arguments["offset"], arguments["limit"]
    query = Query(arguments["query"], limit=offset + limit + 1, types=("skill",))
    return page(engine, engine.search(query), offset, limit, 0)


def _search_text(answer: Row) -> Text:
    hits = rows_in(answer, "hits")
    return Text(
        [] if hits else ["no skills"],
        [record_text(hit, _LINES) for hit in hits],
        "skills",
        rows_in(answer, "notes"),
        offset=answer["offset"],
        has_more=answer["next_offset"] != -1,
    )


def _record(engine: Engine, arguments: Arguments) -> Json:
    return engine.sources.record_skill(arguments)


def _recorded_text(answer: Row) -> Text:
    score, uses = answer["success_score"], answer["usage_count"]
    return Text([f"recorded {visible_line(answer['name'])}: success {score:.2f}, used {uses}"])


_CREATED = ("created_at", "usage_count")

TOOLS = (
    Tool(
        "skills",
        "Search skills",
        "Procedures for tasks like this one: SKILL.md files, and what was recorded to have worked.",
        {
            "query": text("The task.", 4_096, 1),
            **{"limit": LIMIT, "offset": OFFSET, "max_tokens": MAX_TOKENS},
        },
        {"limit": 5, "offset": 0, "max_tokens": 1_000},
        _search,
        _search_text,
        join_pages("skills"),
        GROUP,
    ),
    Tool(
        "record_skill",
        "Record a skill",
        "Note how a task was done, or that a known skill was used again and how well it worked.",
        {key: parameter for key, parameter in SKILL_FIELDS.items() if key not in _CREATED},
        {key: value for key, value in SKILL_DEFAULTS.items() if key not in _CREATED},
        _record,
        _recorded_text,
        need_root,
        GROUP,
        writes=True,
        idempotent=False,
    ),
)
