"""Statistics computed before a search, or updated by an edit, change no answer."""

from __future__ import annotations

import numpy as np

from packhound.core.types import Query
from packhound.search.environment import SearchEnvironment
from packhound.search.pipeline import search
from packhound.search.retrieve.corpus_stats import SearchCache
from packhound.search.signals.bloom import BigramBloomFilter, bigrams_of
from tests.support.shop import embedder, environment, snapshot

QUESTION = Query("how the stock levels are kept")


def test_a_prepared_index_gives_the_same_answer() -> None:
    prepared = environment()
    assert [*prepared.cache.prepare(snapshot())]
    before = search(snapshot(), QUESTION, environment())
    after = search(snapshot(), QUESTION, prepared)
    assert after.hits and after.hits == before.hits


def test_all_files_and_names_are_prepared() -> None:
    cache, names = SearchCache(), snapshot().name_table.names
    steps = [*cache.prepare(snapshot())]
    stats = cache.stats(snapshot())
    sums = [snapshot().vectors.rows(entry.node_ids).sum(axis=0) for entry in stats.files if entry]
    lengths = stats.centroid_lengths[[entry.file_id for entry in stats.files if entry]]
    assert np.allclose(lengths, np.linalg.norm(sums, axis=1))
    assert steps and stats.bigrams.bits(names, np.arange(len(names), dtype=np.int32)).all()


def test_names_that_come_while_another_thread_asks_are_seen() -> None:
    bigram_filter = BigramBloomFilter()
    more = ["load_config", "save_config", "parse_price", "merge_runs"]

    class Growing(list[str]):
        """Names of which another search has seen more before this one has counted them twice."""

        n_calls = 0

        def __len__(self) -> int:
            self.n_calls += 1
            if self.n_calls == 2:
                bigram_filter.bits(more, np.arange(len(more), dtype=np.int32))
            return super().__len__()

    few = np.arange(2, dtype=np.int32)
    bigrams = bigrams_of(["load", "config"])
    assert bigram_filter.match_any(Growing(more[:2]), few, bigrams).tolist() == [True, False]
    every = np.arange(len(more), dtype=np.int32)
    assert bigram_filter.match_any(more, every, bigrams).tolist() == [True, False, False, False]


def test_a_cache_that_meets_another_index_begins_anew() -> None:
    cache = SearchCache()
    for corpus in (snapshot(), snapshot(backwards=True), snapshot()):
        stats = cache.stats(corpus)
        assert stats is cache.stats(corpus) and stats.describes(corpus)
        assert [entry.path for entry in stats.files if entry] == [
            corpus.paths[i] for i in range(corpus.n_file_ids)
        ]
        expected = search(corpus, QUESTION, environment())
        assert search(corpus, QUESTION, SearchEnvironment("shop", embedder(), cache)).hits == (
            expected.hits
        )
