"""The tools' answers as text, for clients and models that read no structured content.

Nothing in a file can pass for a heading, a hit or a note: code stands between fences that are
longer than any run of backticks in it, as in packs, and of everything else that a file holds only
single lines appear, never at the start of a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from packhound.api.json_codec import Json
from packhound.core.titles import heading
from packhound.pack import choose_fence
from packhound.redact import visible_line

_MAX_SIGNATURE = 200
"""Characters."""
_MARK = "### "
"""Starts each line that a path begins, which may be any text."""

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
    if hits and answer.get("confidence_word"):
        yield f"confidence: {answer['confidence_word']} ({answer['confidence']:.2f})"
    yield from _hits(hits)
    if not hits:
        yield "nothing found"


def _related(answer: Json) -> Iterator[str]:
    neighbors = _rows(answer, "neighbors")
    for edge, title in _EDGE_TITLES.items():
        rows = [row for row in neighbors if row["edge"] == edge]
        if rows:
            yield f"{title}:"
            yield from (
                f"  {_location(row)} {heading(row['kind'], row['qualname'])}" for row in rows
            )
    hits = _rows(answer, "hits")
    if hits:
        yield "similar:"
    yield from _hits(hits)
    if not (hits or neighbors):
        yield "nothing found"


def _hits(hits: Sequence[Row]) -> Iterator[str]:
    fence = choose_fence(str(hit["snippet"]) for hit in hits)
    for hit in hits:
        root = f" (root: {visible_line(hit['root'])})" if "root" in hit else ""
        yield f"{_heading(hit)}{root}"
        snippet, signature = str(hit["snippet"]), str(hit["signature"])
        if signature and signature.split("(")[0] not in snippet:
            yield f"signature: {signature[:_MAX_SIGNATURE]}"
        if snippet:
            yield from _code(snippet, fence, hit, "snippet_line")
        if hit.get("siblings"):
            names = (f"{visible_line(s['name'])}:{s['start_line']}" for s in hit["siblings"])
            yield f"also here: {', '.join(names)}"
        if snippet:
            yield ""


def _code(code: str, fence: str, node: Row, line_key: str) -> Iterator[str]:
    """Yield code between fences, and before them its first line if that is not the node's."""
    if node[line_key] != node["start_line"]:
        yield f"from line {node[line_key]}:"
    yield f"{fence}\n{code}\n{fence}"


def _outline(answer: Json) -> Iterator[str]:
    for folder in _rows(answer, "folders"):
        counts = (_count(folder, "files"), _count(folder, "definitions"))
        yield f"{_MARK}{visible_line(folder['path'])}/ {', '.join(counts)}"
    path, open_ends = "", list[int]()
    for node in _rows(answer, "nodes"):
        if node["path"] != path:
            path, open_ends = node["path"], []
            yield f"{_MARK}{visible_line(path)}"
        while open_ends and open_ends[-1] < node["start_line"]:
            open_ends.pop()
        title = node["signature"] or heading(node["kind"], node["qualname"])
        yield f"{'  ' * (len(open_ends) + 1)}{_lines(node)} {title[:_MAX_SIGNATURE]}"
        open_ends.append(node["end_line"])
    if not path and not answer.get("folders"):
        yield "no definitions"


def _read_node(answer: Json) -> Iterator[str]:
    yield _heading(answer)
    code = str(answer["text"])
    yield from _code(code, choose_fence([code]), answer, "first_line")


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


def _heading(row: Row) -> str:
    return f"{_MARK}{_location(row)} {heading(row['kind'], row['qualname'])}"


def _location(row: Row) -> str:
    return f"{visible_line(row['path'])}:{_lines(row)}"


def _lines(row: Row) -> str:
    first, last = row["start_line"], row["end_line"]
    return f"{first}-{last}" if last > first else f"{first}"


def _rows(answer: Json, key: str) -> Sequence[Any]:
    rows = answer.get(key)
    return rows if isinstance(rows, list) else ()
