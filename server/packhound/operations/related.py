"""`related`: what a definition uses and is used by, and code like it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from packhound.operations import fields
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.references import Place, notes_on_others, places
from packhound.operations.rows import node_row, results_rows
from packhound.operations.search import hit_forms
from packhound.operations.text import Row, Text, rows_in, title

_EDGE_TITLES = {
    "references": "uses",
    "referenced-by": "used by",
    "contains": "contains",
    "contained-in": "part of",
    "imports": "imports",
}


class Related(Request):
    """A place in code."""

    path: fields.Reference
    line: fields.Line = 0
    limit: fields.LimitOfSettings = 0
    snippet_lines: fields.SnippetLines = 3
    max_tokens: fields.MaxTokens = 4_000


def run(call: Call, request: Related) -> Json:
    """Return code of its folder like that at a place, and its neighbours by kind of edge.

    Answer: The results below, with `neighbors`: what it contains, uses and is used by.
    """
    place, *others = places(call.roots, request.path, request.line or 1)
    limit = request.limit or call.settings.search.limit
    results = place.root.engine.related(
        place.path, place.line or 0, limit, call.cancel, request.snippet_lines
    )
    answer = results_rows(call.roots, results, limit)
    notes = [*results.notes, *notes_on_others(others)]
    return {
        **answer,
        **call.roots.whose(place.root.path),
        "notes": notes,
        "neighbors": list(_neighbors(place, limit)),
    }


def _neighbors(place: Place, limit: int) -> Iterator[Json]:
    """Yield the neighbours of a node, at most `limit` of each kind of edge."""
    n_by_edge = Counter[str]()
    for edge, node in place.root.engine.neighbors(place.path, place.line or 0):
        n_by_edge[edge] += 1
        if n_by_edge[edge] <= limit:
            yield {"edge": edge, **node_row(node)}


def text(answer: Row) -> Text:
    """Return the neighbours, then what is similar."""
    units, neighbors = [], rows_in(answer, "neighbors")
    for edge, name in _EDGE_TITLES.items():
        rows = [row for row in neighbors if row["edge"] == edge]
        # The name of the edge stays with its first node.
        units += [
            f"{name}:\n  {title(row)}" if row is rows[0] else f"  {title(row)}" for row in rows
        ]
    hits = [hit_forms(hit)[-1] for hit in rows_in(answer, "hits")]
    units += [f"similar:\n{hits[0]}", *hits[1:]] if hits else []
    head = () if units else ("nothing found",)
    return Text(head, units, "nodes", rows_in(answer, "notes"))


OPERATION = Operation(
    "related",
    "Related code",
    "What the definition at a place contains, uses and is used by, and code like it.",
    Related,
    run,
    text,
    unlisted="line",
    instead="For callers and tests use symbol.",
)
