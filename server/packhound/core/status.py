"""State and health of the index of one folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

State = Literal["starting", "indexing", "ready", "degraded", "closed"]


@dataclass(frozen=True, slots=True)
class Drift:
    """Distance of an index from one built anew; all zero for such a one.

    `tail` counts vectors outside the graph, which every search scans, `graph_dead_share` is the
    share of the graph's items that were deleted since, `length_shift` the relative change of a
    node's average length since the graph was built.
    """

    dead_share: float = 0.0
    tail: int = 0
    graph_dead_share: float = 0.0
    length_shift: float = 0.0


class LeftOutRow(NamedTuple):
    """Files and folders that are not indexed for one reason; folders are not looked into."""

    reason: str
    files: int
    folders: int


class SourceRow(NamedTuple):
    """Records and vectors of a source beside code, the date of its newest record, and problems."""

    name: str
    records: int
    vectors: int
    changed: float
    problems: tuple[str, ...] = ()


class Rebuilt(NamedTuple):
    """Records of a rebuilt source, and how many of their vectors were reused and made again."""

    name: str
    records: int
    reused: int
    regenerated: int


@dataclass(frozen=True, slots=True)
class Status:
    """State and health of an index; `pending` counts documents not yet in it."""

    state: State
    root: str
    generation: int
    pending: int
    files: int
    nodes: int
    languages: dict[str, int]
    vectors: int
    dense: Literal["none", "exact", "hnsw"]
    dead_share: float
    recall: float | None
    model: str
    writer: bool
    notes: tuple[str, ...] = ()
    drift: Drift = field(default_factory=Drift)
    kinds: dict[str, int] = field(default_factory=dict)
    n_failed: int = 0
    """Nodes without a vector because the encoder failed."""
    disk_bytes: int = 0
    save_problem: str = ""
    """Why the index is in memory only though it should be on disk; it is in `notes` too."""
    sources: tuple[SourceRow, ...] = ()
    """Sources beside code that are open, or all that are switched on where that was asked for."""
    deep_vectors: tuple[int, int] | None = None
    """Nodes that the deep model has read in advance, and how many it is to read; None if none."""
