"""Indexes of random texts whose maintenance begins at sizes that tests reach."""

from __future__ import annotations

import time

import numpy as np

from packhound.core.settings import GRAPH_FROM
from packhound.index.maintenance import Limits
from packhound.index.postings.merge_policy import MergePolicy
from packhound.index.writer import Index
from tests.support.index_corpus import BagOfWords, file, stamp

WORDS = [f"w{i}" for i in range(60)]


def small_index(*, graph_from: int = GRAPH_FROM, fast: bool = True) -> Index:
    """An index whose maintenance begins at sizes that tests reach."""
    policy = MergePolicy(fan_out=3, min_postings=20, max_inline=400)
    limits = Limits(graph_from=graph_from, min_dead=10, max_tail=20, merge_policy=policy)
    return Index(BagOfWords(fast=fast), limits=limits)


def random_text(i: int, version: int = 0) -> str:
    drawn = np.random.default_rng(i * 1000 + version).choice(WORDS, 4)
    return f"function f{i}: {' '.join(drawn)} v{version}\nclass c{i}: {' '.join(drawn[:2])}"


def put(index: Index, texts: dict[str, str]) -> None:
    index.replace([file(p, t) for p, t in texts.items()], {p: stamp() for p in texts})
    index.publish()


def run_maintenance(index: Index) -> None:
    """Let all due maintenance happen."""
    for _ in range(1000):
        if index.maintain():
            index.publish()
        elif not index.maintenance_running:
            return
        time.sleep(0.001)
    raise AssertionError("maintenance does not end")
