"""Uses that a patch breaks, as far as the graph of its folder before and after it says them.

Nothing is run. Only what is resolved before the patch is judged: a use by name alone is no proof.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from packhound.core.types import NodeRef
from packhound.git import PatchedFile
from packhound.graph import CallGraph, Grade, Takes, Use, count_arguments, count_parameters
from packhound.impact.symbol import definitions_named
from packhound.index import Snapshot

_STRICT = frozenset({"python", "typescript", "tsx", "go", "rust", "java"})
"""Languages in which another number of arguments is an error; others are not judged."""
_MAX_DEFINITIONS = 200
"""Removed and changed definitions whose uses are looked at."""
_UNNAMED = frozenset({"file", "section", "window", "impl", "module"})
_CALLABLE = frozenset({"function", "method"})
_DEFINED = r"\b(?:def|class|function|fn|func|struct|enum|trait|interface|type)\s+%s\b"


class Side(NamedTuple):
    """A folder before or after the patch."""

    snapshot: Snapshot
    graph: CallGraph


@dataclass(frozen=True, slots=True)
class Break:
    """A 0-based line, in a node after the patch, that uses what is not there, or not so any more.

    `takes` and `given` are numbers of arguments, of a call that gives another number. `removed` is
    the definition that was used.
    """

    node: NodeRef
    line: int
    text: str
    name: str
    removed: NodeRef | None = None
    takes: Takes | None = None
    given: int = 0


def find_uses(
    before: Side, after: Side, root: str, files: Mapping[str, PatchedFile]
) -> tuple[list[NodeRef], list[Break], list[Break]]:
    """Return definitions that are gone, uses that resolve no more, and calls of another length."""
    removed = find_removed(before.snapshot, after.snapshot, root, files)
    changed = _changed_signatures(before.snapshot, after.snapshot, root, files)
    unresolved = [
        each
        for node in removed[:_MAX_DEFINITIONS]
        for each in _unresolved(before, after, root, files, node)
    ]
    calls = [
        each
        for old, new in changed[:_MAX_DEFINITIONS]
        for each in _wrong_calls(after, root, old, new)
    ]
    return removed, _unique(unresolved), _unique(calls)


def _unique(breaks: Iterable[Break]) -> list[Break]:
    by_place = {(each.node.path, each.line, each.name): each for each in breaks}
    return sorted(by_place.values(), key=lambda each: (each.node.path, each.line))


def find_removed(
    before: Snapshot, after: Snapshot, root: str, files: Mapping[str, PatchedFile]
) -> list[NodeRef]:
    """Return the definitions that are gone by a patch."""
    return [
        old
        for old, same in _followed(before, after, root, files)
        if not same and not _is_still_there(files, old)
    ]


def _changed_signatures(
    before: Snapshot, after: Snapshot, root: str, files: Mapping[str, PatchedFile]
) -> list[tuple[NodeRef, NodeRef]]:
    """Return the functions with another signature, before and after."""
    return [
        (old, same[0])
        for old, same in _followed(before, after, root, files)
        if len(same) == 1 and same[0].signature != old.signature and old.kind in _CALLABLE
    ]


def _followed(
    before: Snapshot, after: Snapshot, root: str, files: Mapping[str, PatchedFile]
) -> Iterator[tuple[NodeRef, list[NodeRef]]]:
    """Yield each definition of the patched files, and those of its name there after the patch."""
    moved = {file.old_path: path for path, file in files.items() if file.after is not None}
    for path in files:
        new: dict[str, list[NodeRef]] = {}
        for node in nodes_of(after, moved.get(path, path), root) if path in after.files else ():
            new.setdefault(node.qualname, []).append(node)
        for node in nodes_of(before, path, root):
            if node.kind not in _UNNAMED:
                yield node, new.get(node.qualname, [])


def nodes_of(snapshot: Snapshot, path: str, root: str) -> list[NodeRef]:
    """Return the nodes of a file, none of one that is not there."""
    entry = snapshot.files.get(path)
    return [snapshot.ref(node_id, root) for node_id in entry.node_ids.tolist()] if entry else []


def _unresolved(
    before: Side, after: Side, root: str, files: Mapping[str, PatchedFile], definition: NodeRef
) -> Iterator[Break]:
    """Yield the places that used a definition for certain and now resolve to none of its name."""
    word = re.compile(rf"\b{re.escape(definition.name)}\b")
    namesakes = definitions_named(after.snapshot, root, definition.name)
    named = {int(node.node_id) for node in namesakes}
    headers = {(node.path, node.span.start_line) for node in namesakes}
    for use in before.graph.users(definition.node_id):
        if use.grade != Grade.RESOLVED:
            continue
        user = before.snapshot.ref(use.node_id, root)
        file = files.get(user.path)
        line: int | None = use.line
        if file is not None:
            line = None if file.after is None else file.new_line(use.line)
        if line is None:
            continue  # The patch has another line there, or none.
        node_id = after.snapshot.node_id_at(user.path, line)
        text = line_at(after.graph, user.path, line)
        if node_id is None or not word.search(text):
            continue
        if file is not None and word.search(file.added):
            continue  # It may come from elsewhere now.
        resolved = (u for u in after.graph.uses(node_id) if u.node_id in named)
        if any(u.grade == Grade.RESOLVED for u in resolved):
            continue
        node = after.snapshot.ref(node_id, root)
        like = _like(after.graph, node, definition.name, line)
        lines = [each for each, _ in like if (node.path, each) not in headers]
        for each in lines or [line]:
            text = line_at(after.graph, node.path, each).strip()
            yield Break(node, each, text, definition.name, definition)


def _is_still_there(files: Mapping[str, PatchedFile], node: NodeRef) -> bool:
    """Return True for a definition that only is no node of its own any more.

    Constants beside each other are one node, which a new one may rename; a function within another
    is none if it is short.
    """
    file = next((f for f in files.values() if f.old_path == node.path and f.after), None)
    if file is None:
        return False
    defined = re.compile(_DEFINED % re.escape(node.name))
    texts = [(text or b"").decode("utf-8", "replace") for text in (file.before, file.after)]
    n_before, n_after = (len(defined.findall(text)) for text in texts)
    return 0 < n_before <= n_after or _is_assigned(texts[1], node.name)


def _is_assigned(text: str, name: str) -> bool:
    """Return True if a text gives a name a value at the begin of a line."""
    start = r"^[ \t]*(?:(?:export|pub|static|const|let|var|final) +)*"
    return bool(
        re.search(rf"{start}{re.escape(name)}[ \t]*(?::[^=\n]*)?=(?!=)", text, re.MULTILINE)
    )


def _wrong_calls(after: Side, root: str, old: NodeRef, new: NodeRef) -> Iterator[Break]:
    """Yield the calls that gave as many arguments as a definition took, and do so no more."""
    if new.language not in _STRICT:
        return
    took, takes = (count_parameters(node.signature, node.name) for node in (old, new))
    if took is None or takes is None or took == takes:
        return
    for use in after.graph.users(new.node_id):
        if use.grade == Grade.RESOLVED:
            yield from _wrong_calls_in(after, root, new, use, took, takes)


def _wrong_calls_in(
    after: Side, root: str, new: NodeRef, use: Use, took: Takes, takes: Takes
) -> Iterator[Break]:
    """Yield those in a node that has a resolved use: of the same receiver all mean the same."""
    user, graph = after.snapshot.ref(use.node_id, root), after.graph
    plain = graph.bare_text(user.path)
    owner = re.split(r"\.|::", new.qualname.removesuffix(new.name).rstrip(".:"))[-1]
    for line, name in _like(graph, user, new.name, use.line):
        end = name.end()
        if owner and name[1].rstrip(".:") == owner:
            continue
        number = count_arguments(plain, end)
        if not took.minimum <= number <= took.maximum:
            continue
        if not takes.minimum <= number <= takes.maximum:
            text = line_at(graph, user.path, line).strip()
            yield Break(user, line, text, new.name, takes=takes, given=number)


def _like(
    graph: CallGraph, node: NodeRef, name: str, line: int
) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield where a node has a name behind the same receiver as on a line, with the line."""
    plain = graph.bare_text(node.path)
    found = [
        (plain.count("\n", 0, match.start(2)), match)
        for match in re.finditer(rf"((?:[\w$]+(?:\.|::))*)\b({re.escape(name)})\b", plain)
    ]
    receivers = {match[1] for number, match in found if number == line}
    for number, match in found:
        is_inside = node.span.start_line <= number <= node.span.end_line
        if match[1] in receivers and is_inside:
            yield number, match


def line_at(graph: CallGraph, path: str, line: int) -> str:
    """Return a line of a file, "" for one that is not there."""
    lines = (graph.source(path) or b"").split(b"\n")
    return lines[line].decode("utf-8", "replace") if line < len(lines) else ""
