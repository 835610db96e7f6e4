"""Read the rows of the store to an index, if every one of them is what was written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

import numpy as np

from packhound.core.array_codec import unpack, unpack_texts
from packhound.core.arrays import NO_NODE_IDS, NodeIds
from packhound.index import FileEntry, PathTable, Saved, new_epoch
from packhound.storage.dirty_rows import (
    BLOCK,
    END,
    FILE,
    MANIFEST,
    NAMES,
    NODE_IDS,
    PATHS,
    SEGMENT,
    Written,
    first_of_segment,
    row_sum,
    seal,
)
from packhound.storage.rows import file_entry, unpack_block, unpack_segment
from packhound.storage.shared_rows import SharedRows

FORMAT = 4
"""Version of the format of the rows.

1  first version
2  vectors of eight bits
3  features of paths; checksums by SHA-256
4  segments in rows of some megabytes
"""

_HASH_ASIDE_BYTES = 100_000
"""Larger bodies are hashed in another thread while the next ones load: hashing frees the GIL."""

StoredRow = tuple[int, bytes, bytes, bytes]
Content = tuple[bytes, bytes]
"""Head and body of a row."""


def read_saved(
    rows: Iterable[StoredRow], shared: SharedRows
) -> tuple[Saved | None, Written | None]:
    """Return the index of these rows and the content of the store; None for one without rows.

    Rows that are `shared` have no body.

    Raises ValueError and its like where the rows are not exactly those of one save.
    """
    contents, sums = _verify(rows, shared)
    if not contents:
        return None, None
    manifest, sealed = contents[MANIFEST]
    head = json.loads(manifest)
    if sealed != seal({key: value for key, value in sums.items() if key != MANIFEST}):
        raise ValueError("rows are missing or of different generations")
    node_ids = _node_ids_by_file(contents[NODE_IDS][1])
    # A row is freed once it is read, since all of them are as large as the index.
    files = [
        shared.entry(FILE + i, ids) or file_entry(i, *contents.pop(FILE + i), node_ids=ids)
        for i, ids in node_ids.items()
    ]
    segments = {key: unpack_segment(bodies) for key, bodies in _by_segment(contents)}
    segments |= shared.segments
    saved = Saved(
        generation=head["generation"],
        epoch=new_epoch(),
        names=unpack_texts(contents[NAMES][1]),
        paths=PathTable.from_bytes(contents[PATHS][1], _paths(files, head["file_ids"])),
        segments=sorted(segments.values(), key=lambda segment: segment.base),
        blocks=[unpack_block(contents[key][1]) for key in _of_kind(contents, BLOCK, NAMES)],
        files=files,
        vectors=shared.vectors,
    )
    _check_fits(saved, head["dim"])
    written = Written(
        epoch=saved.epoch,
        files={entry.file_id: entry for entry in saved.files},
        segments={segment.serial: key for key, segment in segments.items()},
        blocks={i: block.state.tobytes() for i, block in enumerate(saved.blocks)},
        n_names=len(saved.names),
        sums={key: digest for key, digest in sums.items() if key != MANIFEST},
        on_disk=np.ones(sum(len(block.file_of) for block in saved.blocks), np.bool_),
        versions=head["versions"],
    )
    return saved, written


def _verify(
    rows: Iterable[StoredRow], shared: SharedRows
) -> tuple[dict[int, Content], dict[int, bytes]]:
    """Return the contents by key, but for shared rows, and the checksums of all.

    Raises ValueError if a row is damaged.
    """
    contents: dict[int, Content] = {}
    sums: dict[int, bytes] = {}
    with ThreadPoolExecutor(2) as pool:
        pending = []
        for key, head, body, stored in rows:
            if not 0 <= key < END:
                raise ValueError("a row has an unknown key")
            sums[key] = stored
            if key in shared:
                continue
            contents[key] = head, body
            if len(body) > _HASH_ASIDE_BYTES:
                pending.append((pool.submit(row_sum, key, head, body), stored))
            elif row_sum(key, head, body) != stored:
                raise ValueError("a row is damaged")
        if any(computed.result() != stored for computed, stored in pending):
            raise ValueError("a row is damaged")
    return contents, sums


def _of_kind(keys: Iterable[int], first: int, end: int) -> list[int]:
    return sorted(key for key in keys if first <= key < end)


def _by_segment(contents: dict[int, Content]) -> Iterator[tuple[int, Iterator[bytes]]]:
    """Yield the key of the first row of each segment, and the bodies of all its rows."""
    for first, keys in groupby(_of_kind(contents, SEGMENT, BLOCK), first_of_segment):
        yield first, (contents.pop(key)[1] for key in keys)


def _paths(files: Iterable[FileEntry], n_file_ids: int) -> list[str]:
    """Return the path of every file id, empty for those without a file."""
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
    node_ids = np.concatenate([NO_NODE_IDS, *(entry.node_ids for entry in saved.files)])
    in_range = (node_ids >= 0).all() and (node_ids < n_node_ids).all()
    if not in_range or np.bincount(node_ids, minlength=1).max() > 1:
        raise ValueError("node ids are out of range")
    if any(block.codes.shape[1] != dim for block in saved.blocks):
        raise ValueError("vectors have another dimension")
    end = 0
    for segment in saved.segments:
        if segment.base != end:
            raise ValueError("segments overlap or are missing")
        end += segment.n_node_ids
    if end != n_node_ids:
        raise ValueError("segments and node ids do not match")
