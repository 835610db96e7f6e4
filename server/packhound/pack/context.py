"""Sources of a pack: one snapshot and the ways to query it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from packhound.core.settings import Settings
from packhound.core.types import Query, Results
from packhound.graph import CallGraph, Graph, ScipIndex
from packhound.index import Snapshot
from packhound.llm import TokenCounter
from packhound.pack.conversations import Conversations
from packhound.pack.excerpt import Excerpts
from packhound.pack.request import Lines
from packhound.redact import CleanTexts

GRAPH_TOP_K = Settings().graph.top_k


def no_changed_lines(path: str) -> Sequence[Lines]:
    """Return no lines: every file is as it was committed."""
    return ()


def nothing_changed() -> Mapping[str, Sequence[Lines]]:
    """Return no changed lines of any file."""
    return {}


@dataclass(frozen=True, slots=True, eq=False)
class PackContext:
    """One snapshot and the ways to query it.

    `search` must answer from `snapshot`. `source` gives the text that the snapshot was made of, or
    None where there is none any more. `changed` gives the lines of a file that differ from the last
    commit or the file on disk, `all_changed` those of all files. `graph_top_k` neighbours of a node
    are considered, of each kind.
    """

    snapshot: Snapshot
    root: str
    search: Callable[[Query], Results]
    source: Callable[[str], bytes | None]
    graph: Graph
    conversations: Conversations = field(default_factory=Conversations)
    changed: Callable[[str], Sequence[Lines]] = no_changed_lines
    all_changed: Callable[[], Mapping[str, Sequence[Lines]]] = nothing_changed
    clean_texts: CleanTexts = field(default_factory=CleanTexts)
    cancel: threading.Event | None = None
    graph_top_k: int = GRAPH_TOP_K
    scip: ScipIndex | None = None

    @property
    def calls(self) -> CallGraph:
        """The resolved uses of the snapshot."""
        return CallGraph(self.graph, self.source, scip=self.scip)

    def excerpts(self, counter: TokenCounter) -> Excerpts:
        """Return the files of the snapshot as they leave, with their costs by a counter."""
        return Excerpts(self.snapshot.files, self.source, counter, self.clean_texts, self.cancel)
