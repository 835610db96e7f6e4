"""Nodes and hits as rows of JSON, with the lines of code that answer the query."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from packhound.api.json_codec import Json, hit_json
from packhound.api.tools.references import reference_of
from packhound.api.tools.text import numbered
from packhound.core.types import Hit, NodeRef, Results
from packhound.redact import safe_line
from packhound.search import STOPS
from packhound.service import Engine
from packhound.text import terms

_MAX_LINES = 2_000
"""Lines of a node that are compared with the query."""
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
    query_terms = frozenset(terms(results.query)) - STOPS
    excerpts = engine.excerpts()

    def row(hit: Hit) -> Json:
        excerpt = excerpts.of(hit.node.path) if snippet_lines else None
        entry = engine.snapshot.files.get(hit.node.path)
        snippet = ""
        if excerpt and entry and hit.node.generation == engine.snapshot.generation:
            name_line, doc = excerpt.name_and_doc(entry, entry.position(hit.node.node_id))
            first, end = hit.node.span.start_line, hit.node.span.end_line + 1
            lines = dict(enumerate(excerpt.lines[first : min(end, first + _MAX_LINES)], first))
            chosen = choose_lines(lines, snippet_lines, query_terms, name_line, doc)
            snippet = numbered((number + 1, excerpt.lines[number]) for number in chosen)
        answer = {key: v for key, v in hit_json(hit).items() if key not in _UNUSED_KEYS}
        siblings = [node_row(sibling) for sibling in hit.siblings]
        reference = hit.record.reference if hit.record else reference_of(engine, hit.node)
        return {
            **answer,
            **_names(hit.node),
            "ref": safe_line(reference),
            "siblings": siblings,
            "snippet": snippet,
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


def choose_lines(
    lines: Mapping[int, str],
    n: int,
    query_terms: frozenset[str],
    name_line: int,
    doc: Collection[int],
) -> Sequence[int]:
    """Return the numbers of at most `n` lines: the one with the name, and those that match.

    A line of comment is chosen only for query terms that no line of code has. What room is left
    goes to the code below the best match.
    """
    matches = {number: query_terms.intersection(terms(line)) for number, line in lines.items()}
    frequency = Counter(term for matched in matches.values() for term in matched)
    weight = {term: math.log1p(len(lines) / count) for term, count in frequency.items()}
    chosen = [name_line] if name_line in lines else []
    missing = set(frequency).difference(*(matches[number] for number in chosen))
    while missing and len(chosen) < n:
        best = max(
            matches,
            key=lambda number: (
                sum(weight[term] for term in matches[number] & missing),
                number not in doc,
                -number,
            ),
        )
        chosen.append(best)
        missing -= matches[best]
    # The best match is the first beside the name.
    start = chosen[1] if len(chosen) > 1 else name_line
    code = [number for number in lines if number not in doc and lines[number].strip()]
    room = (number for number in code if number > start and number not in chosen)
    chosen += [number for _, number in zip(range(n - len(chosen)), room, strict=False)]
    return sorted(chosen)


def _names(node: NodeRef) -> Json:
    """Return a node's names without secrets: a signature has values, and a heading any text."""
    return {
        "name": safe_line(node.name),
        "qualname": safe_line(node.qualname),
        "signature": safe_line(node.signature),
    }
