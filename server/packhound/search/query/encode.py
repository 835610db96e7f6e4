"""Query text to vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from packhound.core.arrays import Floats
from packhound.core.errors import ModelError
from packhound.core.trace import traced
from packhound.core.types import Mode
from packhound.index import Snapshot
from packhound.search.query.parse import ParsedQuery

_MAX_TEXT = 2_000
_MAX_CODE = 3_000
"""Characters of a long report that are encoded, and of the code in it."""
_NEARLY_ALL = 0.95
"""Share of the nodes with vectors from which on an answer does not say how many they are."""


class QueryEncoder(Protocol):
    """The part of an embedding model that a search needs."""

    def encode_query(self, text: str) -> Floats:
        """Return a unit vector. Raises ModelError."""


@dataclass(frozen=True, slots=True, eq=False)
class QueryVectors:
    """Unit vectors of a query: of its text and, for a bug report, of its title and its code.

    `code` is `title` where the report quotes no code. None where there is nothing to compare with.
    """

    text: Floats | None = None
    title: Floats | None = None
    code: Floats | None = None


@traced("encode")
def encode(
    parsed: ParsedQuery,
    mode: Mode,
    snapshot: Snapshot,
    encoder: QueryEncoder | None,
    *,
    enabled: bool = True,
) -> tuple[QueryVectors, tuple[str, ...]]:
    """Encode a query; without vectors a note says why, unless they are not enabled."""
    if mode == "lexical" or (mode == "hybrid" and not enabled):
        return QueryVectors(), ()
    if not enabled:
        return QueryVectors(), ("meaning.enabled is off: ranked by words alone",)
    if encoder is None:
        return QueryVectors(), ("no embedding model: ranked by words alone",)
    if not snapshot.has_vector.any():
        note = "no vectors yet: ranked by words alone"
        return QueryVectors(), (note,) if snapshot.files else ()
    try:
        vectors = _encode_parts(parsed, encoder)
    except ModelError as problem:
        return QueryVectors(), (f"ranked by words alone: {problem}",)
    if not np.any(vectors.text):
        note = "the embedding model knows no word of the query: ranked by words alone"
        return QueryVectors(), (note,)
    n_vectors = int(np.count_nonzero(snapshot.vectors.usable))
    if n_vectors < _NEARLY_ALL * snapshot.n_nodes:
        note = f"{n_vectors:,} of {snapshot.n_nodes:,} definitions are indexed by meaning so far"
        return vectors, (note,)
    return vectors, ()


def _encode_parts(parsed: ParsedQuery, encoder: QueryEncoder) -> QueryVectors:
    text = encoder.encode_query(parsed.text[:_MAX_TEXT])
    if parsed.kind != "report":
        return QueryVectors(text)
    title = encoder.encode_query(parsed.title)
    code = encoder.encode_query(parsed.code[:_MAX_CODE]) if parsed.code else title
    return QueryVectors(text, title, code)
