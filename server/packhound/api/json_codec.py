"""Results, packs and states as JSON objects, the same for every client.

Lines are 1-based and inclusive here, paths relative to their root with `/`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from packhound.api.record_json import marks_of, record_of, source_json
from packhound.api.schema import QUERY, query_from
from packhound.core.line_history import LineHistory
from packhound.core.records import iso_date
from packhound.core.settings_files import SettingsInForce
from packhound.core.status import SourceRow, State, Status
from packhound.core.types import (
    CellPlace,
    Explanation,
    Focus,
    Hit,
    NodeId,
    NodeRef,
    Query,
    Results,
    Signal,
    SignalGroup,
    Span,
)
from packhound.pack import PackFocus
from packhound.search import phrase, signals_by_group, word_of

Json: TypeAlias = dict[str, object]
Row: TypeAlias = Mapping[str, Any]
"""Such an object as it is read."""
Arguments: TypeAlias = dict[str, Any]
"""Checked arguments of a tool."""
Locate: TypeAlias = Callable[[NodeRef], Mapping[str, object]]
"""Fields that a client's protocol adds to a hit, such as its URI."""

_GROUP_KEYS = ("value", "contribution", "above_average", "rank_without", "text")

# The state to show when several folders differ.
_BY_URGENCY: tuple[State, ...] = ("indexing", "starting", "degraded", "ready", "closed")


def results_json(results: Results, locate: Locate | None = None) -> Json:
    """Return the answer to a query."""
    return {
        "query": results.query,
        "hits": [hit_json(hit, locate) for hit in results.hits],
        "truncated": results.truncated,
        "generation": results.generation,
        "took_ms": round(results.took_ms, 3),
        "candidates": results.candidates,
        "notes": list(results.notes),
        "confidence": results.confidence,
        "confidence_word": results.confidence_word,
    }


def query_json(query: Query) -> Json:
    """Return a query for `query_of`."""
    fields = {name: getattr(query, name) for name in QUERY if name != "query"}
    return {"text": query.text, **fields, **focus_json(query.focus)}


def query_of(request: Mapping[str, object]) -> Query:
    """Return the query of such an object. Raises SettingsError."""
    return query_from({**request, "query": request.get("text")})


def results_of(answer: Mapping[str, Any]) -> Results:
    """Return results read back from their object; fields of a node that it lacks are empty."""
    hits = tuple(
        Hit(
            node=_node_of(hit, answer["generation"]),
            rank=hit["rank"],
            score=hit["score"],
            why=tuple(Signal(s["signal"], s["value"], s["weight"]) for s in hit["why"]),
            siblings=tuple(_node_of(row, answer["generation"]) for row in hit["siblings"]),
            confidence=hit.get("confidence"),
            explanation=_explanation_of(hit),
            record=record_of(hit),
            notes=marks_of(hit),
            git=_git_of(hit),
            cell=CellPlace(**hit["cell"]) if "cell" in hit else None,
            snippet=tuple((row["line"] - 1, row["text"]) for row in hit.get("snippet", ())),
        )
        for hit in answer["hits"]
    )
    same_names = ("query", "truncated", "generation", "took_ms", "candidates")
    return Results(
        hits=hits,
        notes=tuple(answer["notes"]),
        confidence=answer.get("confidence"),
        confidence_word=answer.get("confidence_word"),
        **{key: answer[key] for key in same_names},
    )


def _node_of(row: Mapping[str, Any], generation: int) -> NodeRef:
    return NodeRef(
        root="",
        path=row["path"],
        language="",
        kind=row["kind"],
        name=row["name"],
        qualname=row["qualname"],
        signature="",
        doc="",
        span=Span(0, 0, row["start_line"] - 1, row["end_line"] - 1),
        generation=generation,
        node_id=NodeId(-1),
    )


def _explanation_of(hit: Mapping[str, Any]) -> Callable[[], Explanation]:
    groups = tuple(SignalGroup(row["group"], *map(row.get, _GROUP_KEYS)) for row in hit["groups"])
    explanation = Explanation(tuple(hit["reasons"]), groups, hit["counterfactual"], hit["line"])
    return lambda: explanation


def hit_json(hit: Hit, locate: Locate | None = None) -> Json:
    """Return one hit: `reasons` in words, and `why`, whose contributions add up to the score."""
    node, explanation = hit.node, hit.explanation()
    return {
        "rank": hit.rank,
        "score": hit.score,
        "confidence": hit.confidence,
        "confidence_word": None if hit.confidence is None else word_of(hit.confidence),
        "path": node.path,
        "start_line": node.span.start_line + 1,
        "end_line": node.span.end_line + 1,
        "kind": node.kind,
        "name": node.name,
        "qualname": node.qualname,
        "ref": _reference(node),
        "why": [signal_json(signal) for signal in hit.why],
        "siblings": [_sibling_json(sibling, locate) for sibling in hit.siblings],
        "line": explanation.line,
        "reasons": list(explanation.reasons),
        "groups": [_group_json(group) for group in explanation.groups],
        "counterfactual": explanation.counterfactual,
        **({"cell": hit.cell._asdict()} if hit.cell else {}),
        **source_json(hit),
        **({"git": _git_json(hit.git)} if hit.git else {}),
        **({"snippet": _snippet_json(hit.snippet)} if hit.snippet else {}),
        **(locate(node) if locate and node.path else {}),
    }


def _git_json(git: LineHistory) -> Json:
    return {
        "state": git.state,
        "commits": git.commits,
        "last_change": iso_date(git.last_change) if git.last_change else None,
        "last_change_time": git.last_change,
        "stale": git.is_stale,
        "text": git.describe(),
    }


def _snippet_json(snippet: Sequence[tuple[int, str]]) -> list[Json]:
    return [{"line": line + 1, "text": text} for line, text in snippet]


def _git_of(hit: Mapping[str, Any]) -> LineHistory | None:
    row = hit.get("git")
    return LineHistory(row["state"], row["commits"], row["last_change_time"]) if row else None


def _reference(node: NodeRef) -> str:
    """Return what `packhound show` takes; empty for a record of another source."""
    suffix = f"#{node.qualname}" if node.qualname else f":{node.span.start_line + 1}"
    return f"{node.path}{suffix}" if node.path else ""


def explanation_json(hit: Hit, locate: Locate | None = None) -> Json:
    """Return one hit whose groups have their signals, each in a sentence."""
    by_group = signals_by_group(hit)
    groups = [
        {
            **_group_json(group),
            "signals": [
                {**signal_json(signal), "text": phrase(signal)} for signal in by_group[group.name]
            ],
        }
        for group in hit.explanation().groups
    ]
    return {**hit_json(hit, locate), "groups": groups}


def _group_json(group: SignalGroup) -> Json:
    return {"group": group.name, **{key: getattr(group, key) for key in _GROUP_KEYS}}


def _sibling_json(node: NodeRef, locate: Locate | None) -> Json:
    """Return a further definition of a hit's file that answers too."""
    return {
        "path": node.path,
        "start_line": node.span.start_line + 1,
        "end_line": node.span.end_line + 1,
        "kind": node.kind,
        "name": node.name,
        "qualname": node.qualname,
        **(locate(node) if locate else {}),
    }


def signal_json(signal: Signal) -> Json:
    """Return one reason for a score."""
    return {
        "signal": signal.signal,
        "value": signal.value,
        "weight": signal.weight,
        "contribution": signal.contribution,
    }


def settings_json(in_force: SettingsInForce) -> Json:
    """Return every setting in force with its origin, and the problems of settings files."""
    return {"settings": in_force.rows(), "problems": list(in_force.problems)}


def status_json(status: Status) -> Json:
    """Return the state of one folder's index."""
    return {
        "state": status.state,
        "root": status.root,
        "generation": status.generation,
        "pending": status.pending,
        "files": status.files,
        "nodes": status.nodes,
        "languages": dict(status.languages),
        "kinds": dict(status.kinds),
        "failed_vectors": status.n_failed,
        "disk_bytes": status.disk_bytes,
        "vectors": status.vectors,
        "deep_vectors": status.deep_vectors,
        "dense": status.dense,
        "dead_share": status.dead_share,
        "recall": status.recall,
        "drift": asdict(status.drift),
        "model": status.model,
        "writer": status.writer,
        "notes": list(status.notes),
        "sources": [_source_json(row) for row in status.sources],
    }


def _source_json(row: SourceRow) -> Json:
    return {**row._asdict(), "changed": iso_date(row.changed), "problems": list(row.problems)}


def workspace_json(statuses: Sequence[Status], notes: Sequence[str] = ()) -> Json:
    """Return the state of all folders as one, and of each under `roots`."""
    languages, kinds = Counter[str](), Counter[str]()
    for status in statuses:
        languages.update(status.languages)
        kinds.update(status.kinds)
    recalls = [status.recall for status in statuses if status.recall is not None]
    all_notes = dict.fromkeys([*notes, *(note for s in statuses for note in s.notes)])
    return {
        "state": min((s.state for s in statuses), key=_BY_URGENCY.index, default="ready"),
        "generation": sum(s.generation for s in statuses),
        "pending": sum(s.pending for s in statuses),
        "files": sum(s.files for s in statuses),
        "nodes": sum(s.nodes for s in statuses),
        "languages": dict(languages.most_common()),
        "kinds": dict(kinds.most_common()),
        "failed_vectors": sum(s.n_failed for s in statuses),
        "disk_bytes": sum(s.disk_bytes for s in statuses),
        "vectors": sum(s.vectors for s in statuses),
        "dead_share": max((s.dead_share for s in statuses), default=0.0),
        "recall": min(recalls, default=None),
        "notes": list(all_notes),
        "roots": [status_json(status) for status in statuses],
    }


def focus_json(focus: Focus | PackFocus | None) -> Json:
    """Return a focus as `focus_position` reads it; a selection and open files stay behind."""
    return {"focus_path": focus.path, "focus_line": focus.line + 1} if focus else {}
