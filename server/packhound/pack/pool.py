"""The nodes that could go into a pack, each once, with its utility and the reasons for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from packhound.core.types import KINDS, Kind, Node
from packhound.files.globs import compile_globs
from packhound.index.file_entry import FileEntry
from packhound.pack.context import PackContext
from packhound.pack.request import Lines, PackRequest

_MATE_MOST = 0.12
"""What standing in a file with others is worth at most."""


@dataclass(slots=True, eq=False)
class Candidate:
    """A node that may go into the pack. `order` breaks ties: the order of discovery."""

    node_id: int
    entry: FileEntry
    position: int
    kind: Kind
    order: int
    path: str
    utility: float = 0.0
    pinned: bool = False
    changed: bool = False
    repeats: str = ""
    reasons: list[str] = field(default_factory=list)
    _node: Node | None = None

    @property
    def node(self) -> Node:
        """The node itself, decoded when someone looks."""
        if self._node is None:
            self._node = self.entry.node(self.position)
        return self._node

    @property
    def start(self) -> int:
        """Where the node starts in its file."""
        return self.entry.start(self.position)

    @property
    def name(self) -> str:
        """The qualified name of the node, or its name."""
        return self.entry.qualname(self.position) or self.entry.name_as_written(self.position)

    @property
    def called(self) -> str:
        """What reasons call it."""
        return f"{self.name} ({self.path})"

    def add(self, utility: float, reason: str) -> None:
        """One more reason, if it is worth telling; independent reasons add up as chances do."""
        self.utility = 1.0 - (1.0 - self.utility) * (1.0 - min(utility, 0.999))
        if reason and reason not in self.reasons:
            self.reasons.append(reason)


class Pool:
    """The candidates found so far, by node id."""

    def __init__(self, context: PackContext, request: PackRequest) -> None:
        self._context = context
        self._is_excluded = compile_globs(request.excluded).fullmatch
        self.by_node_id: dict[int, Candidate] = {}
        self.excluded: dict[int, Candidate] = {}

    def get(self, node_id: int) -> Candidate | None:
        """The candidate of a node id; None if it is dead, or excluded by the request."""
        known = self.by_node_id.get(node_id)
        if known:
            return known
        snapshot = self._context.snapshot
        if node_id >= snapshot.n_node_ids or not snapshot.live[node_id]:
            return None
        entry = snapshot.entry(int(snapshot.file_of[node_id]))
        return self._of(entry, entry.position(node_id), node_id) if entry else None

    def share_out(self, path: str, share: float, reason: str) -> None:
        """Give the definitions of a file a utility that sums to `share`."""
        entry = self._context.snapshot.files[path]
        found = [self._of(entry, i, node_id) for i, node_id in enumerate(entry.node_ids.tolist())]
        mates = [c for c in found if c is not None and c.kind not in ("section", "window")]
        for mate in mates:
            # Beside a reason of its own this one says nothing.
            mate.add(min(share / len(mates), _MATE_MOST), "" if mate.reasons else reason)

    def _of(self, entry: FileEntry, position: int, node_id: int) -> Candidate | None:
        known = self.by_node_id.get(node_id)
        if known:
            return known
        order = len(self.by_node_id) + len(self.excluded)
        kind = KINDS[self._context.snapshot.kind_of[node_id]]
        found = Candidate(node_id, entry, position, kind, order, entry.path)
        if self._is_excluded(entry.path):
            self.excluded.setdefault(node_id, found)
            return None
        self.by_node_id[node_id] = found
        return found

    def at(self, path: str, lines: Lines) -> list[Candidate]:
        """The innermost nodes that touch the lines of a file."""
        entry = self._context.snapshot.files.get(path)
        if entry is None:
            return []
        first, last = lines
        touched = [
            position
            for position, node in enumerate(entry.nodes)
            if node.kind != "file" and node.span.start_line <= last and first <= node.span.end_line
        ]
        above = {entry.nodes[position].parent for position in touched}
        inner = [self.get(int(entry.node_ids[p])) for p in touched if p not in above]
        return [candidate for candidate in inner if candidate]

    def ranked(self) -> list[Candidate]:
        """Pinned ones first, then by utility."""
        found = self.by_node_id.values()
        return sorted(found, key=lambda c: (not c.pinned, -c.utility, c.path, c.position))
