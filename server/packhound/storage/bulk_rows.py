"""Bulk: the rows of files, of segments and of codes, and whether a save writes them to a file.

A little bulk is in the database. What has gathered there goes into a file of rows with what is
dirty, and so does what still counts of a file much of which is obsolete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import compress

from packhound.core.arrays import Mask
from packhound.index import (
    BLOCK_SIZE,
    BLOCK_VECTORS,
    FileEntry,
    Segment,
    Snapshot,
    merge_neighbours,
)
from packhound.storage.row import (
    BLOCK,
    CODES,
    FILE,
    ROW_FILE,
    SEGMENT,
    Row,
    first_of_segment,
    row,
)
from packhound.storage.row_files import MappedRows, RowFile
from packhound.storage.rows import (
    ROWS_OF_SEGMENT,
    file_head,
    n_blocks,
    pack_codes,
    pack_segment,
    unpack_segment,
)
from packhound.storage.vector_rows import ROWS_OF_VECTORS, mapped_codes

MAX_BYTES = 16_000_000
"""Of bulk in the database; more is written to a file."""
_POSTING_BYTES = 5
_MIN_LIVE_SHARE = 0.75
"""Of a file; below it what still counts is written anew."""


@dataclass(frozen=True, slots=True, eq=False)
class Bulk:
    """The bulk of a snapshot, in units: a file, a segment, a block of codes, by their first keys.

    `files` are by id, `segments` has the keys by serial, of other node ids than those `on_disk`
    nothing is written.
    """

    snapshot: Snapshot
    on_disk: Mask
    files: Mapping[int, FileEntry]
    segments: Mapping[int, int]

    def sizes(self) -> dict[int, int]:
        """Return about how many bytes each unit has."""
        segments, vectors = self.snapshot.terms.segments, self.snapshot.vectors
        sizes = {FILE + i: len(entry.record) for i, entry in self.files.items()}
        sizes |= {self.segments[s.serial]: s.n_postings * _POSTING_BYTES for s in segments}
        if vectors.blocks:
            codes = range(CODES, CODES + n_blocks(self.snapshot))
            sizes |= dict.fromkeys(codes, vectors.dim * BLOCK_SIZE)
        return sizes

    def rows(self, units: Set[int]) -> Iterator[Row]:
        """Yield the rows of units, by key."""
        for i, entry in sorted(self.files.items()):
            if FILE + i in units:
                yield row(FILE + i, file_head(entry), entry.record)
        segments = {self.segments[s.serial]: s for s in self.snapshot.terms.segments}
        for first in sorted(segments.keys() & units):
            for i, body in enumerate(pack_segment(self._part_on_disk(segments[first]))):
                yield row(first + i, b"", body)
        for i in range(n_blocks(self.snapshot)):
            if CODES + i in units:
                yield row(CODES + i, b"", pack_codes(self.snapshot, i, self.on_disk))

    def move_to(self, mapped: MappedRows) -> None:
        """Have what a file of these rows has as memory has it be mapped from now on."""
        bodies = dict(zip(mapped.file.keys.tolist(), mapped.bodies(), strict=True))
        for i, entry in self.files.items():
            if body := bodies.get(FILE + i):
                entry.move(body)
        for segment in self.snapshot.terms.segments:
            first = self.segments[segment.serial]
            if first in bodies and self._is_on_disk(*segment.bounds):
                rows = [bodies[first + i] for i in range(ROWS_OF_SEGMENT)]
                segment.move(unpack_segment(rows))
        vectors = self.snapshot.vectors
        for i, block in enumerate(vectors.blocks):
            first, end = i * BLOCK_VECTORS, (i + 1) * BLOCK_VECTORS
            # No vector of it is still to come.
            is_complete = end <= len(vectors.state) and vectors.state[first:end].all()
            joined = mapped.joined(CODES + i * ROWS_OF_VECTORS, ROWS_OF_VECTORS)
            if joined and is_complete and self._is_on_disk(first, end):
                block.move(mapped_codes(joined, vectors.dim))

    def _part_on_disk(self, segment: Segment) -> Segment:
        is_whole = self._is_on_disk(*segment.bounds)
        return segment if is_whole else merge_neighbours([segment], self.on_disk)

    def _is_on_disk(self, first: int, end: int) -> bool:
        return bool(self.on_disk[first:end].all())


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """The places of the bulk of a save.

    `dirty` are the units to write: to the file of key `new_file`, or to the database where that
    is 0. `row_files` are the older files that stay. Rows of theirs are `hidden` that are no more,
    and those of the database are `moved` that go into the new file.
    """

    dirty: Set[int]
    new_file: int
    row_files: dict[int, RowFile]
    hidden: Set[int]
    moved: Set[int]


def place(
    dirty: Set[int],
    sizes: Mapping[int, int],
    database: Mapping[int, int],
    row_files: Mapping[int, RowFile],
) -> Placement:
    """Place dirty units, given the sizes of all, of rows of the database, and the older files."""
    files, new_file, moved = dict(row_files), 0, set[int]()
    gathered = dirty | ({*map(_unit, database)} & sizes.keys())
    if sum(map(sizes.__getitem__, gathered)) > MAX_BYTES:
        new_file = max(files, default=ROW_FILE) + 1
        dirty = gathered | _take_worn(files, {*database, *keys_of(gathered)}, sizes)
        moved.update(keys_of(dirty))
    in_files = {key for file in files.values() for key in file.keys.tolist()}
    return Placement(dirty, new_file, files, in_files.difference(keys_of(sizes)), moved)


def keys_of(units: Iterable[int]) -> Iterator[int]:
    """Yield the keys of units."""
    for first in units:
        yield first
        if SEGMENT <= first < BLOCK:
            yield from range(first + 1, first + ROWS_OF_SEGMENT)


def _unit(key: int) -> int:
    return first_of_segment(key) if SEGMENT <= key < BLOCK else key


def _take_worn(files: dict[int, RowFile], newer: set[int], sizes: Mapping[int, int]) -> set[int]:
    """Remove the files much of which is obsolete; return the units that still count in them.

    `newer` are keys that have a newer row than any file.
    """
    taken = set[int]()
    for number, file in sorted(files.items(), reverse=True):
        keys = file.keys.tolist()
        live = [key not in newer and _unit(key) in sizes for key in keys]
        newer.update(keys)
        if file.sizes[live].sum() < _MIN_LIVE_SHARE * file.sizes.sum():
            taken.update(map(_unit, compress(keys, live)))
            del files[number]
    return taken
