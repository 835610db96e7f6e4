"""One row of the store, with its checksum; a key is a kind and a number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from packhound.core.array_codec import Buffer, checksum

# File id, number of the segment and of its row, number of the block, of the file of rows.
FILE, SEGMENT, BLOCK, NAMES, PATHS, NODE_IDS, MANIFEST, CODES, ROW_FILE = (
    kind << 40 for kind in range(9)
)
END = 9 << 40
_ROWS_OF_SEGMENT = 1 << 16
"""More than any segment has; the first of its keys is a multiple."""
ABSENT = -1
"""In place of the size of a row that says that there is none."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row; `sum` is a checksum of its key, head and body.

    One without `sum` says that there is no row of this key, although a file of rows has one.
    """

    key: int
    head: bytes
    body: Buffer
    sum: bytes


def row(key: int, head: bytes, body: Buffer) -> Row:
    """Return a row with its checksum."""
    return Row(key, head, body, row_sum(key, head, body))


def row_sum(key: int, head: bytes, body: Buffer) -> bytes:
    """Return the checksum that a row must have."""
    return checksum(key.to_bytes(8, "little"), head, body)


def first_of_segment(key: int) -> int:
    """Return the key of the first row of the segment that a row belongs to."""
    return key - key % _ROWS_OF_SEGMENT


def next_segment(key: int) -> int:
    """Return the key of the first row of a segment that comes after another one."""
    return key + _ROWS_OF_SEGMENT


def seal(sums: Mapping[int, bytes]) -> bytes:
    """Return one checksum for all rows, so that none can be missing or of another generation."""
    return checksum(b"".join([key.to_bytes(8, "little") + sums[key] for key in sorted(sums)]))
