"""Results and states as JSON objects, the same for every front.

Lines are 1-based and inclusive here, paths relative to their root with `/`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from packhound.core.types import (
    Hit,
    NodeId,
    NodeRef,
    Query,
    Results,
    Signal,
    Span,
    State,
    Status,
)
from packhound.pack.request import Omitted, Pack, PackItem, PackRequest

Json: TypeAlias = dict[str, object]
Place: TypeAlias = Callable[[NodeRef], Mapping[str, object]]
"""What a front adds to a hit, such as its URI."""

_QUERY_FIELDS = ("text", "limit", "mode", "kinds", "languages", "paths")
_REQUEST_FIELDS = (
    *("prompt", "budget", "reserve", "pinned", "excluded", "model", "tokenizer", "format"),
    "conversation",
)

# The state that a user should hear of first when several folders differ.
_URGENCY: tuple[State, ...] = ("indexing", "starting", "degraded", "ready", "closed")


def results_json(results: Results, place: Place | None = None) -> Json:
    """The answer to a query."""
    return {
        "query": results.query,
        "hits": [hit_json(hit, place) for hit in results.hits],
        "truncated": results.truncated,
        "generation": results.generation,
        "took_ms": round(results.took_ms, 3),
        "candidates": results.candidates,
        "notes": list(results.notes),
    }


def query_json(query: Query) -> Json:
    """A query as it crosses to another process."""
    return {name: getattr(query, name) for name in _QUERY_FIELDS}


def query_of(given: Mapping[str, Any]) -> Query:
    """The query of such an object. Raises KeyError, TypeError or ValueError for any other."""
    return Query(
        text=str(given["text"]),
        limit=int(given["limit"]),
        mode=given["mode"],
        kinds=tuple(given["kinds"]),
        languages=tuple(map(str, given["languages"])),
        paths=tuple(map(str, given["paths"])),
    )


def results_of(answer: Mapping[str, Any]) -> Results:
    """Results read back from their object; what it does not say of a node is left empty."""
    hits = tuple(
        Hit(
            node=NodeRef(
                root="",
                path=hit["path"],
                language="",
                kind=hit["kind"],
                name=hit["name"],
                qualname=hit["qualname"],
                signature="",
                doc="",
                span=Span(0, 0, hit["start_line"] - 1, hit["end_line"] - 1),
                generation=answer["generation"],
                node_id=NodeId(-1),
            ),
            rank=hit["rank"],
            score=hit["score"],
            why=tuple(Signal(s["signal"], s["value"], s["weight"]) for s in hit["why"]),
        )
        for hit in answer["hits"]
    )
    plain = ("query", "truncated", "generation", "took_ms", "candidates")
    return Results(hits=hits, notes=tuple(answer["notes"]), **{key: answer[key] for key in plain})


def hit_json(hit: Hit, place: Place | None = None) -> Json:
    """One hit with its reasons; the contributions add up to the score."""
    node = hit.node
    return {
        "rank": hit.rank,
        "score": hit.score,
        "path": node.path,
        "start_line": node.span.start_line + 1,
        "end_line": node.span.end_line + 1,
        "kind": node.kind,
        "name": node.name,
        "qualname": node.qualname,
        "why": [signal_json(signal) for signal in hit.why],
        **(place(node) if place else {}),
    }


def signal_json(signal: Signal) -> Json:
    """One reason for a score."""
    return {
        "signal": signal.signal,
        "value": signal.value,
        "weight": signal.weight,
        "contribution": signal.contribution,
    }


def status_json(status: Status) -> Json:
    """The state of one folder's index."""
    return {
        "state": status.state,
        "root": status.root,
        "generation": status.generation,
        "pending": status.pending,
        "files": status.files,
        "nodes": status.nodes,
        "languages": dict(status.languages),
        "vectors": status.vectors,
        "dense": status.dense,
        "dead_share": status.dead_share,
        "recall": status.recall,
        "model": status.model,
        "writer": status.writer,
        "notes": list(status.notes),
    }


def workspace_json(statuses: Sequence[Status], notes: Sequence[str] = ()) -> Json:
    """The state of all folders as one, and of each under `roots`."""
    languages = Counter[str]()
    for status in statuses:
        languages.update(status.languages)
    recalls = [status.recall for status in statuses if status.recall is not None]
    every_note = dict.fromkeys([*notes, *(note for s in statuses for note in s.notes)])
    return {
        "state": min((s.state for s in statuses), key=_URGENCY.index, default="ready"),
        "generation": sum(s.generation for s in statuses),
        "pending": sum(s.pending for s in statuses),
        "files": sum(s.files for s in statuses),
        "nodes": sum(s.nodes for s in statuses),
        "languages": dict(languages.most_common()),
        "vectors": sum(s.vectors for s in statuses),
        "dead_share": max((s.dead_share for s in statuses), default=0.0),
        "recall": min(recalls, default=None),
        "notes": list(every_note),
        "roots": [status_json(status) for status in statuses],
    }


def pack_json(pack: Pack) -> Json:
    """A context pack; `text` is what to send."""
    return {
        "tokens": pack.tokens,
        "budget": pack.budget,
        "items": [
            {
                "path": item.path,
                "start_line": item.start_line + 1,
                "end_line": item.end_line + 1,
                "detail": item.detail,
                "tokens": item.tokens,
                "score": item.score,
                "reason": item.reason,
            }
            for item in pack.items
        ],
        "omitted": [
            {"path": left.path, "name": left.name, "reason": left.reason} for left in pack.omitted
        ],
        "text": pack.text,
        "notes": list(pack.notes),
    }


def pack_of(answer: Mapping[str, Any]) -> Pack:
    """A pack read back from its object."""
    items = (PackItem(**row) for row in answer["items"])
    return Pack(
        tokens=answer["tokens"],
        budget=answer["budget"],
        items=tuple(
            replace(item, start_line=item.start_line - 1, end_line=item.end_line - 1)
            for item in items
        ),
        omitted=tuple(Omitted(**row) for row in answer["omitted"]),
        text=answer["text"],
        notes=tuple(answer["notes"]),
    )


def request_json(request: PackRequest) -> Json:
    """What a pack is asked for with, as it crosses to another process; without a focus."""
    return {name: getattr(request, name) for name in _REQUEST_FIELDS}


def request_of(given: Mapping[str, Any]) -> PackRequest:
    """The request of such an object. Raises KeyError, TypeError or ValueError for any other."""
    return PackRequest(
        prompt=str(given["prompt"]),
        budget=int(given["budget"]),
        reserve=int(given["reserve"]),
        pinned=tuple(map(str, given["pinned"])),
        excluded=tuple(map(str, given["excluded"])),
        model=str(given["model"]),
        tokenizer=str(given["tokenizer"]),
        format=given["format"],
        conversation=str(given["conversation"]),
    )
