"""Nodes beside a better hit: those with its lines or a copy of its text, and siblings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import NamedTuple, TypeAlias

import numpy as np

from packhound.core.arrays import Doubles, Floats, Positions, top_k
from packhound.core.trace import traced
from packhound.core.types import Hit, NodeRef
from packhound.search.order import SCORE_DIGITS, rank_hits
from packhound.search.rank.linear import Ranking
from packhound.search.retrieve.term_matches import BODY
from packhound.search.signals.context import SignalContext
from packhound.search.stages import TextOf

_LEADING, _MIN_PARTS = 10, 2
"""A node that has so many parts among so many best nodes is left to them."""
_FUNCTIONS = frozenset({"function", "method"})
_MAX_LINES = 400
"""Lines of a function that answers rather than the functions in it."""
_MIN_LINES = 3
"""Lines of a text that is not written twice by chance."""
_MAX_SIBLINGS = 5
SIBLING_DEPTH = 50
"""Siblings are among this many best nodes."""

_Shape: TypeAlias = tuple[str, int, int]


class Distinct(NamedTuple):
    """A node whose lines no better one has: its row in the ranking, and the node it is a copy of.

    `original` is the node id of the best node with the same text, its own where that is this one.
    """

    row: int
    node: NodeRef
    original: int


def distinct_nodes(
    context: SignalContext,
    ranking: Ranking,
    added: Floats,
    limit: int,
    root: str,
    text_of: TextOf,
) -> list[Distinct]:
    """Return the best nodes of a ranking with `limit` different texts, and the copies of these.

    `added` is what a stage will add to the scores of its nodes.

    Of nodes that share lines, as a class and its method, only the best is there.
    """
    found, n_texts = list[Distinct](), 0
    in_order = (
        _in_order(context, ranking, added, max(_LEADING, 2 * limit), root)
        if limit > 0
        else iter(())
    )
    leading = [*islice(in_order, _LEADING)]
    n_leading = Counter(node.path for _, node in leading)
    yielding = {
        row for row, node in leading if n_leading[node.path] > 1 and _yields(context, node, leading)
    }
    of_file, of_shape = (
        defaultdict[str, list[NodeRef]](list),
        defaultdict[_Shape, list[Distinct]](list),
    )
    for row, node in chain(leading, in_order):
        if row in yielding or any(_share_lines(node, other) for other in of_file[node.path]):
            continue
        alike = of_shape[_shape(context, node)]
        original = next((e.original for e in alike if _has_text_of(node, e.node, text_of)), None)
        if original is None:
            if n_texts == limit:
                break
            original, n_texts = node.node_id, n_texts + 1
        distinct = Distinct(row, node, original)
        found.append(distinct)
        of_file[node.path].append(node)
        if _n_lines(node) >= _MIN_LINES:
            alike.append(distinct)
    return found


def merge_copies(hits: Sequence[Hit], originals: Mapping[int, int], limit: int) -> tuple[Hit, ...]:
    """Return the best `limit` hits of different texts, each with the further places of its text.

    `originals` has the node id of the best node with the same text, by node id.
    """
    texts = dict[int, list[Hit]]()
    for hit in hits:
        texts.setdefault(originals.get(hit.node.node_id, hit.node.node_id), []).append(hit)
    merged = (
        replace(first, copies=tuple(copy.node for copy in copies)) if copies else first
        for first, *copies in texts.values()
    )
    return rank_hits(merged, limit)


def rank_among(hits: Sequence[Hit], node: NodeRef, position: int) -> tuple[int, tuple[str, ...]]:
    """Return the rank of a node among the hits of a search, and which of them stands for it.

    `position` is that among the candidates, 0 for none, where lines do not count.
    """
    for hit in hits:
        title = hit.node.qualname or hit.node.name
        if hit.node.node_id == node.node_id:
            return hit.rank, ()
        if any(copy.node_id == node.node_id for copy in hit.copies):
            return 0, (f"its text is that of result {hit.rank}, {title}",)
        if hit.node.path == node.path and _share_lines(hit.node, node):
            return 0, (f"shares lines with result {hit.rank}, {title}",)
    return max(position, len(hits) + 1) if position else 0, ()


@traced("siblings")
def siblings_of(
    context: SignalContext, ranking: Ranking, hits: Sequence[Hit]
) -> list[tuple[NodeRef, ...]]:
    """Return the next best nodes of the file of each hit; each is named once."""
    snapshot, taken = context.snapshot, {hit.node.node_id for hit in hits}
    files = snapshot.file_of.take([*taken]).tolist()
    scores = ranking.rounded
    best = top_k(scores, SIBLING_DEPTH)
    node_ids = context.candidates.node_ids.take(ranking.nodes.take(best))
    rows = zip((-scores.take(best)).tolist(), node_ids.tolist(), strict=True)
    by_file: dict[int, list[tuple[float, int, int]]] = {file_id: [] for file_id in files}
    for (falling, node_id), file_id in zip(
        rows, snapshot.file_of.take(node_ids).tolist(), strict=True
    ):
        if file_id in by_file and node_id not in taken:
            _, position = snapshot.locate(node_id)
            by_file[file_id].append((falling, position, node_id))
    siblings = []
    for hit in hits:
        of_file = sorted(by_file.pop(int(snapshot.file_of[hit.node.node_id]), ()))[:_MAX_SIBLINGS]
        siblings.append(tuple(snapshot.ref(node_id, hit.node.root) for *_, node_id in of_file))
    return siblings


def _yields(context: SignalContext, node: NodeRef, leading: Sequence[tuple[int, NodeRef]]) -> bool:
    """Return True if a node is left to others, and the query does not name it.

    Functions in a function are left to it, unless it is long; a class, of which several parts
    answer too, to these.
    """
    if node.node_id in context.query.exact_matches:
        return False
    if node.kind in _FUNCTIONS:
        if any(_is_in(node, other) and _is_whole(other) for _, other in leading):
            return True
        if _is_whole(node):
            return False
    return sum(_is_in(part, node) for _, part in leading) >= _MIN_PARTS


def _is_whole(node: NodeRef) -> bool:
    return node.kind in _FUNCTIONS and _n_lines(node) <= _MAX_LINES


def _is_in(part: NodeRef, node: NodeRef) -> bool:
    first, second = part.span, node.span
    return (
        part.path == node.path
        and second.start <= first.start < first.end <= second.end
        and part.node_id != node.node_id
    )


def _in_order(
    context: SignalContext, ranking: Ranking, added: Floats, n_likely: int, root: str
) -> Iterator[tuple[int, NodeRef]]:
    """Yield rows with their nodes, the best first, ties by path and start."""
    scores: Doubles = (np.asarray(ranking.scores, np.float64) + added).round(SCORE_DIGITS)
    best = top_k(scores, n_likely)
    yield from _sorted_nodes(context, ranking, best, scores, root)
    others = np.delete(np.arange(len(scores)), best)
    yield from _sorted_nodes(context, ranking, others, scores, root)


def _sorted_nodes(
    context: SignalContext, ranking: Ranking, rows: Positions, scores: Doubles, root: str
) -> Iterator[tuple[int, NodeRef]]:
    rows = rows[np.argsort(-scores[rows], kind="stable")]
    node_ids = context.candidates.node_ids[ranking.nodes[rows]].tolist()
    in_order = zip(scores[rows].tolist(), rows.tolist(), node_ids, strict=True)
    for _, tied in groupby(in_order, itemgetter(0)):
        refs = [(row, context.snapshot.ref(node_id, root)) for _, row, node_id in tied]
        yield from sorted(refs, key=lambda pair: (pair[1].path, pair[1].span.start))


def _share_lines(node: NodeRef, other: NodeRef) -> bool:
    """Return True if two nodes of a file do."""
    first, second = node.span, other.span
    return first.start_line <= second.end_line and second.start_line <= first.end_line


def _shape(context: SignalContext, node: NodeRef) -> _Shape:
    """Return what nodes with the same text have in common: their kind, and how many words."""
    return node.kind, _n_lines(node), int(context.snapshot.lengths[BODY][node.node_id])


def _n_lines(node: NodeRef) -> int:
    return node.span.end_line - node.span.start_line + 1


def _has_text_of(node: NodeRef, other: NodeRef, text_of: TextOf) -> bool:
    """Return True if two nodes have the same text, white space and letter case aside."""
    texts = [text_of(each).partition("\n")[2].lower().split() for each in (node, other)]
    return bool(texts[0]) and texts[0] == texts[1]
