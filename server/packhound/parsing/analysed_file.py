"""What a parsing worker hands to the index: one file's nodes with their words and texts.

It stands apart from `syntax/`, which makes it, and `index/`, which reads it, so that neither
imports the other. Everything in it is derived from the source alone: equal source, equal value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from packhound.core.types import Node
from packhound.parsing.node_codec import Record


@dataclass(frozen=True, slots=True, eq=False)
class NodeRuns:
    """The texts of nodes, as runs of `text.tokens.runs`.

    `runs` are the distinct ones. `run` has a position in it for each run of the texts, sorted by
    node, then part, then place; `lengths[i, p]` says how many of them are those of part p (a
    position in `PARTS`) of node i.
    """

    runs: Sequence[str]
    run: NDArray[np.int32]
    lengths: NDArray[np.int32]


PARTS = ("name", "signature", "doc", "qualname", "path", "read", "cut", "unread")
"""Parts of a node's text. `read`, then `unread`, are its body, cut where an encoder stops reading;
if that is inside a run, `cut` is what it reads of this run, which is the first of `unread`."""

ENCODED = slice(3, 7)
"""The parts that an encoder reads, in turn."""

FIELD_OF_PART = (0, 2, 3, None, 1, 4, None, 4)
"""Position in `types.FIELDS` of the field that each part belongs to."""


@dataclass(frozen=True, slots=True, eq=False)
class AnalysedFile:
    """One document after parsing and cutting into runs.

    `digest` is blake2b-16 of the source. `record` holds the nodes, see `records.py`. `texts[i]` is
    what an encoder reads for node i, left out for one that reads runs. `node_digests[i]` is the
    identity of node i's derived data: equal digest, equal terms and equal vector. `degraded` is
    that of `types.ParsedFile`. Words and texts of nodes that the index holds already may be left
    out.
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
