"""Rows of the store to an index, if every one of them is what was written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

import numpy as np

from packhound.core.array_codec import unpack, unpack_texts
from packhound.core.arrays import NodeIds
from packhound.index.file_entry import FileEntry
from packhound.index.node_columns import new_epoch
from packhound.index.path_table import PathTable
from packhound.index.postings.segment import Segment
from packhound.storage.dirty_rows import (
    BLOCK,
    END,
    FILE,
    LABELS,
    MANIFEST,
    NAMES,
    PATHS,
    SEGMENT,
    Written,
    first_of_segment,
    row_sum,
    seal,
)
from packhound.storage.rows import Saved, file_entry, unpack_block, unpack_segment

FORMAT = 4
"""Changes with any change of what the rows hold.

1  first version
2  vectors of eight bits
3  what paths say; checksums by SHA-256
4  segments in rows of some megabytes
"""

_LARGE = 100_000

StoredRow = tuple[int, bytes, bytes, bytes]
Content = tuple[bytes, bytes]
"""Head and body of a row."""


def read_saved(
    rows: Iterable[StoredRow], versions: Callable[[], str]
) -> tuple[Saved | None, Written | None]:
    """The index of these rows, and what is on disk then; None for a store without rows.

    Raises ValueError and its like where the rows are not exactly those of one save, or of
    another version.
    """
    found, sums = _checked(rows)
    if not found:
        return None, None
    manifest, sealed = found[MANIFEST]
    head = json.loads(manifest)
    if sealed != seal({key: value for key, value in sums.items() if key != MANIFEST}):
        raise ValueError("rows are missing or of different generations")
    node_ids = _node_ids_by_file(found[LABELS][1])
    # A row is let go once it is read, since all of them are as large as what they become.
    files = [file_entry(i, *found.pop(FILE + i), node_ids=node_ids[i]) for i in node_ids]
    segments = {key: unpack_segment(bodies) for key, bodies in _by_segment(found)}
    saved = Saved(
        generation=head["generation"],
        epoch=new_epoch(),
        names=unpack_texts(found[NAMES][1]),
        paths=PathTable.restored(found[PATHS][1], _paths(files, head["file_ids"])),
        segments=sorted(segments.values(), key=lambda segment: segment.base),
        blocks=[unpack_block(found[key][1]) for key in _of_kind(found, BLOCK, NAMES)],
        files=files,
    )
    _check_fits(saved, head["dim"])
    if head["versions"] != versions():
        raise ValueError("it was made by another version, or for another model")
    return saved, _written(saved, segments, sums)


def _written(saved: Saved, segments: dict[int, Segment], sums: dict[int, bytes]) -> Written:
    return Written(
        epoch=saved.epoch,
        files={entry.file_id: entry for entry in saved.files},
        segments={segment.serial: key for key, segment in segments.items()},
        blocks={i: block.state.tobytes() for i, block in enumerate(saved.blocks)},
        n_names=len(saved.names),
        sums={key: found for key, found in sums.items() if key != MANIFEST},
        shown=np.ones(sum(len(block.file_of) for block in saved.blocks), np.bool_),
    )


def _checked(rows: Iterable[StoredRow]) -> tuple[dict[int, Content], dict[int, bytes]]:
    found, sums = {}, {}
    with ThreadPoolExecutor(2) as pool:
        expected = []
        for key, head, body, stored in rows:
            if not 0 <= key < END:
                raise ValueError("a row has an unknown key")
            found[key], sums[key] = (head, body), stored
            # Hashing lets go of the interpreter, so that large rows are hashed while others load.
            if len(body) > _LARGE:
                expected.append((pool.submit(row_sum, key, head, body), stored))
            elif row_sum(key, head, body) != stored:
                raise ValueError("a row is damaged")
        if any(sums_to.result() != stored for sums_to, stored in expected):
            raise ValueError("a row is damaged")
    return found, sums


def _of_kind(found: Iterable[int], first: int, end: int) -> list[int]:
    return sorted(key for key in found if first <= key < end)


def _by_segment(found: dict[int, Content]) -> Iterator[tuple[int, Iterator[bytes]]]:
    """The key of the first row of each segment, and the bodies of all its rows."""
    for first, keys in groupby(_of_kind(found, SEGMENT, BLOCK), first_of_segment):
        yield first, (found.pop(key)[1] for key in keys)


def _paths(files: Iterable[FileEntry], n_file_ids: int) -> list[str]:
    """The path of every file id, empty for those without a file."""
    paths = [""] * n_file_ids
    for entry in files:
        paths[entry.file_id] = entry.path
    return paths


def _node_ids_by_file(packed: bytes) -> dict[int, NodeIds]:
    file_ids, counts, node_ids = unpack(packed)
    parts = np.split(node_ids, np.cumsum(counts)[:-1])
    return dict(zip(file_ids.tolist(), parts, strict=True)) if len(file_ids) else {}


def _check_fits(saved: Saved, dim: int) -> None:
    n_node_ids = sum(len(block.file_of) for block in saved.blocks)
    node_ids = np.concatenate([np.zeros(0, np.int32), *(entry.node_ids for entry in saved.files)])
    inside = (node_ids >= 0).all() and (node_ids < n_node_ids).all()
    if not inside or np.bincount(node_ids, minlength=1).max() > 1:
        raise ValueError("labels are out of range")
    if any(block.codes.shape[1] != dim for block in saved.blocks):
        raise ValueError("vectors have another dimension")
    end = 0
    for segment in saved.segments:
        if segment.base != end:
            raise ValueError("segments overlap or are missing")
        end += segment.n_node_ids
    if end != n_node_ids:
        raise ValueError("segments and labels do not match")
