"""Tiered merge policy (as Lucene's LogMergePolicy): segments of one size class are merged.

Each posting is then copied a few times at most however many edits there are, and a search never
meets more than a few dozen segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from packhound.core.arrays import Mask
from packhound.index.postings.segment import Segment, merge_segments


@dataclass(frozen=True, slots=True)
class MergePolicy:
    """`fan_out` neighbours of one tier become one segment, which is of the next tier.

    Segments below `min_postings` are of tier 0. A merge of up to `max_inline` postings fits
    between two key strokes: about 2 ms.
    """

    fan_out: int = 8
    min_postings: int = 1_000
    max_inline: int = 30_000

    def run_to_merge(self, segments: Sequence[Segment]) -> tuple[int, int] | None:
        """Return the start and end of neighbours to merge, the newest first; None if none are."""
        end = len(segments)
        while end:
            top = self._tier(segments[end - 1])
            start = end
            while start and self._tier(segments[start - 1]) <= top:
                start -= 1
            if end - start >= self.fan_out:
                return start, end
            end -= 1
        return None

    def _tier(self, segment: Segment) -> int:
        size, tier = segment.n_postings, 0
        while size >= self.min_postings:
            size //= self.fan_out
            tier += 1
        return tier


def merge_neighbours(segments: Sequence[Segment], live: Mask) -> Segment:
    """Merge neighbours into one segment, without the postings of dead node ids."""
    first, last = segments[0], segments[-1]
    n_node_ids = last.base + last.n_node_ids - first.base
    new_node_ids = np.full(len(live), -1, np.int32)
    alive = np.flatnonzero(live[first.base : first.base + n_node_ids]).astype(np.int32)
    new_node_ids[alive + first.base] = alive
    return merge_segments(segments, new_node_ids, first.base, n_node_ids)
