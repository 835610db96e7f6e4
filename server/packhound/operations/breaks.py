"""Breaks as rows and lines of an answer: definitions that are gone, and the places that break."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from packhound import impact
from packhound.core.types import NodeRef
from packhound.operations.operation import Json
from packhound.operations.rows import node_row
from packhound.operations.text import Row, path_of, rows_in
from packhound.redact import safe_line, visible_line

_KINDS = ("unresolved", "calls", "lacking", "imports")
_PLACES = (
    ("calls", "'{uses}' takes {takes} arguments, not {given}"),
    ("lacking", "lacks '{uses}'"),
    ("imports", "nothing provides '{uses}'"),
)


def break_rows(breaks: Sequence[tuple[impact.Breaks, Json]]) -> Json:
    """Return a list of places for each kind of break, and the definitions that are `removed`.

    Of each folder the breaks come with whose its rows are.
    """
    rows: Json = {
        kind: [_break_row(each, whose) for of, whose in breaks for each in getattr(of, kind)]
        for kind in _KINDS
    }
    return {**rows, "removed": [_name_of(n, whose) for of, whose in breaks for n in of.removed]}


def _break_row(each: impact.Break, whose: Json) -> Json:
    row = {
        **node_row(each.node),
        "line": each.line + 1,
        "uses": safe_line(each.name),
        "text": safe_line(each.text),
    }
    if each.removed is not None:
        row["gone"] = _name_of(each.removed, whose)
    return row | ({"takes": str(each.takes), "given": each.given} if each.takes else {})


def _name_of(node: NodeRef, whose: Json) -> str:
    return safe_line(f"{path_of({**whose, 'path': node.path})}#{node.qualname}")


def break_lines(breaks: Row) -> Iterator[str]:
    """Yield what is gone and used, with the places that use it, then the other breaks."""
    users = defaultdict[str, list[Row]](list)
    for row in rows_in(breaks, "unresolved"):
        users[row["gone"]].append(row)
    for name, rows in users.items():
        yield f"  gone: {visible_line(name)}"
        yield from (f"    used in {path_of(row)}:{row['line']}  {row['text']}" for row in rows)
    for kind, words in _PLACES:
        for row in rows_in(breaks, kind):
            yield f"  {words.format(**row)}: {path_of(row)}:{row['line']}  {row['text']}"


def unused_lines(breaks: Row) -> Iterator[str]:
    """Yield what is gone and is not known to be used."""
    used = {row["gone"] for row in rows_in(breaks, "unresolved")}
    yield from (f"  gone: {visible_line(name)}" for name in breaks["removed"] if name not in used)
