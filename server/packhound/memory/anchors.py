"""Find the code of a note as it is now, and tell if it has changed since the note was written.

A node of the same path and qualified name counts first. Where there is none, the digest of the body
is followed: to another name in the file, the same name in another file, or anywhere among the most
similar nodes. If no node has that digest, the most similar one is proposed.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from packhound.core.types import Span
from packhound.index import FileEntry, Snapshot
from packhound.memory.body_digest import (
    body_digest,
    body_of,
    body_tokens,
    last_name,
    similarity,
)
from packhound.memory.notes import Anchor

STALE, MOVED, ORPHANED = "stale", "moved?", "orphaned"
_MIN_SIMILARITY = 0.5
_MIN_TOKENS = 8
"""A shorter body says too little to be followed to another file."""


@dataclass(frozen=True, slots=True, eq=False)
class CodeView:
    """One generation of the code.

    `source` returns the text of a path as the generation has it, None if that is gone; `similar`
    the node ids of a kind with the words of a body, the best first.
    """

    snapshot: Snapshot
    source: Callable[[str], bytes | None]
    similar: Callable[[str, str], Iterable[int]]

    def body(self, entry: FileEntry, position: int) -> str | None:
        """Return the body of a node, None if its file has changed since."""
        source = self.source(entry.path)
        return None if source is None else body_of(source, entry.nodes, position)


class Resolution(NamedTuple):
    """Present node of an anchor: `state` is empty if it is fresh; the span is None if unknown.

    `path` and `qualname` are those of the anchor where the node is gone.
    """

    state: str
    path: str
    qualname: str
    span: Span | None = None

    @property
    def reference(self) -> str:
        """The node as tools write it."""
        return f"{self.path}#{self.qualname}"


def anchor_at(view: CodeView, path: str, line: int) -> Anchor | None:
    """Return an anchor to the innermost node at a 0-based line; None if there is no text."""
    node_id = view.snapshot.node_id_at(path, line)
    if node_id is None:
        return None
    entry, position = view.snapshot.locate(node_id)
    body, node = view.body(entry, position), entry.node(position)
    if body is None:
        return None
    digest = body_digest(body, node.name, entry.language)
    return Anchor(path, node.qualname, node.kind, entry.language, digest, body)


def resolve(anchor: Anchor, view: CodeView, *, thorough: bool) -> Resolution:
    """Return where an anchor is; without `thorough` its own file alone is looked at."""
    entry = view.snapshot.files.get(anchor.path)
    same_name = [p for p in _positions(entry) if entry and entry.qualname(p) == anchor.qualname]
    if entry is not None and same_name:
        matches = [_matches(anchor, view, entry, position) for position in same_name]
        if False in matches and True not in matches:
            return _at(entry, same_name[0], STALE)
        return _at(entry, same_name[matches.index(True)] if True in matches else same_name[0], "")
    renamed = [
        (entry, position)
        for position in _positions(entry)
        if entry and entry.node(position).kind == anchor.kind
    ]
    followed = _unique(anchor, view, renamed)
    if followed or not thorough:
        return followed or Resolution(ORPHANED, anchor.path, anchor.qualname)
    named = view.snapshot.node_ids_named(last_name(anchor.qualname)).tolist()
    similar = view.similar(anchor.body, anchor.kind)
    elsewhere = [view.snapshot.locate(node_id) for node_id in (*named, *similar)]
    if len(body_tokens(anchor.body, "", anchor.language)) >= _MIN_TOKENS:
        followed = _unique(anchor, view, elsewhere)
    return followed or _most_similar(anchor, view, [*renamed, *elsewhere])


def diff(anchor: Anchor, resolution: Resolution, view: CodeView) -> str:
    """Return what changed between the body of an anchor and the node as it is now.

    Nothing where the body is not known, as of notes of others.
    """
    if not anchor.body:
        return ""
    entry = view.snapshot.files.get(resolution.path)
    names = {entry.qualname(p): p for p in reversed(_positions(entry))} if entry else {}
    position = names.get(resolution.qualname)
    now = view.body(entry, position) if entry is not None and position is not None else None
    lines = difflib.unified_diff(
        anchor.body.splitlines(),
        (now or "").splitlines(),
        f"{anchor.reference} when the note was written",
        f"{resolution.reference} now" if now else "gone",
        lineterm="",
    )
    return "\n".join(lines)


def follow(anchor: Anchor, resolution: Resolution) -> Anchor:
    """Return the anchor at the place that it was followed to."""
    return replace(anchor, path=resolution.path, qualname=resolution.qualname)


Located = tuple[FileEntry, int]
"""A node: its file and its position among the nodes of that."""


def _positions(entry: FileEntry | None) -> range:
    return range(len(entry.node_ids)) if entry else range(0)


def _at(entry: FileEntry, position: int, state: str) -> Resolution:
    node = entry.node(position)
    return Resolution(state, entry.path, node.qualname, node.span)


def _matches(anchor: Anchor, view: CodeView, entry: FileEntry, position: int) -> bool | None:
    """Return True if a node's body is that of the anchor; None if its text is not known."""
    body = view.body(entry, position)
    if body is None:
        return None
    name = entry.name_as_written(position)
    return body_digest(body, name, entry.language) == anchor.digest


def _unique(anchor: Anchor, view: CodeView, nodes: Iterable[Located]) -> Resolution | None:
    """Return the one place whose body is that of the anchor; one of its name before others."""
    equal = [node for node in _distinct(nodes) if _matches(anchor, view, *node)]
    name = last_name(anchor.qualname)
    named = [node for node in equal if last_name(node[0].qualname(node[1])) == name]
    for candidates in (named, equal):
        if len(candidates) == 1:
            return _at(*candidates[0], "")
    return _at(*equal[0], MOVED) if equal else None


def _most_similar(anchor: Anchor, view: CodeView, nodes: Iterable[Located]) -> Resolution:
    tokens = Counter(body_tokens(anchor.body, last_name(anchor.qualname), anchor.language))
    best, best_similarity = None, _MIN_SIMILARITY
    for entry, position in _distinct(nodes):
        body = view.body(entry, position)
        name = entry.name_as_written(position)
        share = similarity(tokens, Counter(body_tokens(body or "", name, entry.language)))
        if share > best_similarity:
            best, best_similarity = (entry, position), share
    return _at(*best, MOVED) if best else Resolution(ORPHANED, anchor.path, anchor.qualname)


def _distinct(nodes: Iterable[Located]) -> list[Located]:
    """Return places once each."""
    return [*{(entry.path, position): (entry, position) for entry, position in nodes}.values()]
