"""Nodes and hits as rows of JSON, with the lines of code that answer the query."""

from __future__ import annotations

from packhound.api.json_codec import Json, hit_json
from packhound.api.tools.references import reference_of
from packhound.api.tools.text import number_lines
from packhound.core.types import Hit, NodeRef, Results
from packhound.redact import safe_line
from packhound.service import Engine, snippet, words_of

_UNUSED_KEYS = ("why", "groups", "counterfactual", "line")


def node_row(node: NodeRef) -> Json:
    """Return a node: its place and its names."""
    return {
        "path": node.path,
        "start_line": node.span.start_line + 1,
        "end_line": node.span.end_line + 1,
        "kind": node.kind,
        **_names(node),
    }


def page(engine: Engine, results: Results, offset: int, limit: int, snippet_lines: int) -> Json:
    """Return hits from `offset` on, each with at most `snippet_lines` numbered lines of code."""
    query_terms, excerpts = words_of(results.query), engine.excerpts()

    def row(hit: Hit) -> Json:
        lines = snippet(excerpts, engine.snapshot, hit, query_terms, snippet_lines)
        answer = {key: v for key, v in hit_json(hit).items() if key not in _UNUSED_KEYS}
        siblings = [node_row(sibling) for sibling in hit.siblings]
        reference = hit.record.reference if hit.record else reference_of(engine, hit.node)
        return {
            **answer,
            **_names(hit.node),
            "ref": safe_line(reference),
            "siblings": siblings,
            "snippet": number_lines((line + 1, text) for line, text in lines),
        }

    return {
        "hits": [row(hit) for hit in results.hits[offset : offset + limit]],
        "offset": offset,
        "next_offset": offset + limit if len(results.hits) > offset + limit else -1,
        "truncated": results.truncated,
        "generation": results.generation,
        "notes": list(results.notes),
        "confidence": results.confidence,
        "confidence_word": results.confidence_word,
    }


def _names(node: NodeRef) -> Json:
    """Return a node's names without secrets: a signature has values, and a heading any text."""
    return {
        "name": safe_line(node.name),
        "qualname": safe_line(node.qualname),
        "signature": safe_line(node.signature),
    }
