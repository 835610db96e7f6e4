"""The index of one source's records: rows in, immutable snapshots out.

Records whose digest did not change keep their terms and their vector. A snapshot is made of the
rows of all records at once, so an index that was updated equals one that was built anew.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from packhound.core.arrays import Floats, Ints, Mask
from packhound.core.records import Record
from packhound.sources.protocol import TextEncoder
from packhound.sources.record_snapshot import RecordSnapshot, make_snapshot
from packhound.text import terms

MAX_CHARACTERS = 2_000
"""An encoder reads no further, as in code."""
_MAX_INDEXED = 200_000
"""Characters of a record whose words are indexed."""
_TITLE_COUNT = 1
"""How often a term of the title counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A record, its terms and its vector, None until it was encoded.

    `terms` are ids of distinct terms, `counts` how often they occur, `in_title` which of them are
    in the title.
    """

    record: Record
    digest: bytes
    terms: Ints
    counts: Floats
    in_title: Mask
    vector: Floats | None = None


class RecordIndex:
    """Words and vectors of the records of one source. One thread at a time updates."""

    def __init__(self, fingerprint: str = "") -> None:
        """Begin empty; vectors of the encoder with this fingerprint may be reused."""
        self._rows: dict[str, Row] = {}
        self._positions: dict[str, int] = {}
        self._term_ids: dict[str, int] = {}
        self.fingerprint = fingerprint
        self.snapshot: RecordSnapshot = make_snapshot((), {}, ())

    def update(self, records: Iterable[Record], vectors: Mapping[bytes, Floats]) -> int:
        """Replace all records; return how many of them are new or changed.

        `vectors` of earlier indexes are reused by digest.
        """
        before, n_changed, records = self._rows, 0, [*records]
        self._rows = {}
        self._positions = {record.id: position for position, record in enumerate(records)}
        for record in sorted(records, key=lambda record: record.id):
            row = before.get(record.id)
            if row is not None and row.record is record:
                self._rows[record.id] = row
                continue
            digest = digest_of(record)
            if row is None or row.digest != digest:
                row = self._row(record, digest)
                row = replace(row, vector=vectors.get(digest))
                n_changed += 1
            elif row.record != record:
                row = replace(row, record=record)
            self._rows[record.id] = row
        self._publish()
        return n_changed

    def embed(self, encoder: TextEncoder, limit: int) -> int:
        """Encode up to `limit` records that lack a vector; return how many. Raises ModelError."""
        if encoder.fingerprint != self.fingerprint:
            self._forget_vectors()
            self.fingerprint = encoder.fingerprint
        pending = [row for row in self._rows.values() if row.vector is None][:limit]
        if not pending:
            return 0
        vectors = encoder.encode([text_of(row.record) for row in pending])
        for row, vector in zip(pending, vectors, strict=True):
            self._rows[row.record.id] = replace(row, vector=vector)
        self._publish()
        return len(pending)

    def _forget_vectors(self) -> None:
        self._rows = {key: replace(row, vector=None) for key, row in self._rows.items()}

    def vectors(self) -> dict[bytes, Floats]:
        """Return the vectors by the digests of their records."""
        return {r.digest: r.vector for r in self._rows.values() if r.vector is not None}

    def _publish(self) -> None:
        positions = [self._positions[key] for key in self._rows]
        self.snapshot = make_snapshot(tuple(self._rows.values()), self._term_ids, positions)

    def _row(self, record: Record, digest: bytes) -> Row:
        title_terms = frozenset(terms(record.title))
        counts = Counter(terms(f"{record.text[:_MAX_INDEXED]} {' '.join(record.tags)}"))
        for term in title_terms:
            counts[term] += _TITLE_COUNT
        ids = [self._term_ids.setdefault(term, len(self._term_ids)) for term in counts]
        return Row(
            record,
            digest,
            np.array(ids, np.int32),
            np.array([*counts.values()], np.float32),
            np.array([term in title_terms for term in counts], np.bool_),
        )


def text_of(record: Record) -> str:
    """Return what an encoder reads of a record."""
    return f"{record.title}\n{record.text}"[:MAX_CHARACTERS]


def digest_of(record: Record) -> bytes:
    """Return the identity of a record's terms and vector."""
    parts = (record.title, record.text, *record.tags)
    framed = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.blake2b(framed.encode("utf-8", "surrogatepass"), digest_size=16).digest()
