"""The nodes that could go into a pack, each once, with its utility and the reasons for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatch

from packhound.index.entries import FileEntry
from packhound.pack.types import Lines, PackContext, PackRequest
from packhound.types import Node


@dataclass(slots=True, eq=False)
class Candidate:
    """A node that may go into the pack. `order` breaks ties: the order of discovery."""

    label: int
    entry: FileEntry
    position: int
    node: Node
    order: int
    utility: float = 0.0
    pinned: bool = False
    changed: bool = False
    repeats: str = ""
    reasons: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The file that the node is in."""
        return self.entry.path

    def add(self, utility: float, reason: str) -> None:
        """One more reason, if it is worth telling; independent reasons add up as chances do."""
        self.utility = 1.0 - (1.0 - self.utility) * (1.0 - min(utility, 0.999))
        if reason and reason not in self.reasons:
            self.reasons.append(reason)


class Pool:
    """The candidates found so far, by label."""

    def __init__(self, context: PackContext, request: PackRequest) -> None:
        self._context = context
        self._excluded = request.excluded
        self.by_label: dict[int, Candidate] = {}
        self.excluded: dict[int, Candidate] = {}

    def get(self, label: int) -> Candidate | None:
        """The candidate of a label; None if it is dead, or excluded by the request."""
        if label in self.by_label:
            return self.by_label[label]
        snapshot = self._context.snapshot
        if label >= snapshot.n_labels or not snapshot.live[label]:
            return None
        entry, position = snapshot.locate(label)
        order = len(self.by_label) + len(self.excluded)
        found = Candidate(label, entry, position, entry.node(position), order)
        if any(fnmatch(entry.path, glob) for glob in self._excluded):
            self.excluded.setdefault(label, found)
            return None
        self.by_label[label] = found
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
        inner = [self.get(int(entry.labels[p])) for p in touched if p not in above]
        return [candidate for candidate in inner if candidate]

    def ranked(self) -> list[Candidate]:
        """Pinned ones first, then by utility."""
        found = self.by_label.values()
        return sorted(found, key=lambda c: (not c.pinned, -c.utility, c.path, c.node.span.start))
