"""The whole of a search, top to bottom.

query text -> parsed query -> filters -> candidates by words, by meaning and by name -> signals
-> one score per node -> the best, with their reasons. One snapshot from start to end; no query
raises, and a budget that runs out truncates.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, top_k
from packhound.core.errors import Cancelled, ModelError
from packhound.core.types import Hit, NodeRef, Query, Results, Signal
from packhound.index.snapshot import Snapshot
from packhound.search.ablation import WHOLE, parts
from packhound.search.protocols import Ranking
from packhound.search.query.filters import allowed_node_ids
from packhound.search.query.parse import ParsedQuery, parse_query
from packhound.search.query.project_name import read_query
from packhound.search.rank.fusion import fuser as fuser_named
from packhound.search.rank.linear import Source, score_linear, weights_for
from packhound.search.retrieve.retrieve import measure
from packhound.search.signals.context import View
from packhound.search.symbols import rank_symbols

_REPORT_CHARACTERS = 2_000
_CODE_CHARACTERS = 3_000
"""What the encoder reads of a long report, and of the code in it."""


class QueryEncoder(Protocol):
    """What a search needs of an embedding model."""

    def encode_query(self, text: str) -> Floats:
        """A unit vector. Raises ModelError."""


def search(
    snapshot: Snapshot,
    query: Query,
    embedder: QueryEncoder | None,
    *,
    root: str,
    fuser: str = "linear",
    cancel: threading.Event | None = None,
) -> Results:
    """Answer `query`; raises Cancelled when `cancel` is set meanwhile, nothing else."""
    watch = _Watch(query, cancel)
    parsed = read_query(query, snapshot, root)
    if not parsed.text and not parsed.exact:
        return watch.results(snapshot, parsed, (), 0, ("the query has no words",))
    if query.mode == "symbol":
        hits, considered = rank_symbols(snapshot, parsed, query.limit, root)
        missed = () if hits else ("no name matches",)
        return watch.results(snapshot, parsed, hits, considered, missed)
    vector, notes = query_vector(snapshot, parsed, query, embedder)
    watch.check()
    view = _view(snapshot, parsed, query, vector, embedder)
    watch.check()
    if not len(view.candidates):
        reason = _unknown_language(snapshot, parsed) or "nothing matches"
        return watch.results(snapshot, parsed, (), 0, (*notes, reason))
    if vector is not None and not view.lexical.found:
        notes = (*notes, "no word of the query is in the index: ranked by meaning alone")
    ranking = fuser_named(fuser, _source(query, vector))(view, query.limit)
    watch.check()
    hits = _best(view, ranking, query.limit, root)
    watch.truncated |= view.candidates.truncated
    return watch.results(snapshot, parsed, hits, view.candidates.considered, notes)


def explain(
    snapshot: Snapshot,
    query: Query,
    node_id: int,
    embedder: QueryEncoder | None,
    *,
    root: str,
    fuser: str = "linear",
    cancel: threading.Event | None = None,
) -> Hit:
    """The node of a live node id, scored for the query whether or not it ranks.

    Its rank is the one that it has among the candidates, 0 where it is none of them. Raises
    KeyError for a dead node id, Cancelled when `cancel` is set meanwhile.
    """
    watch = _Watch(query, cancel)
    entry, _ = snapshot.locate(node_id)
    parsed = read_query(query, snapshot, root)
    parsed = replace(parsed, kinds=(), languages=(), globs=(), exact=())
    vector, _ = query_vector(snapshot, parsed, query, embedder)
    view = _view(snapshot, parsed, query, vector, embedder)
    ranked = bool(np.isin(node_id, view.candidates.node_ids))
    if not ranked:
        files = np.append(view.candidates.files, np.int32(entry.file_id))
        view = _view(snapshot, parsed, query, vector, embedder, only=np.unique(files))
    watch.check()
    ranking = fuser_named(fuser, _source(query, vector))(view, len(view.candidates))
    position = int(np.flatnonzero(view.candidates.node_ids == node_id)[0])
    rank = int((ranking.scores > ranking.scores[position]).sum()) + 1
    [(node, score, why)] = _found(view, ranking, [position], root)
    return Hit(node, rank if ranked else 0, score, why)


def related(
    snapshot: Snapshot,
    node_id: int,
    query: Query,
    *,
    root: str,
    cancel: threading.Event | None = None,
) -> Results:
    """Nodes like the one of a live node id: by meaning, or by its words where it has no vector."""
    watch = _Watch(query, cancel)
    node = snapshot.node(node_id)
    parsed = replace(parse_query(replace(query, text=f"{node.name}\n{node.doc}")), kind="prose")
    vector = snapshot.vector(node_id) if snapshot.has_vector[node_id] else None
    view = _view(snapshot, parsed, query, vector)
    watch.check()
    source: Source = "lexical" if vector is None else "dense"
    ranking = fuser_named("linear", source)(view, query.limit + 1)
    hits = _best(view, ranking, query.limit + 1, root)
    others = [hit for hit in hits if hit.node.node_id != node_id][: query.limit]
    ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(others, 1))
    return watch.results(snapshot, parsed, ranked, view.candidates.considered, ())


def ablated(
    snapshot: Snapshot, query: Query, embedder: QueryEncoder | None, *, root: str
) -> dict[str, tuple[Hit, ...]]:
    """The hits as they are (`WHOLE`), and as they would be without each part that counts."""
    parsed = read_query(query, snapshot, root)
    vector, _ = query_vector(snapshot, parsed, query, embedder)
    view = _view(snapshot, parsed, query, vector, embedder)
    whole = weights_for(_source(query, vector), parsed.kind)
    lesser = {part: whole.without(signals) for part, signals in parts().items()}
    kept = {WHOLE: whole, **{part: left for part, left in lesser.items() if left != whole}}
    return {
        part: _best(view, score_linear(view, weights, query.limit), query.limit, root)
        for part, weights in kept.items()
    }


def with_notes(results: Results, notes: tuple[str, ...]) -> Results:
    """The same results with more notes."""
    return replace(results, notes=(*results.notes, *notes)) if notes else results


class _Watch:
    """Time and cancellation of one search."""

    def __init__(self, query: Query, cancel: threading.Event | None) -> None:
        self._started = time.perf_counter()
        self._query = query
        self._cancel = cancel
        self.truncated = False

    def check(self) -> None:
        """Stop if the caller asked for it; note it if the time is over."""
        if self._cancel is not None and self._cancel.is_set():
            raise Cancelled("the search was cancelled")
        self.truncated |= self._elapsed_ms() > self._query.budget.time_ms

    def results(
        self,
        snapshot: Snapshot,
        parsed: ParsedQuery,
        hits: tuple[Hit, ...],
        considered: int,
        notes: tuple[str, ...],
    ) -> Results:
        return Results(
            query=self._query.text,
            hits=hits,
            truncated=self.truncated,
            generation=snapshot.generation,
            took_ms=self._elapsed_ms(),
            candidates=considered,
            notes=(*parsed.notes, *notes),
        )

    def _elapsed_ms(self) -> float:
        return (time.perf_counter() - self._started) * 1_000


def query_vector(
    snapshot: Snapshot, parsed: ParsedQuery, query: Query, embedder: QueryEncoder | None
) -> tuple[Floats | None, tuple[str, ...]]:
    """The embedded query, None with a note where there is nothing to compare it with."""
    if query.mode == "lexical":
        return None, ()
    if embedder is None:
        return None, ("no embedding model: ranked by words alone",)
    if not snapshot.has_vector.any():
        return None, ("no vectors yet: ranked by words alone",)
    try:
        vector = embedder.encode_query(parsed.text[:_REPORT_CHARACTERS])
    except ModelError as problem:
        return None, (f"ranked by words alone: {problem}",)
    if not np.any(vector):
        return None, ("the embedding model knows no word of the query: ranked by words alone",)
    return vector, ()


def report_vectors(
    parsed: ParsedQuery, vector: Floats | None, embedder: QueryEncoder | None
) -> tuple[Floats | None, Floats | None]:
    """The embedded title of a report, and the code that it quotes (its title where it has none)."""
    if vector is None or embedder is None or parsed.kind != "report":
        return None, None
    title = embedder.encode_query(parsed.title)
    code = embedder.encode_query(parsed.code[:_CODE_CHARACTERS]) if parsed.code else title
    return title, code


def _view(
    snapshot: Snapshot,
    parsed: ParsedQuery,
    query: Query,
    vector: Floats | None,
    embedder: QueryEncoder | None = None,
    only: NDArray[np.int32] | None = None,
) -> View:
    words = parsed if query.mode != "dense" or vector is None else _wordless(parsed)
    title, code = report_vectors(parsed, vector, embedder)
    return measure(
        snapshot,
        words,
        vector,
        allowed_node_ids(snapshot, parsed),
        title_vector=title,
        code_vector=code,
        budget=query.budget.candidates,
        only=only,
    )


def _unknown_language(snapshot: Snapshot, parsed: ParsedQuery) -> str:
    """What to say when no file is in a language that the query asks for."""
    known = sorted({entry.language.lower() for entry in snapshot.files.values()})
    if not parsed.languages or not set(parsed.languages).isdisjoint(known):
        return ""
    asked = ", ".join(parsed.languages)
    return f"no file here is in '{asked}'; languages here: {', '.join(known)}"


def _wordless(parsed: ParsedQuery) -> ParsedQuery:
    return replace(parsed, terms=(), weights=(), names=(), name_weights=(), qualified=(), title="")


def _source(query: Query, vector: Floats | None) -> Source:
    if vector is None:
        return "lexical"
    return "dense" if query.mode == "dense" else "hybrid"


def _best(view: View, ranking: Ranking, limit: int, root: str) -> tuple[Hit, ...]:
    """The best `limit` nodes; ties by path and place, so that one snapshot has one order."""
    limit = min(max(0, limit), len(ranking.nodes))
    if not limit:
        return ()
    scores = np.round(np.asarray(ranking.scores, np.float64), 9)
    found = _found(view, ranking, top_k(scores, limit).tolist(), root)
    found.sort(key=lambda hit: (-round(hit[1], 9), hit[0].path, hit[0].span.start))
    return tuple(
        Hit(node, rank, score, why) for rank, (node, score, why) in enumerate(found[:limit], 1)
    )


def _found(
    view: View, ranking: Ranking, chosen: Sequence[int], root: str
) -> list[tuple[NodeRef, float, tuple[Signal, ...]]]:
    """Each of the nodes `ranking.nodes[i]` with its score and the reasons that add up to it."""
    node_ids = view.candidates.node_ids[ranking.nodes[chosen]].tolist()
    return [
        (
            view.snapshot.ref(node_id, root),
            math.fsum([weight * value for _, value, weight in why]),
            why,
        )
        for node_id, why in zip(node_ids, ranking.why(chosen), strict=True)
    ]
