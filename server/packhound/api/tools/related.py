"""`related`: what a definition uses and is used by, and code like it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from packhound.api.json_codec import Arguments, Json, Row
from packhound.api.tools.references import resolve
from packhound.api.tools.rows import node_row, page
from packhound.api.tools.search import hit_units
from packhound.api.tools.text import Text, rows_in, title
from packhound.api.tools.tool import (
    LIMIT,
    LINE,
    LOCATION,
    MAX_TOKENS,
    SNIPPET_LINES,
    Tool,
)
from packhound.service import Engine

_EDGE_TITLES = {
    "references": "uses",
    "referenced-by": "used by",
    "contains": "contains",
    "contained-in": "part of",
    "imports": "imports",
}


def _answer(engine: Engine, arguments: Arguments) -> Json:
    path, line = resolve(engine, arguments["path"], arguments["line"] or 1)
    limit, line = arguments["limit"], line or 0
    answer = page(engine, engine.related(path, line, limit), 0, limit, arguments["snippet_lines"])
    return {**answer, "neighbors": list(_neighbors(engine, path, line, limit))}


def _neighbors(engine: Engine, path: str, line: int, limit: int) -> Iterator[Json]:
    """Yield the neighbours of a node, at most `limit` of each kind of edge."""
    n_by_edge = Counter[str]()
    for edge, node in engine.neighbors(path, line):
        n_by_edge[edge] += 1
        if node.kind != "file" and n_by_edge[edge] <= limit:
            yield {"edge": edge, **node_row(node)}


def _text(answer: Row) -> Text:
    units, neighbors = [], rows_in(answer, "neighbors")
    for edge, name in _EDGE_TITLES.items():
        rows = [row for row in neighbors if row["edge"] == edge]
        # The name of the edge stays with its first node.
        units += [
            f"{name}:\n  {title(row)}" if row is rows[0] else f"  {title(row)}" for row in rows
        ]
    hits = list(hit_units(rows_in(answer, "hits")))
    units += [f"similar:\n{hits[0]}", *hits[1:]] if hits else []
    head = () if units else ("nothing found",)
    return Text(head, units, "nodes", rows_in(answer, "notes"))


TOOL = Tool(
    "related",
    "Related code",
    "What the definition at a place contains, uses and is used by, and code like it.",
    {
        "path": LOCATION,
        "line": LINE,
        "limit": LIMIT,
        "snippet_lines": SNIPPET_LINES,
        "max_tokens": MAX_TOKENS,
    },
    {"line": 0, "limit": 10, "snippet_lines": 3, "max_tokens": 4_000},
    _answer,
    _text,
)
