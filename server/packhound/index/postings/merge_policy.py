"""When segments are merged: eight of about one size become one of the next size.

Each posting is then copied a few times at most however many edits there are, and a search never
meets more than a few dozen segments.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from packhound.core.arrays import Mask
from packhound.index.postings.segment import Segment, merge

FAN_OUT = 8

QUICK = 30_000
"""Postings that can be merged between two key strokes: about 2 ms."""

_SMALLEST = 1_000


def tier(segment: Segment) -> int:
    """Size class of a segment."""
    size, found = segment.n_postings, 0
    while size >= _SMALLEST:
        size //= FAN_OUT
        found += 1
    return found


def run_to_merge(segments: Sequence[Segment]) -> tuple[int, int] | None:
    """First and last-plus-one position of neighbours to merge, the newest first; None if none."""
    end = len(segments)
    while end:
        top = tier(segments[end - 1])
        start = end
        while start and tier(segments[start - 1]) <= top:
            start -= 1
        if end - start >= FAN_OUT:
            return start, end
        end -= 1
    return None


def merged_run(segments: Sequence[Segment], live: Mask) -> Segment:
    """One segment for neighbours, without the postings of dead node ids."""
    first, last = segments[0], segments[-1]
    n_node_ids = last.base + last.n_node_ids - first.base
    new_node_ids = np.full(len(live), -1, np.int32)
    alive = np.flatnonzero(live[first.base : first.base + n_node_ids]).astype(np.int32)
    new_node_ids[alive + first.base] = alive
    return merge(segments, new_node_ids, first.base, n_node_ids)
