"""State and health of the index of one folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

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
    save_problem: str = ""
    """Why the index is in memory only though it should be on disk; it is in `notes` too."""
