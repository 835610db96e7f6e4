"""The tools' answers as text, for clients and models that read no structured content."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from packhound.api.json_codec import Json
from packhound.redact.control_characters import visible_line

_MAX_SIGNATURE = 200
"""Characters."""

_EDGE_TITLES = {
    "references": "uses",
    "referenced-by": "used by",
    "contains": "contains",
    "contained-in": "part of",
    "imports": "imports",
}

Row = Mapping[str, Any]


def as_text(tool: str, answer: Json) -> str:
    """Return an answer as brief text with all that the next call needs."""
    lines = list(_RENDERERS[tool](answer)) if tool in _RENDERERS else [json.dumps(answer)]
    if answer.get("next_offset", -1) != -1:
        lines.append(f"more from offset {answer['next_offset']}")
    if answer.get("truncated"):
        lines.append("note: the search ran out of time; there may be better hits")
    if tool in _RENDERERS and "root" in answer:
        lines.append(f"root: {visible_line(str(answer['root']))}")
    if tool != "pack":
        lines += [f"note: {visible_line(note)}" for note in _rows(answer, "notes")]
    return "\n".join(lines)


def _search(answer: Json) -> Iterator[str]:
    hits = _rows(answer, "hits")
    for hit in hits:
        yield from _hit(hit)
    if not hits:
        yield "nothing found"


def _related(answer: Json) -> Iterator[str]:
    neighbors = _rows(answer, "neighbors")
    for edge, title in _EDGE_TITLES.items():
        rows = [row for row in neighbors if row["edge"] == edge]
        if rows:
            yield f"{title}:"
            yield from (f"  {_location(row)} {row['kind']} {row['qualname']}" for row in rows)
    hits = _rows(answer, "hits")
    if hits:
        yield "similar:"
    for hit in hits:
        yield from _hit(hit)
    if not (hits or neighbors):
        yield "nothing found"


def _hit(hit: Row) -> Iterator[str]:
    root = f" (root: {visible_line(hit['root'])})" if "root" in hit else ""
    yield f"{_location(hit)} {hit['kind']} {hit['qualname']}{root}"
    snippet, signature = str(hit["snippet"]), str(hit["signature"])
    if signature and signature.split("(")[0] not in snippet:
        yield signature[:_MAX_SIGNATURE]
    if snippet:
        if hit["snippet_line"] != hit["start_line"]:
            yield f"... {hit['snippet_line']}:"
        yield snippet
    if hit.get("siblings"):
        yield "also here: " + ", ".join(f"{s['name']}:{s['start_line']}" for s in hit["siblings"])
    if snippet:
        yield ""


def _outline(answer: Json) -> Iterator[str]:
    for folder in _rows(answer, "folders"):
        counts = (_count(folder, "files"), _count(folder, "definitions"))
        yield f"{visible_line(folder['path'])}/ {', '.join(counts)}"
    path, open_ends = "", list[int]()
    for node in _rows(answer, "nodes"):
        if node["path"] != path:
            path, open_ends = node["path"], []
            yield visible_line(path)
        while open_ends and open_ends[-1] < node["start_line"]:
            open_ends.pop()
        title = node["signature"] or f"{node['kind']} {node['qualname']}"
        yield f"{'  ' * (len(open_ends) + 1)}{_lines(node)} {title[:_MAX_SIGNATURE]}"
        open_ends.append(node["end_line"])
    if not path and not answer.get("folders"):
        yield "no definitions"


def _read_node(answer: Json) -> Iterator[str]:
    yield f"{_location(answer)} {answer['kind']} {answer['qualname']}"
    if answer["first_line"] != answer["start_line"]:
        yield f"... {answer['first_line']}:"
    yield str(answer["text"])


def _pack(answer: Json) -> Iterator[str]:
    yield str(answer["text"]) or "nothing found that fits the budget"


_RENDERERS = {
    "search": _search,
    "related": _related,
    "outline": _outline,
    "read_node": _read_node,
    "pack": _pack,
}


def _count(row: Row, noun: str) -> str:
    n = row[noun]
    return f"{n:,} {noun[:-1] if n == 1 else noun}"


def _location(row: Row) -> str:
    return f"{visible_line(row['path'])}:{_lines(row)}"


def _lines(row: Row) -> str:
    first, last = row["start_line"], row["end_line"]
    return f"{first}-{last}" if last > first else f"{first}"


def _rows(answer: Json, key: str) -> Sequence[Any]:
    rows = answer.get(key)
    return rows if isinstance(rows, list) else ()
