"""What is found out before a search is what the search would find out."""

from __future__ import annotations

import numpy as np
from shop import embedder, snapshot

from packhound import search as searching
from packhound.ranking.facts import facts_of, prepare
from packhound.types import Query

QUESTION = Query("how the stock levels are kept")


def test_a_prepared_index_gives_the_same_answer() -> None:
    then = snapshot.__wrapped__()
    before = searching.search(then, QUESTION, embedder(), root="/shop")
    prepare(then, lambda: None)
    after = searching.search(then, QUESTION, embedder(), root="/shop")
    assert after.hits and after.hits == before.hits


def test_all_files_and_names_are_prepared() -> None:
    then, pauses = snapshot.__wrapped__(), []
    prepare(then, lambda: pauses.append(None))
    corpus, names = facts_of(then), then.name_table.names
    sums = [then.vectors.rows(entry.labels).sum(axis=0) for entry in corpus.entries]
    lengths = corpus.centroid_lengths[[entry.file_id for entry in corpus.entries]]
    assert np.allclose(lengths, np.linalg.norm(sums, axis=1))
    assert pauses and corpus.pairs.see(names, np.arange(len(names), dtype=np.int32)).all()
