"""Claim that an answer has the whole of all that its query names: nothing is left to read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from packhound import search, service
from packhound.core.records import ALL_CODE
from packhound.core.types import Hit, NodeRef, Query, Results
from packhound.operations.operation import Json
from packhound.operations.text import MAX_LINE

_FILTERS = ("kinds", "languages", "globs", "excluded_kinds", "excluded_globs", "regexes", "frames")


def enough_in(roots: service.Roots, results: Results, hits: Sequence[Hit]) -> Json:
    """Return `enough`, the names of a query and the ranks of the hits that define them.

    Nothing where one of them has no definition, or one that is not whole in the lines of `hits`,
    nor where not all was searched.
    """
    names = _names_of(results.query)
    if not names or not results.reading.is_complete or roots.remotes:
        return {}
    lines, generations = defaultdict[tuple[str, str], set[int]](set), set[int]()
    for hit in hits:
        # Matched lines are shown in place of a snippet.
        snippet = () if hit.matches else hit.snippet
        numbers = {line for line, text in snippet if len(text) <= MAX_LINE}
        lines[hit.node.root, hit.node.path] |= numbers
        generations.add(hit.node.generation)
    definitions = list[NodeRef]()
    for name in names:
        nodes = _definitions(roots, name, len(hits))
        if not nodes:
            return {}
        definitions += nodes
    for node in definitions:
        span = range(node.span.start_line, node.span.end_line + 1)
        if node.generation not in generations or not lines[node.root, node.path].issuperset(span):
            return {}
    defined = {(node.root, node.path) for node in definitions}
    ranks = [hit.rank for hit in hits if (hit.node.root, hit.node.path) in defined]
    return {"enough": {"names": names, "ranks": ranks}}


def _names_of(text: str) -> list[str]:
    """Return the names that a query says, with their owners; none of one that has filters."""
    parsed = search.parse_query(Query(text))
    is_filtered = any(getattr(parsed, field) for field in _FILTERS) or parsed.scope != ALL_CODE
    if is_filtered or parsed.has_operators or parsed.tests != Query("").tests:
        return []
    owned = {parts[-1]: ".".join(parts) for parts in parsed.qualified}
    return [owned.get(name, name) for name in parsed.names]


def _definitions(roots: service.Roots, name: str, limit: int) -> list[NodeRef]:
    """Return the definitions of a name in all folders, none if there are more than `limit`.

    A name whose owner has none, such as a variable, is looked for without it.
    """
    last = name.rpartition(".")[2]
    if sum(len(root.engine.snapshot.node_ids_named(last)) for root in roots) > limit:
        return []
    nodes = [node for root in roots for node in root.engine.named(name)]
    return nodes or [node for root in roots for node in root.engine.named(last)]
