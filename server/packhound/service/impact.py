"""Questions about what a definition or a change touches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from packhound import impact
from packhound.core.types import NodeRef, Query
from packhound.git import CoChanges, read_commits
from packhound.service.indexed_folder import Current
from packhound.service.packs import Packs


class Impact:
    """Impact of definitions and changes of one folder; methods may be called from any thread."""

    def __init__(self, root: Path, current: Callable[[Query], Current], packs: Packs) -> None:
        self._root, self._current, self._packs = root, current, packs

    def symbol(self, path: str, line: int, distance: int = 1) -> impact.Symbol | None:
        """Return the node at a 0-based line with what it touches, None if there is none."""
        snapshot = self._current(Query("")).snapshot
        node_id = snapshot.node_id_at(path, line)
        if node_id is None:
            return None
        graph = self._packs.service().call_graph(snapshot)
        return impact.describe_symbol(snapshot, str(self._root), graph, node_id, distance)

    def named(self, name: str) -> tuple[NodeRef, ...]:
        """Return the definitions of a name or of the tail of a qualified name, tests last."""
        snapshot = self._current(Query("")).snapshot
        return impact.definitions_named(snapshot, str(self._root), name)

    def changes(self, base: str = "HEAD", limit: int = 10) -> impact.ChangeSet:
        """Return what differs from a commit, unsaved text included, and what that touches.

        Raises SettingsError: there is no such commit, or no repository.
        """
        snapshot = self._current(Query("")).snapshot
        service = self._packs.service()
        changed = service.changed_since(snapshot, base)
        history = CoChanges.of(read_commits(self._root), changed)
        graph = service.call_graph(snapshot)
        return impact.describe_changes(snapshot, str(self._root), graph, changed, history, limit)
