"""A file on its way into the index: which of its nodes are known, which are new, which are gone."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import NodeIds
from packhound.core.types import FileStamp
from packhound.index.file_entry import FileEntry
from packhound.parsing.analysed_file import AnalysedFile


@dataclass(frozen=True, slots=True, eq=False)
class Arrival:
    """`node_ids[i]` is the node id of node i, `fresh` the positions of nodes that got a new one.

    `gone` are node ids that the file had before and has no more.
    """

    file: AnalysedFile
    node_ids: NodeIds
    fresh: NDArray[np.intp]
    gone: NodeIds

    @property
    def path(self) -> str:
        """Path of the file."""
        return self.file.path

    def entry(self, file_id: int, stamp: FileStamp | None) -> FileEntry:
        """The file as the next snapshot holds it."""
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


def arrive(file: AnalysedFile, before: FileEntry | None, first_node_id: int) -> Arrival:
    """Match the nodes of `file` with those it had `before`; new ones count from `first_node_id`."""
    known = _node_ids_by_digest(before)
    node_ids = np.full(len(file.node_digests), -1, np.int32)
    for i, digest in enumerate(file.node_digests):
        if known.get(digest):
            node_ids[i] = known[digest].pop(0)
    fresh = np.flatnonzero(node_ids < 0)
    node_ids[fresh] = np.arange(first_node_id, first_node_id + len(fresh), dtype=np.int32)
    node_ids.flags.writeable = False
    gone = [node_id for left in known.values() for node_id in left]
    return Arrival(file, node_ids, fresh, np.array(gone, np.int32))


def _node_ids_by_digest(entry: FileEntry | None) -> dict[bytes, list[int]]:
    known: defaultdict[bytes, list[int]] = defaultdict(list)
    if entry is not None:
        for i, node_id in enumerate(entry.node_ids.tolist()):
            known[entry.node_digest(i)].append(node_id)
    return dict(known)
