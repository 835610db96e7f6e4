"""Everything that a search needs besides the snapshot and the query."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from packhound.core.settings import Settings
from packhound.core.types import NodeRef
from packhound.git import History
from packhound.search.query.encode import QueryEncoder
from packhound.search.rank.deep import ReadNodes
from packhound.search.retrieve.corpus_stats import SearchCache
from packhound.search.stages import NodeVectors, Stage, TextOf

if TYPE_CHECKING:
    from packhound.grep import Grep


def _path_alone(node: NodeRef) -> str:
    return node.path


@dataclass(frozen=True, slots=True)
class SearchEnvironment:
    """Models, settings and state that all searches of one folder share.

    `root` is the folder. `stages` rescore the best hits in their order, by the text that `text_of`
    returns for a node of the snapshot, and with `vectors` of earlier processes. `texts` finds lines
    in the snapshot's texts. Only the node ids `within` can be hits, None for all. By `history`
    files have the dates that a query asks for. `read_nodes` are those that the deep model, one of
    the stages, read in advance.
    """

    root: str
    embedder: QueryEncoder | None = None
    cache: SearchCache = field(default_factory=SearchCache)
    settings: Settings = field(default_factory=Settings)
    stages: tuple[Stage, ...] = ()
    text_of: TextOf = _path_alone
    vectors: NodeVectors | None = None
    texts: Grep | None = None
    within: frozenset[int] | None = None
    history: History | None = None
    read_nodes: ReadNodes | None = None

    @property
    def model(self) -> str:
        """The fingerprint of the encoder, empty without one."""
        return getattr(self.embedder, "fingerprint", "")
