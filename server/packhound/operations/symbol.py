"""`symbol`: a definition, what calls it and what it calls, what implements it, and its tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from packhound import impact, pack, service
from packhound.core.errors import SettingsError
from packhound.core.titles import signs_of
from packhound.core.typed import number, sized
from packhound.core.types import MAX_HITS, NodeRef
from packhound.operations import fields
from packhound.operations.not_indexed import not_indexed
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.references import References, place_in_file
from packhound.operations.rows import link_row, node_row
from packhound.operations.text import (
    Row,
    Text,
    cut,
    path_of,
    rows_in,
    signature_of,
    snippet_forms,
    title,
    with_arguments,
)
from packhound.redact import safe_line, visible_line
from packhound.text import is_test

_SECTIONS = {
    "callers": "used by",
    "mentions": "",
    "callees": "calls or uses",
    "implementations": "implemented or overridden by",
    "tests": "tests that reach it",
    "others": "others of that name",
}
_USES = ("callers", "tests")
_UNCALLED = frozenset({"file", "section", "window"})
_CALLABLE = frozenset({"function", "method", "macro", "test"})
_MAX_OTHERS = 10
_BODY_LINES = 60
_MAX_FURTHER = 8
"""Lines that use a name of which callers are known, too."""
_UNREAD = "uses were not looked for in {:,} more files with this name"


class Symbol(Request):
    """The name or the place of a definition; `limit` bounds the rows of each kind."""

    name: Annotated[str, sized("NAME, Qual.name, PATH:LINE or PATH#NAME.", 4_096, 1)]
    line: fields.Line = 0
    column: fields.Column = 0
    distance: Annotated[int, number("Calls to follow, by tests one more.", 1, 4)] = 1
    limit: Annotated[int, number("Rows of each kind.", 1, MAX_HITS)] = 30
    max_tokens: fields.MaxTokens = 4_000
    also: fields.Also = ()


class _Definition(NamedTuple):
    root: service.Root
    node: NodeRef
    others: Sequence[NodeRef]


def run(call: Call, request: Symbol) -> Json:
    """Return the best definition of all folders with what it touches.

    Raises SettingsError, or Cancelled.

    Answer: The definition with up to 60 lines of its text (`snippet`), its `callers`, `callees`,
    `implementations`, `tests` and `others` of its name, each with the `line`, the `distance` and
    the `grade` of its call, or of the least sure of several: resolved, only candidate (no other
    definition has the name; in Python and JavaScript the calling file imports something of its
    file) or possible (one of a few of the name that take as many arguments); `by_name` is true for
    the last two; where an `index.scip` says so, the tool that made it is named.
    Callers and tests that call it themselves have the `text` of that line. `mentions` are lines
    that use its name, with their text: all where nothing calls it, else those where it is not
    known what the name means; `totals`.
    """
    candidates = call.roots.candidates(request.name)
    by_root = [_definition(root, name, request) for root, name in candidates]
    definitions = [each for each in by_root if each]
    if not definitions:
        raise not_indexed(call, request.name)
    first, *rest = sorted(definitions, key=_order)
    symbol = first.root.engine.symbol(first.node, request.distance, call.cancel)
    if symbol is None:
        raise SettingsError(
            f"'{visible_line(first.node.path)}' has changed since it was indexed; ask again"
        )
    engine = first.root.engine
    excerpts = engine.excerpts()
    # Generations only grow, so that these are of the text that the definition was found in.
    is_current = engine.snapshot.generation == symbol.node.generation
    others = [*(each.node for each in rest), *(o for each in definitions for o in each.others)]
    sections: dict[str, Sequence[impact.Link | NodeRef | impact.NamedLine]] = {
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
        "snippet": _body(excerpts, symbol.node) if is_current else [],
        **{
            heading: [
                {
                    **link_row(link),
                    **(_line_of_call(excerpts, link) if is_current and heading in _USES else {}),
                }
                for link in links[: request.limit]
            ]
            for heading, links in sections.items()
        },
        "totals": {heading: len(links) for heading, links in sections.items()},
        **({"notes": [_UNREAD.format(symbol.n_unread_files)]} if symbol.n_unread_files else {}),
    }


def _body(excerpts: pack.Excerpts, node: NodeRef) -> list[Json]:
    """Return the first lines of a definition, without secrets."""
    excerpt = excerpts.of(node.path)
    first, last = node.span.start_line, node.span.end_line
    lines = excerpt.lines[first : min(last + 1, first + _BODY_LINES)] if excerpt else ()
    return [{"line": number, "text": text} for number, text in enumerate(lines, first + 1)]


def _line_of_call(excerpts: pack.Excerpts, link: impact.Link | NodeRef | impact.NamedLine) -> Json:
    """Return the text of the line that calls the definition itself."""
    if not isinstance(link, impact.Link) or link.distance > 1:
        return {}
    excerpt = excerpts.of(link.node.path)
    return {"text": excerpt.lines[link.line].strip()} if excerpt else {}


def _definition(root: service.Root, name: str, request: Symbol) -> _Definition | None:
    """Return what a name or a place stands for in a folder, and what else bears the name."""
    engine = root.engine
    try:
        target = place_in_file(root, name, request.line or None)
    except SettingsError:
        return None
    if target and target.named:
        return _Definition(root, target.named, engine.named(target.named.qualname))
    # A file without a line can have the name of a definition.
    if definitions := () if target and target.line is not None else engine.named(name):
        return _Definition(root, definitions[0], definitions[1:])
    node = engine.node_at(target.path, target.line or 0, request.column - 1) if target else None
    return _Definition(root, node, ()) if node else None


def _order(definition: _Definition) -> tuple[bool, int]:
    """Return the key by which the definitions of one folder are sorted: code before tests."""
    node = definition.node
    return node.kind == "test" or is_test(node.path), len(node.qualname)


def text(answer: Row) -> Text:
    """Return the definition, and what it touches section by section."""
    units = []
    used = [*rows_in(answer, "callers"), *rows_in(answer, "tests")]
    is_used = any(row["distance"] == 1 for row in used)
    called = "called or " if answer["kind"] in _CALLABLE else ""
    if answer["kind"] not in _UNCALLED and not is_used:
        units.append(f"{called}used by nothing that is known; {_named(answer)}")
    for name, heading in _SECTIONS.items():
        rows, total = rows_in(answer, name), answer["totals"][name]
        if name == "callers":
            heading = called + heading
        if name == "mentions" and is_used:
            rows, heading = rows[:_MAX_FURTHER], _further(total)
        lines = [f"  {_line_of(name, row)}" for row in rows]
        if total > len(rows):
            lines[-1:] = [f"{line}\n  ... {total - len(rows):,} more" for line in lines[-1:]]
        head = f"{heading}:\n" if heading else ""
        units += [head + line if i == 0 else line for i, line in enumerate(lines)]
    *shorter, definition = [signature_of(answer), *snippet_forms(answer)]
    return Text(
        [title(answer)],
        [definition, *units],
        "nodes",
        rows_in(answer, "notes"),
        shorter=[shorter, *([] for _ in units)],
    )


def _named(answer: Row) -> str:
    """Return how many lines use the name of a definition that nothing calls."""
    total = answer["totals"]["mentions"]
    if not total and signs_of(answer["name"]):
        return "uses of operators are not looked for"
    verb = "line uses" if total == 1 else "lines use"
    return f"{total:,} {verb} this name:" if total else "no line uses this name"


def _further(total: int) -> str:
    verb = "line uses" if total == 1 else "lines use"
    return f"{total:,} further {verb} this name; what it means there is not known"


def _line_of(section: str, row: Row) -> str:
    if section == "mentions":
        return f"{path_of(row)}:{row['line']} | {visible_line(row['text'])}"
    text = f" | {visible_line(cut(row['text']))}" if "text" in row else ""
    return f"{with_arguments(row)}{_remark(section, row)}{text}"


def _remark(section: str, row: Row) -> str:
    """Return what is to be known of a link: its line, its distance, and how sure it is."""
    if "line" not in row:
        return ""
    distance, is_far = row["distance"], row["distance"] > 1
    words = [f"{distance} calls away"] if is_far else []
    # The line of a callee's call is in the definition asked about.
    words += [f"line {row['line']}"] if not is_far or section != "callees" else []
    words += [row["grade"]] if row["by_name"] else []
    words += [f"by {row['by']}"] if "by" in row else []
    return f" ({', '.join(words)})"


OPERATION = Operation(
    "symbol",
    "Symbol",
    "A definition: its text, callers, callees, implementations, and the tests that reach it.",
    Symbol,
    run,
    text,
    unlisted="limit line column max_tokens also",
    batch="name",
    instead="For similar code use related, for the whole of a long one read_node.",
    lists=True,
)
