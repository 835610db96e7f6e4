"""Compare a file with what the index has of it: which nodes were added, kept and removed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from packhound.core.arrays import NodeIds, Positions
from packhound.core.types import FileStamp
from packhound.index.file_entry import FileEntry
from packhound.parsing import AnalysedFile


@dataclass(frozen=True, slots=True, eq=False)
class FileDiff:
    """`node_ids[i]` is the node id of node i, `added` the positions of nodes that got a new one.

    `removed` are the node ids that the file has no more.
    """

    file: AnalysedFile
    node_ids: NodeIds
    added: Positions
    removed: NodeIds

    @property
    def path(self) -> str:
        """Path of the file."""
        return self.file.path

    def entry(self, file_id: int, stamp: FileStamp | None) -> FileEntry:
        """Return the file as the next snapshot holds it."""
        file = self.file
        return FileEntry(
            path=file.path,
            language=file.language,
            digest=file.digest,
            stamp=stamp,
            file_id=file_id,
            node_ids=self.node_ids,
            imports=file.imports,
            degraded=file.degraded,
            node_digests=b"".join(file.node_digests),
            record=file.record,
        )


def diff_file(file: AnalysedFile, before: FileEntry | None, first_node_id: int) -> FileDiff:
    """Match the nodes of `file` with those it had `before`; added ones count from `first_node_id`.

    Nodes match by digest, which is that of their terms and their vector.
    """
    unmatched = _node_ids_by_digest(before)
    node_ids = np.full(len(file.node_digests), -1, np.int32)
    for i, digest in enumerate(file.node_digests):
        if unmatched.get(digest):
            node_ids[i] = unmatched[digest].pop(0)
    added = np.flatnonzero(node_ids < 0)
    node_ids[added] = np.arange(first_node_id, first_node_id + len(added), dtype=np.int32)
    node_ids.flags.writeable = False
    removed = [node_id for rest in unmatched.values() for node_id in rest]
    return FileDiff(file, node_ids, added, np.array(removed, np.int32))


def _node_ids_by_digest(entry: FileEntry | None) -> dict[bytes, list[int]]:
    by_digest: defaultdict[bytes, list[int]] = defaultdict(list)
    if entry is not None:
        for i, node_id in enumerate(entry.node_ids.tolist()):
            by_digest[entry.node_digest(i)].append(node_id)
    return dict(by_digest)
