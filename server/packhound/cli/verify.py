"""Whether an index is what one made anew of the same files is, however it came about."""

from __future__ import annotations

from collections.abc import Mapping

from packhound.core.arrays import NodeIds
from packhound.core.types import Budget, Query
from packhound.index.snapshot import Snapshot
from packhound.service.engine import Engine

_PROBES = 50
"""Names that are searched in both, evenly from all that there are."""
_PATIENT = Budget(time_ms=60_000)


def differences(engine: Engine, fresh: Engine) -> list[str]:
    """Paths of files that the two hold differently, and names that they find differently."""
    kept, made = _files(engine.snapshot), _files(fresh.snapshot)
    paths = sorted(path for path in kept.keys() | made.keys() if kept.get(path) != made.get(path))
    names = sorted({name for name in fresh.snapshot.names if name})
    probes = names[:: len(names) // _PROBES + 1]
    return paths + [f"'{name}'" for name in probes if _found(engine, name) != _found(fresh, name)]


def _files(snapshot: Snapshot) -> Mapping[str, object]:
    """All that is kept of each file, by values that do not depend on when it was read."""
    return {
        path: (entry.digest, entry.nodes, entry.node_digests, _columns(snapshot, entry.node_ids))
        for path, entry in snapshot.files.items()
    }


def _columns(snapshot: Snapshot, node_ids: NodeIds) -> list[tuple[object, ...]]:
    """The kind, the lengths and the vector of each node."""
    return [
        (
            int(snapshot.kind_of[node_id]),
            [int(length[node_id]) for length in snapshot.lengths],
            snapshot.vector(node_id).tobytes(),
        )
        for node_id in node_ids
    ]


def _found(engine: Engine, name: str) -> list[tuple[str, int, float]]:
    hits = engine.search(Query(name, mode="lexical", budget=_PATIENT)).hits
    return [(hit.node.path, hit.node.span.start, hit.score) for hit in hits]
