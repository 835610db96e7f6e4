"""From the rows of the store to an index, if every one of them is what was written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise

import numpy as np

from packhound.core.array_codec import Buffer, unpack, unpack_texts
from packhound.core.arrays import NO_NODE_IDS, NodeIds
from packhound.index import FileEntry, PathTable, Saved, new_epoch
from packhound.storage.dirty_rows import Written
from packhound.storage.row import (
    BLOCK,
    FILE,
    MANIFEST,
    NAMES,
    NODE_IDS,
    PATHS,
    SEGMENT,
    first_of_segment,
)
from packhound.storage.rows import FileUnpacker, unpack_block, unpack_segment
from packhound.storage.shared_rows import SharedRows
from packhound.storage.stored_rows import StoredRows
from packhound.storage.vector_rows import unpack_vectors

FORMAT = 5
"""Version of the format of the rows.

1  first version
2  vectors of eight bits
3  features of paths; checksums by SHA-256
4  segments in rows of some megabytes
5  files of rows, which are mapped; codes of vectors in rows of their own
"""


def read_saved(rows: StoredRows, shared: SharedRows) -> tuple[Saved, Written]:
    """Return the index of these rows, with what is `shared`, and the content of the store.

    Raises ValueError and its like where the rows are not exactly those of one save.
    """
    bodies, unpacker = rows.bodies, FileUnpacker()
    head = json.loads(rows.heads[MANIFEST])
    files = [
        shared.entry(key, ids) or unpacker.entry(key - FILE, rows.heads[key], bodies[key], ids)
        for key, ids in _node_ids_by_file(bodies[NODE_IDS])
    ]
    segments = {
        first: shared.segments.get(first) or unpack_segment([bodies[key] for key in keys])
        for first, keys in groupby(rows.of_kind(SEGMENT, BLOCK), first_of_segment)
    }
    blocks = [unpack_block(bodies[key]) for key in rows.of_kind(BLOCK, NAMES)]
    saved = Saved(
        generation=head["generation"],
        epoch=new_epoch(),
        names=unpack_texts(bodies[NAMES]),
        paths=PathTable.from_bytes(bodies[PATHS], _paths(files, head["file_ids"])),
        segments=sorted(segments.values(), key=lambda segment: segment.base),
        blocks=[block for block, _ in blocks],
        files=files,
        vectors=unpack_vectors(rows, blocks, head["dim"], shared.vectors),
    )
    _check_fits(saved)
    written = Written(
        epoch=saved.epoch,
        files={entry.file_id: entry for entry in saved.files},
        segments={segment.serial: key for key, segment in segments.items()},
        blocks={i: block.state.tobytes() for i, block in enumerate(saved.blocks)},
        n_names=len(saved.names),
        sums={key: digest for key, digest in rows.sums.items() if key != MANIFEST},
        on_disk=np.ones(sum(len(block.file_of) for block in saved.blocks), np.bool_),
        versions=head["versions"],
        database=rows.database,
        row_files={key: mapped.file for key, mapped in rows.files.items()},
    )
    return saved, written


def _paths(files: Iterable[FileEntry], n_file_ids: int) -> list[str]:
    """Return the path of every file id, empty for those without a file."""
    paths = [""] * n_file_ids
    for entry in files:
        paths[entry.file_id] = entry.path
    return paths


def _node_ids_by_file(packed: Buffer) -> Iterator[tuple[int, NodeIds]]:
    """Yield the key of each file, and its node ids."""
    file_ids, counts, node_ids = unpack(packed)
    edges = np.concatenate(([0], np.cumsum(counts, dtype=np.int64))).tolist()
    if edges[-1] != len(node_ids) or len(file_ids) != len(counts):
        raise ValueError("node ids do not match the files")
    for file_id, (start, end) in zip(file_ids.tolist(), pairwise(edges), strict=True):
        yield FILE + file_id, node_ids[start:end]


def _check_fits(saved: Saved) -> None:
    n_node_ids = sum(len(block.file_of) for block in saved.blocks)
    node_ids = np.concatenate([NO_NODE_IDS, *(entry.node_ids for entry in saved.files)])
    in_range = (node_ids >= 0).all() and (node_ids < n_node_ids).all()
    if not in_range or np.bincount(node_ids, minlength=1).max() > 1:
        raise ValueError("node ids are out of range")
    end = 0
    for segment in saved.segments:
        if segment.base != end:
            raise ValueError("segments overlap or are missing")
        end += segment.n_node_ids
    if end != n_node_ids:
        raise ValueError("segments and node ids do not match")
