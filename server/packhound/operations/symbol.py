"""`symbol`: a definition, what calls it and what it calls, what implements it, and its tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Meta

from packhound import service
from packhound.core.errors import SettingsError
from packhound.core.types import MAX_HITS, NodeRef
from packhound.operations.operation import Call, Json, Line, MaxTokens, Operation, Request
from packhound.operations.references import References, resolve
from packhound.operations.rows import link_row, node_row, skipped_note
from packhound.operations.text import Row, Text, path_of, rows_in, signature_of, title
from packhound.redact import safe_line, visible_line
from packhound.text import is_test

if TYPE_CHECKING:
    from packhound.impact import Link, NamedLine
    from packhound.service import Root

_SECTIONS = {
    "callers": "called or used by",
    "mentions": "",
    "callees": "calls or uses",
    "implementations": "implemented or overridden by",
    "tests": "tests that reach it",
    "others": "others of that name",
}
_UNCALLED = frozenset({"file", "section", "window"})
_MAX_OTHERS = 10


class Symbol(Request):
    """The name or the place of a definition; `limit` bounds the rows of each kind."""

    name: Annotated[
        str,
        Meta(
            min_length=1, max_length=4_096, description="NAME, Qual.name, PATH:LINE or PATH#NAME."
        ),
    ]
    line: Line = 0
    distance: Annotated[int, Meta(ge=1, le=4, description="Calls to follow.")] = 1
    limit: Annotated[int, Meta(ge=1, le=MAX_HITS, description="Rows of each kind.")] = 30
    max_tokens: MaxTokens = 4_000


class _Definition(NamedTuple):
    root: Root
    node: NodeRef
    others: Sequence[NodeRef]


def run(call: Call, request: Symbol) -> Json:
    """Return the best definition of all folders with what it touches. Raises SettingsError."""
    definitions, refusals = list[_Definition](), list[SettingsError]()
    for root, name in call.roots.candidates(request.name):
        try:
            definitions.append(_definition(root, name, request.line))
        except SettingsError as refusal:
            refusals.append(refusal)
    if not definitions:
        raise service.best_refusal(refusals)
    first, *rest = sorted(definitions, key=_order)
    symbol = first.root.engine.symbol(first.node.path, first.node.span.start_line, request.distance)
    if symbol is None:
        raise SettingsError(
            f"'{visible_line(first.node.path)}' has changed since it was indexed; ask again"
        )
    others = [*(each.node for each in rest), *(o for each in definitions for o in each.others)]
    sections: dict[str, Sequence[Link | NodeRef | NamedLine]] = {
        "callers": symbol.callers,
        "mentions": symbol.mentions,
        "callees": symbol.callees,
        "implementations": symbol.implementations,
        "tests": symbol.tests,
        "others": [node for node in dict.fromkeys(others) if node != first.node][:_MAX_OTHERS],
    }
    return {
        **node_row(symbol.node),
        "ref": safe_line(References(call.roots).of(symbol.node)),
        **{
            heading: [link_row(link) for link in links[: request.limit]]
            for heading, links in sections.items()
        },
        "totals": {heading: len(links) for heading, links in sections.items()},
    }


def _definition(root: Root, name: str, line: int) -> _Definition:
    """Return what a name or a place stands for in a folder, and what else bears the name."""
    engine = root.engine
    if definitions := () if line else engine.named(name):
        return _Definition(root, definitions[0], definitions[1 : _MAX_OTHERS + 1])
    try:
        path, position = resolve(engine, name, line or None)
    except SettingsError:
        left_out = skipped_note(engine.left_out.counts)
        raise SettingsError(
            f"there is no definition '{visible_line(name[:200])}'; give a name, Qual.name, "
            f"PATH:LINE or PATH#NAME, or use search{f' ({left_out})' if left_out else ''}"
        ) from None
    node = engine.node_at(path, position or 0)
    if node is None:
        raise SettingsError(f"there is no indexed code at '{visible_line(name[:200])}'")
    return _Definition(root, node, ())


def _order(definition: _Definition) -> tuple[bool, int]:
    """Return the key by which the definitions of one folder are sorted: code before tests."""
    node = definition.node
    return node.kind == "test" or is_test(node.path), len(node.qualname)


def text(answer: Row) -> Text:
    """Return the definition, and what it touches section by section."""
    units = []
    used = [*rows_in(answer, "callers"), *rows_in(answer, "tests")]
    if answer["kind"] not in _UNCALLED and not any(row["distance"] == 1 for row in used):
        units.append(f"called or used by nothing that is known; {_named(answer)}")
    for name, heading in _SECTIONS.items():
        rows, total = rows_in(answer, name), answer["totals"][name]
        lines = [f"  {_line_of(name, row)}" for row in rows]
        if total > len(rows):
            lines[-1:] = [f"{line}\n  ... {total - len(rows):,} more" for line in lines[-1:]]
        head = f"{heading}:\n" if heading else ""
        units += [head + line if i == 0 else line for i, line in enumerate(lines)]
    return Text([title(answer), signature_of(answer)], units, "nodes", rows_in(answer, "notes"))


def _named(answer: Row) -> str:
    """Return how many lines use the name of a definition that nothing calls."""
    total = answer["totals"]["mentions"]
    verb = "line uses" if total == 1 else "lines use"
    return f"{total:,} {verb} this name:" if total else "no line uses this name"


def _line_of(section: str, row: Row) -> str:
    if section == "mentions":
        return f"{path_of(row)}:{row['line']} | {visible_line(row['text'])}"
    return f"{title(row)}{_remark(section, row)}"


def _remark(section: str, row: Row) -> str:
    """Return what is to be known of a link: its line, its distance, and how sure it is."""
    if "line" not in row:
        return ""
    distance, is_far = row["distance"], row["distance"] > 1
    words = [f"{distance} calls away"] if is_far else []
    # The line of a callee's call is in the definition asked about.
    words += [f"line {row['line']}"] if not is_far or section != "callees" else []
    words += [row["grade"]] if row["by_name"] else []
    return f" ({', '.join(words)})"


OPERATION = Operation(
    "symbol",
    "Symbol",
    "A definition: callers, callees, implementations, and the tests that reach it.",
    "The definition with its `callers`, `callees`, `implementations`, `tests` and "
    "`others` of its name, each with the `line`, the `distance` and the `grade` of its call: "
    "resolved, only candidate (no other definition has the name) or possible (one of a few "
    "of the name that take as many arguments); `by_name` is true for the last two. Where nothing "
    "calls it, `mentions` are the lines that use its name, with their text; `totals`.",
    Symbol,
    run,
    text,
    unlisted=("limit", "line", "max_tokens"),
    instead="For similar code use related, for its text read_node.",
    lists=True,
)
