"""The index of one source's records: rows in, immutable snapshots out.

Records whose digest did not change keep their terms and their vector. A snapshot is made of the
rows of all records at once, so an index that was updated equals one that was built anew.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from packhound.core.arrays import Floats, HalfFloats, Ints, Mask
from packhound.core.records import Record
from packhound.sources.protocol import TextEncoder
from packhound.sources.record_snapshot import RecordSnapshot, make_snapshot
from packhound.text import aggressive_stem, terms

MAX_CHARACTERS = 2_000
"""An encoder reads no further, as in code."""
_MAX_INDEXED = 200_000
"""Characters of a record whose words are indexed."""
_MAX_UNUSED = 10_000
"""Terms without a record that are remembered beside as many as are in use."""
_TITLE_COUNT = 1
"""How often a term of the title counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A record, its terms and its vector, None until it was encoded.

    `terms` are ids of distinct stem groups, `counts` how often they occur, `in_title` which of them
    are in the title.
    """

    record: Record
    digest: bytes
    terms: Ints
    counts: Floats
    in_title: Mask
    vector: HalfFloats | None = None


class RecordIndex:
    """Words and vectors of the records of one source. One thread at a time updates."""

    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}
        self._positions: dict[str, int] = {}
        self._term_ids: dict[str, int] = {}
        self._snapshot: RecordSnapshot | None = None
        self.fingerprint = ""

    @property
    def snapshot(self) -> RecordSnapshot:
        """The records as they are now; made when it is first asked for after a change."""
        if self._snapshot is None:
            self._snapshot = self._make_snapshot()
            n_in_use = np.count_nonzero(np.diff(self._snapshot.starts))
            if len(self._term_ids) > _MAX_UNUSED + 2 * n_in_use:
                self._number_terms()
                self._snapshot = self._make_snapshot()
        return self._snapshot

    def update(self, records: Iterable[Record]) -> int:
        """Replace all records; return how many of them are new or changed."""
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
                n_changed += 1
            elif row.record != record:
                row = replace(row, record=record)
            self._rows[record.id] = row
        self._snapshot = None
        return n_changed

    def _number_terms(self) -> None:
        """Forget the terms that no record has any more."""
        self._term_ids = {}
        for key, row in self._rows.items():
            self._rows[key] = replace(self._row(row.record, row.digest), vector=row.vector)

    def pending(self, model: str) -> list[Row]:
        """Return the rows without a vector; those of another model than this are forgotten."""
        if model != self.fingerprint:
            self._rows = {key: replace(row, vector=None) for key, row in self._rows.items()}
            self.fingerprint, self._snapshot = model, None
        return [row for row in self._rows.values() if row.vector is None]

    def reuse(self, model: str, vectors: Mapping[bytes, HalfFloats]) -> None:
        """Take earlier vectors of this model for the rows without one."""
        pending = self.pending(model)
        self._set_vectors((row, vectors[row.digest]) for row in pending if row.digest in vectors)

    def embed(self, encoder: TextEncoder, limit: int) -> list[Row]:
        """Encode up to `limit` records that lack a vector; return them. Raises ModelError."""
        pending = self.pending(encoder.fingerprint)[:limit]
        if not pending:
            return []
        # Rounded as on disk, so that no order depends on what was read from there.
        vectors = encoder.encode([text_of(row.record) for row in pending]).astype(np.float16)
        return self._set_vectors(zip(pending, vectors, strict=True))

    def _set_vectors(self, vectors: Iterable[tuple[Row, HalfFloats]]) -> list[Row]:
        rows = [replace(row, vector=vector) for row, vector in vectors]
        if rows:
            self._rows |= {row.record.id: row for row in rows}
            self._snapshot = None
        return rows

    def vectors(self, model: str) -> dict[bytes, HalfFloats]:
        """Return the vectors of a model by the digests of their records."""
        rows = self._rows.values() if model == self.fingerprint else ()
        return {row.digest: row.vector for row in rows if row.vector is not None}

    def _make_snapshot(self) -> RecordSnapshot:
        positions = [self._positions[key] for key in self._rows]
        return make_snapshot(tuple(self._rows.values()), self._term_ids, positions)

    def _row(self, record: Record, digest: bytes) -> Row:
        title_terms = frozenset(stem_groups(record.title))
        counts = Counter(stem_groups(f"{record.text[:_MAX_INDEXED]} {' '.join(record.tags)}"))
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


def stem_groups(text: str) -> Iterator[str]:
    """Return what a record is indexed by: notes seldom have a question's words to the letter."""
    return map(aggressive_stem, terms(text))


def text_of(record: Record) -> str:
    """Return what an encoder reads of a record."""
    return f"{record.title}\n{record.text}"[:MAX_CHARACTERS]


def digest_of(record: Record) -> bytes:
    """Return the identity of a record's terms and vector."""
    parts = (record.title, record.text, *record.tags)
    framed = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.blake2b(framed.encode("utf-8", "surrogatepass"), digest_size=16).digest()
