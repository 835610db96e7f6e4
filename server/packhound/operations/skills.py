"""`skills` and `record_skill`: procedures that worked before on this workspace."""

from __future__ import annotations

from typing import Annotated

import msgspec

from packhound.core.typed import sized
from packhound.core.types import Query
from packhound.knowledge import SkillFields
from packhound.operations import fields
from packhound.operations.notes import root_to_write
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.rows import results_rows
from packhound.operations.search import record_text
from packhound.operations.text import Row, Text, rows_in
from packhound.redact import visible_line

GROUP = "skills"
_LINES = 12


class Skills(Request):
    """A task."""

    query: Annotated[str, sized("The task.", 4_096, 1)]
    limit: fields.Limit = 5
    offset: fields.Offset = 0
    max_tokens: fields.MaxTokens = 1_000


class RecordSkill(SkillFields, Request):
    """The way in which a task was done."""


def search(call: Call, request: Skills) -> Json:
    """Return one page of the skills that fit a task.

    Answer: The results below.
    """
    limit = request.offset + request.limit + 1
    results = call.roots.search(Query(request.query, limit=limit, types=("skill",)), call.cancel)
    return results_rows(call.roots, results, request.limit, request.offset)


def record(call: Call, request: RecordSkill) -> Json:
    """Write a skill, or one more use of it. Raises SettingsError.

    Answer: The skill with its `success_score` and `usage_count`.
    """
    root, _ = root_to_write(call, ())
    return root.engine.sources.record_skill(msgspec.structs.asdict(request))


def text(answer: Row) -> Text:
    """Return each skill with its first lines."""
    hits = rows_in(answer, "hits")
    units = [record_text(hit, _LINES) for hit in hits]
    return Text.page(answer, [] if hits else ["no skills"], units, "skills")


def recorded_text(answer: Row) -> Text:
    """Return the score and the uses of a skill that was recorded."""
    score, uses = answer["success_score"], answer["usage_count"]
    return Text([f"recorded {visible_line(answer['name'])}: success {score:.2f}, used {uses}"])


OPERATIONS = (
    Operation(
        "skills",
        "Search skills",
        "Procedures for tasks like this one: SKILL.md files, and what was recorded to have worked.",
        Skills,
        search,
        text,
        GROUP,
        instead="For code use search.",
    ),
    Operation(
        "record_skill",
        "Record a skill",
        "Note how a task was done, or that a known skill was used again and how well it worked.",
        RecordSkill,
        record,
        recorded_text,
        GROUP,
        writes=True,
        idempotent=False,
        instead="For a fact use remember.",
    ),
)
