"""One analysed file, as a parser process hands it to the index.

Everything in it is derived from the source and the path alone: equal source, equal value. Arrays
are bytes until they are asked for, because a parser process cannot wait for numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from packhound.core.types import Node
from packhound.parsing.node_codec import Record

if TYPE_CHECKING:
    from packhound.core.arrays import Ints

PARTS = ("name", "signature", "doc", "qualname", "path", "read", "cut", "unread")
"""Parts of a node's text. `read`, then `unread`, are its body, cut where an encoder stops reading;
if that is inside a run, `cut` is what it reads of this run, which is the first of `unread`."""

ENCODED = slice(3, 7)
"""The parts that an encoder reads, in turn."""

FIELD_OF_PART = (0, 2, 3, None, 1, 4, None, 4)
"""Position in `types.FIELDS` of the field that each part belongs to."""


@dataclass(frozen=True, slots=True, eq=False)
class NodeRuns:
    """The texts of nodes, as runs of `text.tokenizer.runs`.

    `runs` are the distinct ones. `run` holds positions in it, one for each run of the texts, sorted
    by node, then part, then offset; `lengths[i, p]` is the number of runs in part p (a position in
    `PARTS`) of node i.
    """

    runs: Sequence[str]
    run: Ints
    lengths: Ints


@dataclass(frozen=True)
class AnalysedFile:
    """One document after parsing and cutting into runs.

    `digest` is blake2b-16 of the source. `record` holds the nodes, see `node_codec`. `texts[i]` is
    what an encoder reads for node i, left out for one that reads runs. `node_digests[i]` identifies
    what is derived from node i: equal digest, equal terms and equal vector. `degraded` is that of
    `types.ParsedFile`. `runs` (joined by blanks), `run` and `lengths` (int32 in native order) are
    the fields of `words`. Words and texts of nodes that the index has already may be left out.
    """

    path: str
    language: str
    imports: tuple[str, ...]
    degraded: str | None
    digest: bytes
    record: bytes
    runs: str
    run: bytes
    lengths: bytes
    texts: tuple[str, ...]
    node_digests: tuple[bytes, ...]

    @cached_property
    def words(self) -> NodeRuns:
        """The texts of the nodes; the arrays are read-only views."""
        import numpy as np

        lengths = np.frombuffer(self.lengths, np.int32).reshape(-1, len(PARTS))
        runs = self.runs.split(" ") if self.runs else []
        return NodeRuns(runs, np.frombuffer(self.run, np.int32), lengths)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes, in the order of their start."""
        record = Record(self.record)
        return tuple(record.node(i) for i in range(len(record)))
