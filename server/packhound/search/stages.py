"""Optional stages that rescore finished hits, each with one more reason in their scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeAlias

from packhound.core.settings import Settings
from packhound.core.trace import span
from packhound.core.types import Hit, NodeRef, SignalValue
from packhound.core.vector_cache import VectorCache
from packhound.search.order import rank_hits
from packhound.search.query.parse import ParsedQuery
from packhound.search.run import SearchRun

TextOf: TypeAlias = Callable[[NodeRef], str]
"""Path and source of a node; the path alone where the file changed since."""


class NodeVectors(NamedTuple):
    """The cache of vectors of a folder; `is_on_disk` tells if the text of a node may go there."""

    cache: VectorCache
    is_on_disk: Callable[[NodeRef], bool]


@dataclass(frozen=True, slots=True)
class StageContext:
    """The query that the hits answer, the run that it is part of, and what all searches share."""

    query: ParsedQuery
    run: SearchRun
    text_of: TextOf
    settings: Settings
    vectors: NodeVectors | None = None


class Stage(Protocol):
    """A second-stage ranker such as a cross-encoder."""

    @property
    def name(self) -> str:
        """Words for a note."""

    def applies(self, query: ParsedQuery) -> bool:
        """Return True if it would change the scores of the query's hits."""

    def depth(self, limit: int, query: ParsedQuery) -> int:
        """Return how many hits it needs to find the best `limit`."""

    def rerank(self, hits: Sequence[Hit], context: StageContext) -> Sequence[Hit]:
        """Return the hits with new scores and reasons, in any order. Raises Cancelled."""


def with_reasons(hit: Hit, *reasons: SignalValue) -> Hit:
    """Return a hit with more reasons for its score, which grows by what they contribute."""
    score = hit.score + sum(reason.contribution for reason in reasons)
    return replace(hit, score=score, why=(*hit.why, *reasons))


def first_stage_depth(stages: Sequence[Stage], limit: int, query: ParsedQuery) -> int:
    """Return how many hits the stages need to find the best `limit`."""
    for stage in reversed(stages):
        limit = stage.depth(limit, query)
    return limit


def apply_stages(
    stages: Sequence[Stage], hits: tuple[Hit, ...], limit: int, context: StageContext
) -> tuple[Hit, ...]:
    """Return the best `limit` hits after each stage has rescored those that the one before kept."""
    for position, stage in enumerate(stages, 1):
        depth = first_stage_depth(stages[position:], limit, context.query)
        if hits and context.run.over_budget and stage.applies(context.query):
            context.run.skip(stage.name)
            hits = rank_hits(hits, depth)
        else:
            with span(stage.name):
                hits = rank_hits(stage.rerank(hits, context), depth)
    return hits
