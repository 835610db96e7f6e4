"""What is found out before a search is what the search would find out."""

from __future__ import annotations

import numpy as np
from shop import embedder, snapshot

from packhound.core.types import Query
from packhound.search import pipeline as searching
from packhound.search.retrieve.corpus_stats import facts_of, prepare
from packhound.search.signals.bloom import NamePairs, pairs_of

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
    sums = [then.vectors.rows(entry.node_ids).sum(axis=0) for entry in corpus.entries]
    lengths = corpus.centroid_lengths[[entry.file_id for entry in corpus.entries]]
    assert np.allclose(lengths, np.linalg.norm(sums, axis=1))
    assert pauses and corpus.pairs.see(names, np.arange(len(names), dtype=np.int32)).all()


def test_names_that_come_while_another_thread_asks_are_seen() -> None:
    pairs, more = NamePairs(), ["load_config", "save_config", "parse_price", "merge_runs"]

    class Growing(list[str]):
        """Names of which another search has seen more before this one has counted them twice."""

        asked = 0

        def __len__(self) -> int:
            self.asked += 1
            if self.asked == 2:
                pairs.see(more, np.arange(len(more), dtype=np.int32))
            return super().__len__()

    few = np.arange(2, dtype=np.int32)
    wanted = pairs_of(["load", "config"])
    assert pairs.having(Growing(more[:2]), few, wanted).tolist() == [True, False]
    every = np.arange(len(more), dtype=np.int32)
    assert pairs.having(more, every, wanted).tolist() == [True, False, False, False]
