"""State and health of the index of one folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

EncoderState = Literal["off", "loading", "missing", "encoding", "failed", "ready"]
"""Of an encoder: switched off, being loaded, not to be opened, with nodes to read, with nodes it
failed at, and ready."""
State = Literal["starting", "indexing", "ready", "degraded", "off", "closed"]


class Reading(NamedTuple):
    """Files of a folder that can be found, of those that were listed.

    `is_listed` is False until the folder was walked over, and where reading was given up.
    """

    n_read: int = 0
    n_files: int = 0
    is_listed: bool = True

    @property
    def is_complete(self) -> bool:
        """Return True if nothing that is known to be in the folder is left to read."""
        return self.is_listed and self.n_read >= self.n_files

    @property
    def note(self) -> str:
        """The number of files that were read, in words; "" if all were."""
        if self.is_complete:
            return ""
        if not self.is_listed:
            return f"{self.n_read:,} files read so far; there may be more"
        return f"{self.n_read:,} of {self.n_files:,} files read so far"


BINARY_BY_NAME = "binary by name"
"""Why files such as images are left out, of which nobody expects words."""
GREP_ALONE = "data or large: by grep alone"
"""Why most words and the definitions of a text are not in the index."""
LOCK_FILE = "lock file: names and versions alone"
"""Why most lines of a text are neither in the index nor read by grep."""
NOT_CHECKED_OUT = "not checked out"
"""Why files that git tracks are not there: a sparse checkout leaves them out."""
UNPARSED = "not parsed: by words alone"
"""Why a text has no definitions: its parser took too long or too much memory, or failed."""
IN_PART = frozenset({GREP_ALONE, LOCK_FILE, UNPARSED})
ALL_READ = Reading()


def why_in_part(degraded: str | None) -> str:
    """Return why a file of the index is searched only in part; "" if it is not."""
    if degraded == GREP_ALONE:
        return GREP_ALONE
    return UNPARSED if degraded and degraded.startswith("parsing ") else ""


def total_reading(readings: Sequence[Reading]) -> Reading:
    """Return the reading of several folders as that of one."""
    return Reading(
        sum(reading.n_read for reading in readings),
        sum(reading.n_files for reading in readings),
        all(reading.is_listed for reading in readings),
    )


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


MAX_DEAD_SHARE, MIN_DEAD = 0.3, 2_000
"""Above both of them deleted rows are removed in idle time."""
MAX_TAIL, MAX_GRAPH_DEAD_SHARE, MAX_LENGTH_SHIFT = 16, 0.25, 0.3
"""Above one of them the graph of vectors is extended (`tail`), or built anew."""


class LeftOutRow(NamedTuple):
    """Files and folders that are not indexed for one reason; folders are not looked into."""

    reason: str
    files: int
    folders: int


class LeftOut(NamedTuple):
    """Files of a folder that are not, or only in part, indexed: all by reason, and by path.

    `paths` has the paths of a reason, each with a NUL behind it, which no path holds: of 50,000
    images a tenth of what a table of them takes. Files that ignore files or a setting name are in
    `rows` alone, and so are those beyond the first hundred thousand.
    """

    rows: tuple[LeftOutRow, ...] = ()
    paths: Mapping[str, str] = MappingProxyType({})

    @property
    def files(self) -> dict[str, str]:
        """The reason of each file by path."""
        return {
            path: reason for reason, text in self.paths.items() for path in text.split("\0")[:-1]
        }

    @property
    def counts(self) -> dict[str, int]:
        """The number of these files by reason."""
        return {reason: text.count("\0") for reason, text in self.paths.items()}


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
    failed_vectors: int = 0
    """Nodes without a vector because the encoder failed."""
    encoder: EncoderState = "ready"
    encoder_problem: str = ""
    """Why the encoder is missing or failed."""
    pending_vectors: int = 0
    """Nodes whose vectors are still to come."""
    disk_bytes: int = 0
    save_problem: str = ""
    """Why the index is in memory only though it should be on disk; it is in `notes` too."""
    sources: tuple[SourceRow, ...] = ()
    """Sources beside code that are open, or all that are switched on where that was asked for."""
    reading: Reading = ALL_READ
    deep_vectors: tuple[int, int] | None = None
    """Nodes that the deep model has read in advance, and how many it is to read; None if none."""
