"""One immutable state of a source's records, and how it ranks them.

score = (words + meaning) * title * recency * state: BM25 as a share of what a record could have,
the cosine, a boost if the title has a term of the query, one for recent records, and less for those
whose code has changed. Each of them is a signal, and the signals add up to the score.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from packhound.core.arrays import Doubles, Floats, Ints, LongInts, Mask, top_k
from packhound.core.records import RECORD_TYPES, Record, Scope
from packhound.core.types import SignalValue
from packhound.text import aggressive_stem

if TYPE_CHECKING:
    from packhound.sources.record_index import Row

K1, B = 1.2, 0.75
WORDS_WEIGHT, MEANING_WEIGHT = 0.5, 0.5
_MIN_MEANING = 0.2 * MEANING_WEIGHT
"""A record without a word of the query must mean at least so much of it."""
TITLE_BOOST, RECENCY_BOOST = 0.2, 0.1
STATE_FACTOR = 0.7
"""Of the score of a record with a state, such as stale."""
SCORE_DIGITS = 9
_TYPE_IDS = {name: number for number, name in enumerate(RECORD_TYPES)}
_STATES_FROM = 20
"""So many records beyond those asked for are tried for a state that lowers them."""


class RecordQuery(NamedTuple):
    """Weighted terms of a query, its vector if there is one, and the records that may answer.

    `now` is the time that recency counts from.
    """

    terms: Sequence[str]
    weights: Sequence[float]
    vector: Floats | None
    scope: Scope
    now: float
    text: str = ""
    """The query without its filters."""
    paths: re.Pattern[str] | None = None
    """Pattern that a path of a record must match, without its first slash."""
    excluded: re.Pattern[str] | None = None
    every: bool = False
    """Whether records far from it in words and meaning may answer too."""

    def selects(self, record: Record) -> bool:
        """Return True if a path of a record passes the filters: its own, or one that it changed."""
        changed = record.metadata.get("paths") if record.type == "commit" else None
        paths = changed if isinstance(changed, list) and changed else [record.path or ""]
        return any(map(self._selects, paths))

    def _selects(self, path: str) -> bool:
        path = path.lstrip("/")
        is_in = self.paths is None or bool(path and self.paths.fullmatch(path))
        return is_in and not (self.excluded and path and self.excluded.fullmatch(path))


class ScoredRecord(NamedTuple):
    """A record, its score, the signals that add up to it, and its state."""

    record: Record
    score: float
    why: tuple[SignalValue, ...]
    state: str


@dataclass(frozen=True, slots=True, eq=False)
class RecordSnapshot:
    """Records by id, their postings (`starts[t]` to `starts[t + 1]` of group `t`), their vectors.

    `types` are positions in `RECORD_TYPES`, `in_title` tells which postings are of a title, and
    `positions` give the source's order, which decides between equal dates.

    `vectors` is [records, dim], zero where a record has none yet, None without any.
    """

    rows: tuple[Row, ...]
    term_ids: Mapping[str, int]
    starts: LongInts
    row_ids: Ints
    counts: Floats
    in_title: Mask
    norms: Floats
    types: Ints
    dates: Doubles
    positions: Ints
    vectors: Floats | None
    n_vectors: int

    def search(
        self, query: RecordQuery, limit: int, state_of: Callable[[Record], str]
    ) -> tuple[list[ScoredRecord], int]:
        """Return the best `limit` records, and the number of candidates.

        A query without words lists what passes its filters, the newest first.
        """
        allowed = self._allowed(query)
        shares, titled = self._words(query)
        words = shares * np.float32(WORDS_WEIGHT)
        meaning = self._meaning(query) * np.float32(MEANING_WEIGHT)
        is_listing = not query.terms and query.vector is None
        every = is_listing or query.every
        candidates = allowed if every else allowed & ((words > 0) | (meaning >= _MIN_MEANING))
        rows = np.flatnonzero(candidates)
        recency = RECENCY_BOOST / (1 + np.maximum(query.now - self.dates[rows], 0) / 86_400)
        base = words[rows] + meaning[rows]
        boosted = base * (1 + TITLE_BOOST * titled[rows])
        scores = recency if is_listing else boosted * (1 + recency)
        n_tried = limit + _STATES_FROM
        if is_listing:
            best = np.lexsort((self.positions[rows], -self.dates[rows]))[:n_tried]
        else:
            best = top_k(scores, n_tried)
        records = [self.rows[row].record for row in rows[best].tolist()]
        states = [*map(state_of, records)]
        factors = [STATE_FACTOR if state else 1.0 for state in states]
        lowered = np.round(scores[best] * factors, SCORE_DIGITS).tolist()
        ties = [b"" if is_listing else stable_hash(record.reference) for record in records]
        order = sorted(range(len(records)), key=lambda n: (-lowered[n], ties[n]))[:limit]
        title = boosted - base
        scored = [
            _scored(records[n], (words[rows[i]], meaning[rows[i]], title[i], scores[i]), states[n])
            for n in order
            for i in [best[n]]
        ]
        return scored, len(rows)

    def _allowed(self, query: RecordQuery) -> Mask:
        """Return the mask of the records that pass the filters."""
        scope = query.scope
        types = scope.record_types
        of_type = np.array([name in types for name in RECORD_TYPES], np.bool_)
        allowed = of_type[self.types] & (self.dates >= scope.since) & (self.dates < scope.before)
        if scope.tags:
            tags = set(scope.tags)
            tagged = (not tags.isdisjoint(map(str.lower, row.record.tags)) for row in self.rows)
            allowed &= np.fromiter(tagged, np.bool_, len(self.rows))
        if query.paths or query.excluded:
            selected = (query.selects(row.record) for row in self.rows)
            allowed &= np.fromiter(selected, np.bool_, len(self.rows))
        return np.asarray(allowed)

    def _words(self, query: RecordQuery) -> tuple[Floats, Mask]:
        """Return BM25 of all records as a share of the best, and who has a term in the title."""
        n, total = len(self.rows), 0.0
        scores, titled = np.zeros(n, np.float32), np.zeros(n, np.bool_)
        groups = map(aggressive_stem, query.terms)
        for group, weight in dict(zip(groups, query.weights, strict=True)).items():
            term_id = self.term_ids.get(group, -1)
            is_indexed = 0 <= term_id < len(self.starts) - 1
            rows = (
                slice(*self.starts[term_id : term_id + 2].tolist()) if is_indexed else slice(0, 0)
            )
            n_with = rows.stop - rows.start
            idf = np.log1p((n - n_with + 0.5) / (n_with + 0.5)) * weight
            counts, ids = self.counts[rows], self.row_ids[rows]
            scores[ids] += np.float32(idf) * counts / (counts + self.norms[ids])
            titled[ids[self.in_title[rows]]] = True
            total += float(idf)
        return np.asarray(scores / np.float32(total or 1.0)), titled

    def _meaning(self, query: RecordQuery) -> Floats:
        """Return the cosines of all records, 0 for those that point away or lack a vector."""
        if query.vector is None or self.vectors is None:
            return np.zeros(len(self.rows), np.float32)
        # BLAS would start threads, which takes longer than ten thousand products.
        cosines = np.einsum("ij,j->i", self.vectors, query.vector)
        return np.asarray(np.maximum(cosines, np.float32(0)))


def is_near(scored: ScoredRecord) -> bool:
    """Return True if a record has a word of the query, or is near it in meaning."""
    values = {signal.signal: signal.value for signal in scored.why}
    return "record_words" in values or values.get("record_meaning", 0.0) >= _MIN_MEANING


def sort_key(scored: ScoredRecord) -> tuple[float, bytes]:
    """Return the key that sorts records best first, ties by a stable hash."""
    return -round(scored.score, SCORE_DIGITS), stable_hash(scored.record.reference)


def stable_hash(reference: str) -> bytes:
    """Return a hash of a reference, the same in every process."""
    return hashlib.blake2b(reference.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def make_snapshot(
    rows: tuple[Row, ...], term_ids: Mapping[str, int], positions: Sequence[int]
) -> RecordSnapshot:
    """Return the snapshot of rows; those of equal term are in their order."""
    terms = np.concatenate([np.zeros(0, np.int32), *(row.terms for row in rows)])
    counts = np.concatenate([np.zeros(0, np.float32), *(row.counts for row in rows)])
    in_title = np.concatenate([np.zeros(0, np.bool_), *(row.in_title for row in rows)])
    sizes = np.array([len(row.terms) for row in rows], np.int64)
    row_ids = np.repeat(np.arange(len(rows), dtype=np.int32), sizes)
    # No two keys are equal, so that the fastest sort is as good as a stable one.
    order = np.argsort(terms * np.int64(len(rows)) + row_ids)
    lengths = np.bincount(row_ids, counts, len(rows)).astype(np.float32)
    average = float(lengths.mean()) if len(rows) else 1.0
    return RecordSnapshot(
        rows=rows,
        term_ids=dict(term_ids),
        starts=np.searchsorted(terms[order], np.arange(len(term_ids) + 1)).astype(np.int64),
        row_ids=row_ids[order],
        counts=counts[order],
        norms=np.asarray(K1 * (1 - B + B * lengths / (average or 1.0)), np.float32),
        in_title=in_title[order],
        types=np.array([_TYPE_IDS[row.record.type] for row in rows], np.int32),
        dates=np.array([row.record.date for row in rows], np.float64),
        positions=np.array(positions, np.int32),
        vectors=_stack_vectors(rows),
        n_vectors=sum(row.vector is not None for row in rows),
    )


def _stack_vectors(rows: Sequence[Row]) -> Floats | None:
    dim = next((len(row.vector) for row in rows if row.vector is not None), 0)
    if not dim:
        return None
    zero = np.zeros(dim, np.float16)
    joined = np.concatenate([zero if row.vector is None else row.vector for row in rows])
    return joined.reshape(len(rows), dim).astype(np.float32)


def _scored(record: Record, parts: Sequence[np.floating], state: str) -> ScoredRecord:
    """Return a record with its score as a sum; `parts` are words, meaning, title and the sum."""
    words, meaning, title, total = map(float, parts)
    values = {
        "record_words": words,
        "record_meaning": meaning,
        "record_title": title,
        "record_recency": total - words - meaning - title,
        "record_state": (STATE_FACTOR - 1) * total if state else 0.0,
    }
    why = tuple(SignalValue(name, value, 1.0) for name, value in values.items() if value)
    return ScoredRecord(record, sum(signal.contribution for signal in why), why, state)
