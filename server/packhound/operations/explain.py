"""`explain`: why a node ranks where it does for a query, or would."""

from __future__ import annotations

from typing import Annotated

from packhound.core.errors import SettingsError
from packhound.core.typed import about, sized
from packhound.core.types import Hit, Query
from packhound.operations import fields
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.references import places
from packhound.operations.rows import explanation_row
from packhound.operations.search import QUERY_CHARACTERS, Search, query_of
from packhound.operations.text import Row, Text, accounts, title
from packhound.redact import visible_line


class Explain(Request):
    """A query and a place in code."""

    query: Annotated[str, sized("What was searched.", QUERY_CHARACTERS, 1)]
    path: fields.Reference
    line: fields.Line = 0
    column: fields.Column = 0
    deep: Annotated[bool, about("As a search that reads the best hits again.")] = True
    git: Annotated[bool, about("Add the commits that its lines stem from.")] = False
    max_tokens: fields.MaxTokens = 4_000


def run(call: Call, request: Explain) -> Json:
    """Return the node at a place with its score and all reasons for it. Raises SettingsError.

    Answer: One hit, whose `groups` have their `signals` with a sentence each.
    """
    query, _ = query_of(call, Search(request.query, deep=request.deep, git=request.git))
    return explanation_row(call.roots, explain_hit(call, request, query))


def explain_hit(call: Call, request: Explain, query: Query) -> Hit:
    """Return the node at a place, scored for a query whether it ranked or not.

    Raises SettingsError: there is none.
    """
    for place in places(call.roots, request.path, request.line):
        if place.line is None:
            raise SettingsError(
                f"'{visible_line(request.path)}' is a whole file; give PATH:LINE or PATH#Qual.name"
            )
        inner = call.roots.query_in(place.root, query) or query
        engine = place.root.engine
        node = place.named or engine.node_at(place.path, place.line, request.column - 1)
        if hit := engine.explain(inner, place.path, place.line, call.cancel, node):
            return hit
    raise SettingsError(f"there is no indexed code at '{visible_line(request.path)}'")


def text(answer: Row) -> Text:
    """Return what speaks for a node and against it, and what each group adds to its score."""
    rank = f"#{answer['rank']}" if answer["rank"] else "not among the results"
    groups = sorted(answer["groups"], key=lambda group: -abs(group["contribution"]))
    units = [
        visible_line(f"{group['contribution']:+.2f} {group['group']}: {group['text']}")
        for group in groups
    ]
    head = f"{title(answer)}, {rank}, score {answer['score']:.2f}"
    return Text([head], [*accounts(answer), *units], "rows")


OPERATION = Operation(
    "explain",
    "Explain a rank",
    "Why the definition at a place ranks where it does for a query, ranked or not.",
    Explain,
    run,
    text,
    unlisted="column",
    group="explain",
    instead="To find code use search.",
)
