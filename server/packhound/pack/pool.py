"""The candidates of a pack, each node once, with its utility and the reasons for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from packhound.core.types import KINDS, Kind, Node, Note, Results
from packhound.files import compile_globs
from packhound.index import FileEntry
from packhound.pack.context import PackContext
from packhound.pack.request import Lines, Origin, PackRequest

_MAX_MATE_UTILITY = 0.12
"""What being in a file with others is worth at most."""
_FACTS = ("exact_match", "prints_message")


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
    is_subject: bool = False
    """True of what is to be shown whole, since the prompt is about it."""
    duplicate_of: str = ""
    use_lines: tuple[int, ...] = ()
    """Lines that use what the prompt is about, to show where the rest of the node is not."""
    is_named: bool = False
    """True if the prompt names the definition, or points at one of its lines."""
    named_lines: set[int] = field(default_factory=set)
    """Lines that the prompt points at, as a stack frame does."""
    origins: list[Origin] = field(default_factory=list)
    _node: Node | None = None

    @property
    def node(self) -> Node:
        """The node itself, decoded on first use."""
        if self._node is None:
            self._node = self.entry.node(self.position)
        return self._node

    @property
    def start(self) -> int:
        """Byte at which the node starts in its file."""
        return self.entry.start(self.position)

    @property
    def name(self) -> str:
        """The qualified name of the node, or its name."""
        return self.entry.qualname(self.position) or self.entry.name_as_written(self.position)

    @property
    def display_name(self) -> str:
        """The name in reasons."""
        return f"{self.name} ({self.path})"

    @property
    def has_reason(self) -> bool:
        """True if an origin has a reason."""
        return any(origin.reason for origin in self.origins)

    @property
    def is_asked(self) -> bool:
        """True if the search or the prompt brought the node, not one near it alone."""
        return any(origin.source in ("search", "mention") for origin in self.origins)

    @property
    def rank(self) -> int:
        """The best rank as a hit, 0 of what is none."""
        return min((origin.rank for origin in self.origins if origin.rank), default=0)

    @property
    def is_answer(self) -> bool:
        """True of the first hit if it prints the message, or has the prompt as it stands."""
        hits = (origin.hit for origin in self.origins if origin.rank == 1)
        values = (value for hit in hits if hit for value in hit.why)
        return any(value.signal in _FACTS and value.value for value in values)

    @property
    def reasons(self) -> list[str]:
        """The distinct reasons in the order of their discovery."""
        return list(dict.fromkeys(origin.text for origin in self.origins if origin.reason))

    def add(self, origin: Origin) -> None:
        """Add an origin, whose reason may be ""; utilities combine as probabilities (noisy-or)."""
        self.origins.append(origin)
        self.utility = 1.0 - (1.0 - self.utility) * (1.0 - min(origin.utility, 0.999))


@dataclass(slots=True)
class Users:
    """Candidates to be shown by their lines at least, since they use what the prompt is about."""

    candidates: list[Candidate] = field(default_factory=list)
    subject: str = ""
    """Begin of the remark on them, "" for none."""
    n_possible: int = 0
    """Users by the name of the subject alone."""
    other_lines: tuple[str, ...] = ()
    """Lines with the name that are none of a user's, as places."""
    n_unread_files: int = 0
    """Files with the name in which no user was looked for."""


class Pool:
    """The candidates so far, by node id."""

    def __init__(self, context: PackContext, request: PackRequest) -> None:
        self.answer: Results | None = None
        """Answer of the search to the prompt."""
        self._context = context
        self.files = context.snapshot.files
        self.graph, self.calls = context.graph, context.calls
        self._is_excluded = compile_globs(request.excluded).fullmatch
        self.by_node_id: dict[int, Candidate] = {}
        self.excluded: dict[int, Candidate] = {}
        self.notes: list[Note] = []
        self.remarks: list[str] = []
        """Lines for the beginning of the pack."""
        self.users = Users()

    def get(self, node_id: int) -> Candidate | None:
        """Return the candidate of a node id; None if it is dead, or excluded by the request."""
        candidate = self.by_node_id.get(node_id)
        if candidate:
            return candidate
        snapshot = self._context.snapshot
        if node_id >= snapshot.n_node_ids or not snapshot.live[node_id]:
            return None
        entry = snapshot.entry(int(snapshot.file_of[node_id]))
        return self._candidate(entry, entry.position(node_id), node_id) if entry else None

    def parent(self, candidate: Candidate) -> Candidate | None:
        """Return the definition that a node is a member of."""
        parent = candidate.entry.parents()[candidate.position]
        owner = self.get(int(candidate.entry.node_ids[parent])) if parent >= 0 else None
        return owner if owner and owner.kind != "file" else None

    def members(self, candidate: Candidate) -> list[Candidate]:
        """Return what a definition contains."""
        parents, node_ids = candidate.entry.parents(), candidate.entry.node_ids.tolist()
        inner = (
            self.get(i) for i, p in zip(node_ids, parents, strict=True) if p == candidate.position
        )
        return [member for member in inner if member]

    def share_out(self, path: str, share: float, reason: str) -> None:
        """Give the definitions of a file a utility that sums to `share`."""
        entry = self._context.snapshot.files[path]
        candidates = [
            self._candidate(entry, position, node_id)
            for position, node_id in enumerate(entry.node_ids.tolist())
        ]
        mates = [c for c in candidates if c is not None and c.kind not in ("section", "window")]
        for mate in mates:
            # Next to a reason of its own this one says nothing.
            utility = min(share / len(mates), _MAX_MATE_UTILITY)
            mate.add(Origin("file", utility, "" if mate.has_reason else reason))

    def _candidate(self, entry: FileEntry, position: int, node_id: int) -> Candidate | None:
        candidate = self.by_node_id.get(node_id)
        if candidate:
            return candidate
        order = len(self.by_node_id) + len(self.excluded)
        kind = KINDS[self._context.snapshot.kind_of[node_id]]
        candidate = Candidate(node_id, entry, position, kind, order, entry.path)
        if self._is_excluded(entry.path):
            self.excluded.setdefault(node_id, candidate)
            return None
        self.by_node_id[node_id] = candidate
        return candidate

    def innermost(self, path: str, lines: Lines) -> list[Candidate]:
        """Return the innermost nodes that touch the lines of a file."""
        entry = self._context.snapshot.files.get(path)
        if entry is None:
            return []
        first, last = lines
        touched = [
            position
            for position, node in enumerate(entry.nodes)
            if node.kind != "file" and node.span.start_line <= last and first <= node.span.end_line
        ]
        parents = {entry.nodes[position].parent for position in touched}
        inner = [self.get(int(entry.node_ids[p])) for p in touched if p not in parents]
        return [candidate for candidate in inner if candidate]

    def file(self, path: str, lines: Lines) -> list[Candidate]:
        """Return the node of a file itself, if it has the first of some lines."""
        entry = self._context.snapshot.files.get(path)
        if entry is None:
            return []
        first, last = lines
        own = [
            self.get(int(entry.node_ids[position]))
            for position, node in enumerate(entry.nodes)
            if node.kind == "file" and first <= min(last, node.span.end_line)
        ]
        return [candidate for candidate in own if candidate]

    def by_rank(self) -> list[Candidate]:
        """Return pinned candidates first, then by utility."""
        candidates = self.by_node_id.values()
        return sorted(candidates, key=lambda c: (not c.pinned, -c.utility, c.path, c.position))
