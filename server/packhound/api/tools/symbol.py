"""`symbol`: a definition, what calls it and what it calls, what implements it, and its tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from packhound.api.json_codec import Arguments, Json, Locate, Row
from packhound.api.tools.references import reference_of, resolve
from packhound.api.tools.roots import Root, answers_of
from packhound.api.tools.rows import node_row
from packhound.api.tools.text import Text, rows_in, signature_of, title
from packhound.api.tools.tool import MAX_TOKENS, Tool
from packhound.core.errors import SettingsError
from packhound.core.parameters import integer, text
from packhound.core.types import MAX_HITS, NodeRef
from packhound.redact import safe_line, visible_line
from packhound.service import Engine
from packhound.text import is_test

if TYPE_CHECKING:
    from packhound.impact import Link

_SECTIONS = {
    "callers": "called or used by",
    "callees": "calls or uses",
    "implementations": "implemented or overridden by",
    "tests": "tests that reach it",
    "others": "others of that name",
}
_NOT_OF_NODE = (*_SECTIONS, "ref", "totals", "reading", "notes")
_MAX_OTHERS = 10


def symbol_answer(
    engine: Engine, name: str, distance: int, limit: int, locate: Locate | None = None
) -> Json:
    """Return the definition that a name or a place stands for; `limit` bounds rows of each kind.

    Raises SettingsError: there is none.
    """
    node, others = _definition(engine, name)
    symbol = engine.impact.symbol(node.path, node.span.start_line, distance)
    if symbol is None:
        raise SettingsError(
            f"'{visible_line(node.path)}' has changed since it was indexed; ask again"
        )
    sections: dict[str, Sequence[Link | NodeRef]] = {
        "callers": symbol.callers,
        "callees": symbol.callees,
        "implementations": symbol.implementations,
        "tests": symbol.tests,
        "others": others,
    }
    return {
        **link_row(symbol.node, locate),
        "ref": safe_line(reference_of(engine, symbol.node)),
        **{
            title: [link_row(link, locate) for link in links[:limit]]
            for title, links in sections.items()
        },
        "totals": {title: len(links) for title, links in sections.items()},
    }


def _answer(engine: Engine, arguments: Arguments) -> Json:
    return symbol_answer(engine, arguments["name"], arguments["distance"], arguments["limit"])


def _definition(engine: Engine, name: str) -> tuple[NodeRef, Sequence[NodeRef]]:
    """Return what a name or a place stands for, and what else bears the name."""
    first, *others = engine.impact.named(name) or (None,)
    if first:
        return first, [other for other in others if other][:_MAX_OTHERS]
    try:
        path, line = resolve(engine, name)
    except SettingsError:
        raise SettingsError(
            f"there is no definition '{visible_line(name[:200])}'; give a name, Qual.name, "
            "PATH:LINE or PATH#NAME, or use search"
        ) from None
    node = engine.node_at(path, line or 0)
    if node is None:
        raise SettingsError(f"there is no indexed code at '{visible_line(name[:200])}'")
    return node, ()


def link_row(link: Link | NodeRef, locate: Locate | None = None) -> Json:
    """Return a node; of a link also the line of the call, its distance, and if by name only."""
    if isinstance(link, NodeRef):
        return {**node_row(link), **(locate(link) if locate else {})}
    how = {"line": link.line + 1, "distance": link.distance, "by_name": link.by_name}
    return {**link_row(link.node, locate), **how}


def _text(answer: Row) -> Text:
    units = []
    for name, heading in _SECTIONS.items():
        rows, total = rows_in(answer, name), answer["totals"][name]
        lines = [f"  {title(row)}{_remark(name, row)}" for row in rows]
        if total > len(rows):
            lines[-1:] = [f"{line}\n  ... {total - len(rows):,} more" for line in lines[-1:]]
        units += [f"{heading}:\n{line}" if i == 0 else line for i, line in enumerate(lines)]
    return Text([title(answer), signature_of(answer)], units, "nodes", rows_in(answer, "notes"))


def _remark(section: str, row: Row) -> str:
    """Return what is to be known of a link: its line, its distance, and how sure it is."""
    if "line" not in row:
        return ""
    distance, is_far = row["distance"], row["distance"] > 1
    words = [f"{distance} calls away"] if is_far else []
    # The line of a callee's call is in the definition asked about.
    words += [f"line {row['line']}"] if not is_far or section != "callees" else []
    words += ["by name only"] if row["by_name"] else []
    return f" ({', '.join(words)})"


def _join(roots: Sequence[Root], arguments: Arguments) -> Json:
    """Return the best of the definitions of all roots, as of those of one; the rest are others."""
    answers, _ = answers_of(roots, "symbol", arguments)
    first, *rest = sorted(answers, key=_order)
    nodes = [{key: row[key] for key in row if key not in _NOT_OF_NODE} for row in rest]
    others = [*nodes, *(other for answer in answers for other in rows_in(answer, "others"))]
    totals: Row = first["totals"]  # type: ignore[assignment]
    totals = {**totals, "others": len(others)}
    return {**first, "others": others[:_MAX_OTHERS], "totals": totals}


def _order(row: Row) -> tuple[bool, int]:
    """Return the key by which `definitions_named` sorts the definitions of one root."""
    return row["kind"] == "test" or is_test(row["path"]), len(row["qualname"])


TOOL = Tool(
    "symbol",
    "Symbol",
    "A definition: callers, callees, implementations, and the tests that reach it.",
    {
        "name": text("NAME, Qual.name, PATH:LINE or PATH#NAME.", 4_096, minimum=1),
        "distance": integer("Calls to follow.", 1, 4),
        "limit": integer("Rows of each kind.", 1, MAX_HITS),
        "max_tokens": MAX_TOKENS,
    },
    {"distance": 1, "limit": 30, "max_tokens": 4_000},
    _answer,
    _text,
    _join,
    unlisted=("limit",),
)
