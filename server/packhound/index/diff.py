"""A file on its way into the index: which of its nodes are known, which are new, which are gone."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from packhound.core.types import FileStamp
from packhound.index.file_entry import FileEntry, Labels
from packhound.parsing.analysed_file import AnalysedFile


@dataclass(frozen=True, slots=True, eq=False)
class Arrival:
    """`labels[i]` is the label of node i, `fresh` the positions of nodes that got a new one.

    `gone` are labels that the file had before and has no more.
    """

    file: AnalysedFile
    labels: Labels
    fresh: NDArray[np.intp]
    gone: Labels

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
            labels=self.labels,
            imports=file.imports,
            degraded=file.degraded,
            node_digests=b"".join(file.node_digests),
            record=file.record,
        )


def arrive(file: AnalysedFile, before: FileEntry | None, first_label: int) -> Arrival:
    """Match the nodes of `file` with those it had `before`; new ones count from `first_label`."""
    known = _labels_by_digest(before)
    labels = np.full(len(file.node_digests), -1, np.int32)
    for i, digest in enumerate(file.node_digests):
        if known.get(digest):
            labels[i] = known[digest].pop(0)
    fresh = np.flatnonzero(labels < 0)
    labels[fresh] = np.arange(first_label, first_label + len(fresh), dtype=np.int32)
    labels.flags.writeable = False
    gone = [label for left in known.values() for label in left]
    return Arrival(file, labels, fresh, np.array(gone, np.int32))


def _labels_by_digest(entry: FileEntry | None) -> dict[bytes, list[int]]:
    known: defaultdict[bytes, list[int]] = defaultdict(list)
    if entry is not None:
        for i, label in enumerate(entry.labels.tolist()):
            known[entry.node_digest(i)].append(label)
    return dict(known)
