"""The tools' answers as text, for clients and models that read nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from packhound.api.json_codec import Json
from packhound.redact.control_characters import visible_line

_LONGEST = 200
"""Characters of a signature."""

_EDGES = {
    "references": "uses",
    "referenced-by": "used by",
    "contains": "contains",
    "contained-in": "part of",
    "imports": "imports",
}

Row = Mapping[str, Any]


def as_text(tool: str, answer: Json) -> str:
    """An answer in as few words as tell all that the next call needs."""
    lines = list(_LINES[tool](answer)) if tool in _LINES else [json.dumps(answer)]
    if answer.get("next_offset", -1) != -1:
        lines.append(f"more from offset {answer['next_offset']}")
    if answer.get("truncated"):
        lines.append("note: the search ran out of time; there may be better hits")
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
    for edge, said in _EDGES.items():
        linked = [row for row in neighbors if row["edge"] == edge]
        if linked:
            yield f"{said}:"
            yield from (f"  {_place(row)} {row['kind']} {row['qualname']}" for row in linked)
    hits = _rows(answer, "hits")
    if hits:
        yield "alike:"
    for hit in hits:
        yield from _hit(hit)
    if not (hits or neighbors):
        yield "nothing found"


def _hit(hit: Row) -> Iterator[str]:
    yield f"{_place(hit)} {hit['kind']} {hit['qualname']}"
    snippet, signature = str(hit["snippet"]), str(hit["signature"])
    if signature and signature.split("(")[0] not in snippet:
        yield signature[:_LONGEST]
    if snippet:
        if hit["snippet_line"] != hit["start_line"]:
            yield f"... {hit['snippet_line']}:"
        yield snippet
        yield ""


def _outline(answer: Json) -> Iterator[str]:
    for folder in _rows(answer, "folders"):
        held = (_count(folder, "files"), _count(folder, "definitions"))
        yield f"{visible_line(folder['path'])}/ {', '.join(held)}"
    path, open_ends = "", list[int]()
    for node in _rows(answer, "nodes"):
        if node["path"] != path:
            path, open_ends = node["path"], []
            yield visible_line(path)
        while open_ends and open_ends[-1] < node["start_line"]:
            open_ends.pop()
        said = node["signature"] or f"{node['kind']} {node['qualname']}"
        yield f"{'  ' * (len(open_ends) + 1)}{_lines(node)} {said[:_LONGEST]}"
        open_ends.append(node["end_line"])
    if not path and not answer.get("folders"):
        yield "nothing is defined there"


def _read_node(answer: Json) -> Iterator[str]:
    yield f"{_place(answer)} {answer['kind']} {answer['qualname']}"
    if answer["first_line"] != answer["start_line"]:
        yield f"... {answer['first_line']}:"
    yield str(answer["text"])


def _pack(answer: Json) -> Iterator[str]:
    yield str(answer["text"]) or "nothing found that fits the budget"


_LINES = {
    "search": _search,
    "related": _related,
    "outline": _outline,
    "read_node": _read_node,
    "pack": _pack,
}


def _count(row: Row, what: str) -> str:
    n = row[what]
    return f"{n:,} {what[:-1] if n == 1 else what}"


def _place(row: Row) -> str:
    return f"{visible_line(row['path'])}:{_lines(row)}"


def _lines(row: Row) -> str:
    first, last = row["start_line"], row["end_line"]
    return f"{first}-{last}" if last > first else f"{first}"


def _rows(answer: Json, key: str) -> Sequence[Any]:
    found = answer.get(key)
    return found if isinstance(found, list) else ()
