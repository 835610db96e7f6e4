"""Nodes like a node."""

from __future__ import annotations

import threading
from dataclasses import replace

from packhound.core.settings_reader import changed
from packhound.core.types import Query, Results
from packhound.index import Snapshot
from packhound.search.environment import SearchEnvironment
from packhound.search.explainer import explain_hits
from packhound.search.order import rank_hits
from packhound.search.pipeline import best_hits, retrieve_context
from packhound.search.query.encode import QueryVectors
from packhound.search.query.parse import parse_query
from packhound.search.rank.fusion import rank
from packhound.search.rank.linear import Source
from packhound.search.run import SearchRun


def related(
    snapshot: Snapshot,
    path: str,
    line: int,
    query: Query,
    environment: SearchEnvironment,
    cancel: threading.Event | None = None,
) -> Results:
    """Return nodes like the one at a 0-based line: by meaning, or without a vector by words.

    `query` has the limit and the budget; its text is the name of the answer. Raises Cancelled.
    """
    run = SearchRun(query, cancel)
    node_id = snapshot.node_id_at(path, line)
    if node_id is None:
        note = f"there is no indexed code at {path}:{line + 1}"
        return Results(query.text, (), False, snapshot.generation, 0.0, 0, (note,))
    node = snapshot.node(node_id)
    parsed = replace(parse_query(replace(query, text=f"{node.name}\n{node.doc}")), kind="prose")
    vectors = QueryVectors(snapshot.vector(node_id) if snapshot.has_vector[node_id] else None)
    context = retrieve_context(snapshot, query, parsed, vectors, environment)
    run.check()
    source: Source = "lexical" if vectors.text is None else "dense"
    ranking = rank(
        context,
        changed(environment.settings, {"search.fuser": "linear"}),
        "node",
        source,
        query.limit + 1,
    )
    hits = best_hits(context, ranking, query.limit + 1, environment.root)
    hits = rank_hits((hit for hit in hits if hit.node.node_id != node_id), query.limit)
    explanations = explain_hits(context, ranking, "node", hits, environment.text_of, node_id)
    hits = tuple(replace(hit, explanation=e) for hit, e in zip(hits, explanations, strict=True))
    run.notes += parsed.notes
    return run.results(hits, len(context.candidates), snapshot.generation)
