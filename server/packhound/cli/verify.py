"""Comparison of an index with one rebuilt from the same files."""

from __future__ import annotations

from collections.abc import Mapping

from packhound.core.arrays import NodeIds
from packhound.core.types import Budget, Query
from packhound.index import Snapshot
from packhound.service import Engine

_PROBES = 50
"""Names to search in both, evenly spaced among all."""
_UNLIMITED = Budget(time_ms=60_000)


def differences(engine: Engine, rebuilt: Engine) -> list[str]:
    """Return paths whose entries differ, and quoted names whose hits differ."""
    before, after = _files(engine.snapshot), _files(rebuilt.snapshot)
    paths = sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))
    names = sorted({name for name in rebuilt.snapshot.names if name})
    probes = names[:: len(names) // _PROBES + 1]
    return paths + [f"'{name}'" for name in probes if _hits(engine, name) != _hits(rebuilt, name)]


def _files(snapshot: Snapshot) -> Mapping[str, object]:
    """Return all that is stored of each file as values independent of when it was read."""
    return {
        path: (entry.digest, entry.nodes, entry.node_digests, _columns(snapshot, entry.node_ids))
        for path, entry in snapshot.files.items()
    }


def _columns(snapshot: Snapshot, node_ids: NodeIds) -> list[tuple[object, ...]]:
    """Return the kind, the field lengths and the vector of each node."""
    return [
        (
            int(snapshot.kind_of[node_id]),
            [int(length[node_id]) for length in snapshot.lengths],
            snapshot.vector(node_id).tobytes(),
        )
        for node_id in node_ids
    ]


def _hits(engine: Engine, name: str) -> list[tuple[str, int, float]]:
    hits = engine.search(Query(name, mode="lexical", budget=_UNLIMITED)).hits
    return [(hit.node.path, hit.node.span.start, hit.score) for hit in hits]
