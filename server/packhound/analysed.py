"""What a parsing worker hands to the index: one file's nodes with their words and texts.

It stands apart from `syntax/`, which makes it, and `index/`, which reads it, so that neither
imports the other. Everything in it is derived from the source alone: equal source, equal value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from packhound.records import Record
from packhound.types import Node


@dataclass(frozen=True, slots=True, eq=False)
class NodeRuns:
    """The text of each field of each node of one file, as runs of `text.tokens.runs`.

    `runs` are the distinct ones. `run` has a position in it for each run of the texts, sorted by
    node, then field, then place; `lengths[i, f]` says how many of them are those of field f (a
    position in `types.FIELDS`) of node i.
    """

    runs: tuple[str, ...]
    run: NDArray[np.int32]
    lengths: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class AnalysedFile:
    """One document after parsing and cutting into runs.

    `digest` is blake2b-16 of the source. `record` holds the nodes, see `records.py`. `texts[i]` is
    what the encoder reads for node i. `node_digests[i]` is the identity of node i's derived data:
    equal digest, equal terms and equal vector. `degraded` is that of `types.ParsedFile`.
    """

    path: str
    language: str
    imports: tuple[str, ...]
    degraded: str | None
    digest: bytes
    record: bytes
    words: NodeRuns
    texts: tuple[str, ...]
    node_digests: tuple[bytes, ...]

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes, in the order of their start."""
        record = Record(self.record)
        return tuple(record.node(i) for i in range(len(record)))
