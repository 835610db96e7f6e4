"""The graph of neighbours: what it finds, how it follows edits, and what happens without it."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from packhound.core.errors import Cancelled
from packhound.core.status import Drift
from packhound.index import maintenance
from packhound.index.vectors import exact
from packhound.index.vectors.hnsw import build_graph, graph_problem
from packhound.index.writer import Index
from tests.support.index_corpus import BagOfWords
from tests.support.small_index import WORDS, put, random_text, run_maintenance, small_index

needs_hnswlib = pytest.mark.skipif(bool(graph_problem()), reason="hnswlib could not be built here")


FRESH = {"x.py": "function fresh: unheard of words"}


def large(n: int = 600) -> Index:
    index = small_index(graph_from=100)
    put(index, {f"{i}.py": random_text(i) for i in range(n // 2)})
    run_maintenance(index)
    return index


def check_recall(index: Index, minimum: float) -> None:
    snapshot = index.snapshot
    n_hits = 0
    for i in range(40):
        query = BagOfWords().encode_query(" ".join(WORDS[i : i + 3]))
        near = snapshot.nearest(query, 10)[1]
        exact = snapshot.nearest(query, 10, np.ones(snapshot.n_node_ids, bool))[1]
        assert (np.diff(near) <= 0).all() and near[0] <= exact[0]
        n_hits += int(np.count_nonzero(near >= exact[-1]))
    assert n_hits >= minimum * 400


@needs_hnswlib
def test_the_graph_finds_what_a_scan_finds():
    index = large()
    health = index.health()
    assert (health.dense, health.vectors) == ("hnsw", 600) and health.recall >= 0.95
    assert health.drift == Drift(0.0, 0, 0.0, 0.0)
    check_recall(index, 0.99)


@needs_hnswlib
def test_an_edit_is_in_the_graph_as_soon_as_it_is_published():
    index = large()
    query = BagOfWords().encode_query("fresh unheard of words")
    put(index, {"x.py": "function fresh: unheard of words"})
    assert index.health().drift.tail == 0 and index.health().dense == "hnsw"
    snapshot = index.snapshot
    best = int(snapshot.nearest(query, 3)[0][0])
    assert snapshot.node(best).name == "fresh"
    assert not len(snapshot.vectors.graph.lacks(snapshot.vectors.usable))
    put(index, {"x.py": "function fresh: other things"})
    assert index.snapshot.nearest(query, 3)[1][0] < 0.9


@needs_hnswlib
def test_many_new_nodes_are_found_before_and_after_the_graph_takes_them_in():
    index = large()
    query = BagOfWords().encode_query("fresh unheard of words")
    put(index, {f"more{i}.py": random_text(5000 + i) for i in range(20)} | FRESH)
    assert index.health().drift.tail == 41
    for _ in range(2):
        snapshot = index.snapshot
        best = int(snapshot.nearest(query, 3)[0][0])
        assert snapshot.node(best).name == "fresh"
        run_maintenance(index)
        assert index.health().drift.tail == 0
    index.remove(["x.py"])
    assert index.publish().nearest(query, 3)[1][0] < 0.9
    check_recall(index, 0.99)


@needs_hnswlib
def test_filters_that_many_pass_are_asked_of_the_graph(monkeypatch):
    monkeypatch.setattr(exact, "_FEW", 20)
    index = large(3_000)
    snapshot = index.snapshot
    graph = snapshot.vectors.graph
    asked = []
    monkeypatch.setattr(type(graph), "candidates", spy(type(graph).candidates, asked))
    n_hits = 0
    for i in range(40):
        allowed = np.random.default_rng(i).random(snapshot.n_node_ids) < 0.3
        query = BagOfWords().encode_query(" ".join(WORDS[i : i + 3]))
        node_ids, cosines = snapshot.nearest(query, 10, allowed)
        truth = np.sort(snapshot.similarities(query)[allowed])[::-1][:10]
        assert allowed[node_ids].all() and (np.diff(cosines) <= 0).all()
        n_hits += int(np.count_nonzero(cosines >= truth[-1]))
    assert len(asked) == 40 and n_hits >= 0.99 * 400


def spy(function, calls: list):
    def call(*args, **options):
        calls.append(args)
        return function(*args, **options)

    return call


@needs_hnswlib
def test_cosines_are_the_same_bits_with_a_graph_and_without():
    index = large(3_000)
    vectors = index.snapshot.vectors
    query = BagOfWords().encode_query("w1 w2 w3")
    node_ids = np.arange(0, len(vectors.usable), 37, dtype=np.int32)
    plain = replace(vectors, graph=None).similarities(query, node_ids)
    assert np.array_equal(vectors.similarities(query, node_ids), plain)


@needs_hnswlib
def test_a_worn_graph_is_built_anew():
    index = large()
    put(index, {f"{i}.py": random_text(i, 1) for i in range(160)})
    assert index.health().drift.graph_dead_share > 0.25
    reasons = []
    while index.maintain() or index.maintenance_running:
        reasons += index.health().notes
        index.publish()
        time.sleep(0.001)
    assert list(dict.fromkeys(reasons)) == [
        "the index is compacted, since 35% of its nodes are deleted",
        "a graph of neighbours is built, since 53% of the one there are deleted",
    ]
    assert not index.health().notes
    assert index.health().drift.graph_dead_share == 0
    check_recall(index, 0.99)


def test_filtered_searches_are_exact():
    index = large()
    snapshot = index.snapshot
    query = BagOfWords().encode_query("w3 w4")
    allowed = np.arange(snapshot.n_node_ids) % 50 == 0
    node_ids, cosines = snapshot.nearest(query, 5, allowed)
    truth = snapshot.similarities(query)
    assert allowed[node_ids].all()
    assert cosines.tolist() == sorted(truth[allowed].tolist(), reverse=True)[:5]


def test_more_neighbours_than_there_are_is_no_fault():
    index = large(200)
    snapshot = index.snapshot
    query = BagOfWords().encode_query("w3")
    assert len(snapshot.nearest(query, 10_000)[0]) == 200
    assert len(snapshot.nearest(query, 0)[0]) == 0
    index.remove([f"{i}.py" for i in range(99)])
    assert len(index.publish().nearest(query, 50)[0]) == 2


@needs_hnswlib
def test_measured_recall_is_that_of_the_graph():
    index = large(4_000)
    vectors = index.snapshot.vectors
    graph = build_graph(vectors, 1.0)
    assert graph.measure_recall(vectors) >= 0.95
    shuffled = np.random.default_rng(1).permutation(graph.node_id_of)
    assert replace(graph, node_id_of=shuffled).measure_recall(vectors) < 0.5


def test_without_hnswlib_scans_answer_and_the_status_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "hnswlib", None)
    index = large()
    health = index.health()
    assert health.dense == "exact" and health.recall == 1.0
    assert "hnswlib cannot be used" in health.notes[0]
    check_recall(index, 1.0)


@needs_hnswlib
def test_a_job_that_fails_changes_nothing(monkeypatch, caplog):
    def fail(*_: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(maintenance, "build_graph", fail)
    index = small_index(graph_from=10)
    put(index, {f"{i}.py": random_text(i) for i in range(20)})
    called = threading.Event()
    index.on_maintenance(called.set)
    assert not index.maintain() and called.wait(10)
    assert not index.maintain() and "maintenance of the index failed" in caplog.text
    assert index.health().dense == "exact"


@needs_hnswlib
def test_closing_gives_up_a_graph_that_is_being_built():
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        build_graph(large().snapshot.vectors, 1.0, stop)


@needs_hnswlib
def test_closing_waits_for_the_end_of_the_job(monkeypatch):
    started = threading.Event()

    def build(_vectors: object, _length: float, stop: threading.Event) -> None:
        started.set()
        assert stop.wait(30)
        raise Cancelled("given up")

    monkeypatch.setattr(maintenance, "build_graph", build)
    index = small_index(graph_from=10)
    put(index, {f"{i}.py": random_text(i) for i in range(20)})
    assert not index.maintain() and started.wait(10)
    index.close()
    assert index.maintenance_done and not index.maintain()


@needs_hnswlib
def test_recall_is_measured_again_after_deletions():
    index = large()
    index.remove([f"{i}.py" for i in range(40)])
    index.publish()
    before = index.health()
    assert before.drift.graph_dead_share == pytest.approx(80 / 600)
    run_maintenance(index)
    graph = index.snapshot.vectors.graph
    assert graph.unmeasured_share == 0
    assert index.health().recall == graph.measure_recall(index.snapshot.vectors) >= 0.95


@needs_hnswlib
def test_a_graph_comes_and_goes_with_the_threshold():
    index = large()
    for graph_from, dense in ((1_200, "hnsw"), (1_201, "exact"), (600, "hnsw"), (0, "exact")):
        index.set_graph_threshold(graph_from)
        run_maintenance(index)
        assert index.health().dense == dense
