"""A definition with its callers, callees and implementations, and the tests that reach it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import repeat

import numpy as np

from packhound.core.titles import is_title, name_parts, spellings
from packhound.core.types import NodeId, NodeRef, Span
from packhound.graph import CallGraph, Grade, Use
from packhound.index import Snapshot
from packhound.text import is_test, terms


@dataclass(frozen=True, slots=True)
class Link:
    """A node that another one leads to over `distance` calls.

    `line` is the 0-based line of the call in the calling file; `by` names the tool whose index
    says so.
    """

    node: NodeRef
    line: int
    distance: int
    grade: Grade
    by: str = ""

    @property
    def is_resolved(self) -> bool:
        """False if only the name leads there."""
        return self.grade == Grade.RESOLVED


@dataclass(frozen=True, slots=True)
class NamedLine:
    """A 0-based line, in a node, that uses the name of a definition."""

    node: NodeRef
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition and what it touches, nearest first; `tests` are those among its callers.

    `mentions` are lines that use the name: all of them where nothing calls it, else those where it
    is not known what it means; `n_unread_files` further files may have some.
    """

    node: NodeRef
    callers: tuple[Link, ...]
    callees: tuple[Link, ...]
    implementations: tuple[NodeRef, ...]
    tests: tuple[Link, ...]
    mentions: tuple[NamedLine, ...]
    n_unread_files: int = 0

    @property
    def is_used(self) -> bool:
        """True if something calls or uses it itself."""
        return bool(self.callers) or any(test.distance == 1 for test in self.tests)


def describe_symbol(
    snapshot: Snapshot, root: str, graph: CallGraph, node_id: NodeId, distance: int
) -> Symbol:
    """Return a live node with its callers and callees over at most `distance` calls.

    Tests may take one call more; to look further costs more than all else.
    """
    callers = graph.callers([node_id], distance, tests_further=True)
    links = links_of(snapshot, root, callers.values())
    callees = links_of(snapshot, root, graph.callees([node_id], distance).values())
    node = snapshot.ref(node_id, root)
    implementations = graph.implementations(node_id)
    near = tuple(c for c in links if c.distance <= distance and not is_test_node(c.node))
    tests = tuple(link for link in links if is_test_node(link.node))
    symbol = Symbol(
        node=node,
        callers=near,
        callees=tuple(callees),
        implementations=tuple(
            snapshot.ref(i, root) for i in implementations if _is_live(snapshot, i)
        ),
        tests=tests,
        mentions=(),
    )
    mentions = graph.mentions(node_id, unknown=symbol.is_used)
    return replace(
        symbol,
        mentions=tuple(
            NamedLine(snapshot.ref(m.node_id, root), m.line, m.text)
            for m in mentions
            if _is_live(snapshot, m.node_id)
        ),
        n_unread_files=graph.n_unread_files(node_id) if symbol.is_used else 0,
    )


def links_of(snapshot: Snapshot, root: str, uses: Iterable[Use]) -> list[Link]:
    """Return the uses of live definitions, the surest first at each distance."""
    links = [
        Link(snapshot.ref(use.node_id, root), use.line, use.distance, use.grade, use.by)
        for use in uses
        if _is_live(snapshot, use.node_id)
    ]
    links.sort(key=lambda link: (link.distance, link.grade))
    inside = {link.node.path for link in links if link.node.kind != "file"}
    # Where code of a file is named, its imports say no more.
    return [link for link in links if link.node.kind != "file" or link.node.path not in inside]


def is_test_node(node: NodeRef) -> bool:
    """Return True for a test, or code in a file of tests."""
    return node.kind == "test" or is_test(node.path)


def _is_live(snapshot: Snapshot, node_id: int) -> bool:
    # Another thread may have updated the graph to a newer snapshot meanwhile.
    return node_id < snapshot.n_node_ids and bool(snapshot.live[node_id])


_UNNAMED = frozenset({"file", "section", "window", "impl"})
_LABELS = re.compile(r"\((?:\w+:)+\)$")
"""The names of a function's parameters, by which Swift tells overloads apart."""


def definitions_named(snapshot: Snapshot, root: str, name: str) -> tuple[NodeRef, ...]:
    """Return the definitions of a name or of the tail of a qualified name, tests last.

    A module or namespace before it is that of the file, by its path or its text, or else one that
    has the name and may pass it on.
    """
    bare = _LABELS.sub("", name.strip())
    bare = bare if bare.endswith("operator()") else bare.removesuffix("()")
    parts = name_parts(bare) or [bare]
    # A dot or a colon can be of the name itself, as in `print.money` of R.
    names = (bare, *spellings(parts[-1]))
    node_ids = dict.fromkeys(i for each in names for i in snapshot.node_ids_named(each).tolist())
    called = [
        node for node in map(snapshot.ref, node_ids, repeat(root)) if node.kind not in _UNNAMED
    ]
    nodes = [node for node in called if _is_named(snapshot, node, bare, parts)]
    if not nodes:
        passed_on = {
            n for n in {node.qualname for node in called} if _is_passed_on(snapshot, n, parts)
        }
        nodes = [
            node
            for node in called
            if node.qualname in passed_on and parts[0] in node.path.split("/")
        ]
    return tuple(sorted(nodes, key=lambda node: (not _bears(node, bare, parts), *_order(node))))


def _bears(node: NodeRef, text: str, parts: list[str]) -> bool:
    """Return True if a name is a text, or ends with its parts, and no module has to explain it."""
    if text in (node.name, node.qualname) or len(parts) < 2:
        return True
    return name_parts(node.qualname)[-len(parts) :] == [*parts[:-1], node.name]


def _order(node: NodeRef) -> tuple[bool, int, int, str, Span]:
    """Return the key of definitions of one name, the longest first: a shim is short."""
    span = node.span
    n_lines = span.end_line - span.start_line
    return is_test_node(node), len(node.qualname), -n_lines, node.path, span


def _is_passed_on(snapshot: Snapshot, qualname: str, parts: list[str]) -> bool:
    """Return True if the file of the module that is before a name has the name."""
    qualified = name_parts(qualname)
    owners = parts[: -len(qualified)]
    if len(owners) < 2 or [*owners, *qualified] != parts:
        return False
    module = "/".join(owners)
    stems = tuple(f"/{module}{index}" for index in ("", "/__init__", "/index", "/mod"))
    posted = snapshot.postings(terms(qualified[0])[-1]).node_ids
    return any(
        f"/{path}".rpartition(".")[0].endswith(stems) and np.isin(entry.node_ids, posted).any()
        for path, entry in snapshot.files.items()
    )


def _is_named(snapshot: Snapshot, node: NodeRef, text: str, parts: list[str]) -> bool:
    """Return True if a node has a name or the tail of a qualified one; a title only as a whole."""
    if is_title(node.kind, node.name, node.signature):
        return text in (node.name, node.qualname)
    if _bears(node, text, parts):
        return True
    parts = [*parts[:-1], node.name]
    qualified = name_parts(node.qualname)
    owners = parts[: -len(qualified)]
    return [*owners, *qualified] == parts and _is_under(snapshot, node.path, owners)


def _is_under(snapshot: Snapshot, path: str, owners: list[str]) -> bool:
    """Return True if folders, the stem or words of a file have the names of all owners."""
    steps, node_ids = {*re.split(r"[/.]", path.casefold())}, snapshot.files[path].node_ids
    return all(
        owner.casefold() in steps
        # The last term of a name is the whole of it.
        or any(np.isin(node_ids, snapshot.postings(t).node_ids).any() for t in terms(owner)[-1:])
        for owner in owners
    )
