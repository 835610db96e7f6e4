"""Maintenance saves memory and time and changes no answer, while edits and searches go on."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from packhound.core.errors import Cancelled
from packhound.index import maintenance
from packhound.index.compaction import compact
from packhound.index.maintenance import Drift, Limits
from packhound.index.postings.merge_policy import MergePolicy
from packhound.index.vectors.hnsw import GRAPH_FROM, build_graph, graph_problem
from packhound.index.writer import Index
from packhound.storage.sqlite_store import Store
from tests.support.index_check import contents, keys
from tests.support.index_corpus import BagOfWords, file, stamp

WORDS = [f"w{i}" for i in range(60)]

needs_hnswlib = pytest.mark.skipif(bool(graph_problem()), reason="hnswlib could not be built here")


def small(*, graph_from: int = GRAPH_FROM, fast: bool = True) -> Index:
    """An index whose maintenance begins at sizes that tests reach."""
    policy = MergePolicy(fan_out=3, min_postings=20, max_inline=400)
    limits = Limits(graph_from=graph_from, min_dead=10, max_tail=20, merge_policy=policy)
    return Index(BagOfWords(fast=fast), limits=limits)


def text(i: int, version: int = 0) -> str:
    drawn = np.random.default_rng(i * 1000 + version).choice(WORDS, 4)
    return f"function f{i}: {' '.join(drawn)} v{version}\nclass c{i}: {' '.join(drawn[:2])}"


def put(index: Index, texts: dict[str, str]) -> None:
    index.replace([file(p, t) for p, t in texts.items()], {p: stamp() for p in texts})
    index.publish()


def keep_up(index: Index) -> None:
    """Let all due maintenance happen."""
    for _ in range(1000):
        if index.maintain():
            index.publish()
        elif not index.maintenance_running:
            return
        time.sleep(0.001)
    raise AssertionError("maintenance does not end")


def check_equals_rebuilt(index: Index, texts: dict[str, str]) -> None:
    rebuilt = Index(BagOfWords())
    put(rebuilt, texts)
    assert contents(index.snapshot) == contents(rebuilt.snapshot)


def edited(index: Index, rounds: int, *, maintained: bool) -> dict[str, str]:
    """What is in the index after some rounds of edits, with maintenance at any moment between."""
    random = np.random.default_rng(rounds)
    now: dict[str, str] = {}
    for version in range(rounds):
        changed = {f"{i}.py": text(int(i), version) for i in random.choice(12, 3)}
        put(index, changed)
        now |= changed
        if version % 9 == 5:
            gone = next(iter(now))
            del now[gone]
            index.remove([gone])
            index.publish()
        if maintained and index.maintain():
            index.publish()
        time.sleep(0.0005)
    return now


def test_edits_with_maintenance_between_equal_a_rebuild():
    index = small(graph_from=15)
    now = edited(index, 150, maintained=True)
    keep_up(index)
    snapshot = index.snapshot
    assert snapshot.epoch != Index(BagOfWords()).snapshot.epoch
    assert snapshot.n_node_ids < 2 * snapshot.n_nodes + 20
    check_equals_rebuilt(index, now)


def test_without_maintenance_the_same_edits_end_in_the_same_index():
    index = small()
    now = edited(index, 60, maintained=False)
    before = contents(index.snapshot)
    keep_up(index)
    assert contents(index.snapshot) == before
    check_equals_rebuilt(index, now)


def test_merging_all_at_once_changes_no_answer():
    index = small()
    now = edited(index, 60, maintained=False)
    before = contents(index.snapshot)
    assert len(index.snapshot.terms.segments) > 1
    index.merge()
    index.publish()
    assert len(index.snapshot.terms.segments) == 1
    assert contents(index.snapshot) == before
    check_equals_rebuilt(index, now)


def test_edits_during_a_compaction_are_in_its_result():
    index = small()
    put(index, {f"{i}.py": text(i) for i in range(20)})
    put(index, {f"{i}.py": text(i, 1) for i in range(10)})
    old = index.snapshot
    compacted = compact(old)
    put(index, {"3.py": text(3, 2), "new.py": text(77), "0.py": ""})
    index.remove(["5.py"])
    index.adopt(lambda state: state.adopt(compacted))
    index.publish()
    texts = {f"{i}.py": text(i, int(i < 10)) for i in range(20)}
    texts |= {"3.py": text(3, 2), "new.py": text(77), "0.py": ""}
    del texts["5.py"]
    check_equals_rebuilt(index, texts)
    put(index, {"3.py": text(3, 4)})
    check_equals_rebuilt(index, texts | {"3.py": text(3, 4)})
    assert keys(old) and old.n_files == 20


def test_vectors_that_come_during_a_compaction_are_kept():
    index = small(fast=False)
    put(index, {f"{i}.py": text(i) for i in range(20)})
    index.embed_some()
    put(index, {"0.py": text(0, 1)})
    compacted = compact(index.snapshot)
    index.embed_some()
    index.adopt(lambda state: state.adopt(compacted))
    while index.embed_some():
        pass
    index.publish()
    check_equals_rebuilt(index, {f"{i}.py": text(i, int(i == 0)) for i in range(20)})


def test_a_store_follows_a_compaction(tmp_path):
    index = small()
    store = Store.open(tmp_path / "s", lambda: "1")
    put(index, {f"{i}.py": text(i) for i in range(20)})
    store.save(index.snapshot)
    put(index, {f"{i}.py": text(i, 1) for i in range(15)})
    keep_up(index)
    assert index.health().dead_share == 0
    store.save(index.snapshot)
    again = Index(BagOfWords())
    again.restore(store.load())
    store.close()
    assert contents(again.snapshot) == contents(index.snapshot)


def test_searches_go_on_during_maintenance():
    index = small(graph_from=20)
    put(index, {f"{i}.py": text(i) for i in range(30)})
    query = BagOfWords().encode_query("w1 w2")
    over = threading.Event()
    faults: list[BaseException] = []

    def search() -> None:
        while not over.is_set():
            try:
                check_one_search(index.snapshot, query)
            except BaseException as error:
                faults.append(error)
                return

    readers = [threading.Thread(target=search) for _ in range(2)]
    for reader in readers:
        reader.start()
    edited(index, 120, maintained=True)
    keep_up(index)
    over.set()
    for reader in readers:
        reader.join()
    assert not faults


def check_one_search(snapshot, query) -> None:
    node_ids, cosines = snapshot.nearest(query, 7)
    assert len(node_ids) == min(7, snapshot.n_nodes) and snapshot.live[node_ids].all()
    assert np.array_equal(cosines, snapshot.similarities(query, node_ids))
    for node_id in node_ids.tolist():
        assert snapshot.ref(node_id, "/").path in snapshot.files
    assert len(snapshot.names) == snapshot.n_node_ids


def large(n: int = 600) -> Index:
    index = small(graph_from=100)
    put(index, {f"{i}.py": text(i) for i in range(n // 2)})
    keep_up(index)
    return index


def check_recall(index: Index, least: float) -> None:
    snapshot = index.snapshot
    found = 0
    for i in range(40):
        query = BagOfWords().encode_query(" ".join(WORDS[i : i + 3]))
        near = snapshot.nearest(query, 10)[1]
        exact = snapshot.nearest(query, 10, np.ones(snapshot.n_node_ids, bool))[1]
        assert (np.diff(near) <= 0).all() and near[0] <= exact[0]
        found += int(np.count_nonzero(near >= exact[-1]))
    assert found >= least * 400


@needs_hnswlib
def test_the_graph_finds_what_a_scan_finds():
    index = large()
    health = index.health()
    assert (health.dense, health.vectors) == ("hnsw", 600) and health.recall >= 0.95
    assert health.drift == Drift(0.0, 0, 0.0, 0.0)
    check_recall(index, 0.99)


@needs_hnswlib
def test_edits_are_found_before_and_after_the_graph_takes_them_in():
    index = large()
    put(index, {"x.py": "function fresh: unheard of words"})
    query = BagOfWords().encode_query("fresh unheard of words")
    assert index.health().drift.tail == 1
    for _ in range(2):
        snapshot = index.snapshot
        best = int(snapshot.nearest(query, 3)[0][0])
        assert snapshot.node(best).name == "fresh"
        put(index, {f"more{i}.py": text(5000 + i) for i in range(20)})
        keep_up(index)
    assert index.health().drift.tail == 0
    index.remove(["x.py"])
    assert index.publish().nearest(query, 3)[1][0] < 0.9
    check_recall(index, 0.99)


@needs_hnswlib
def test_a_worn_graph_is_built_anew():
    index = large()
    put(index, {f"{i}.py": text(i, 1) for i in range(160)})
    assert index.health().drift.graph_dead_share > 0.25
    keep_up(index)
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
    index = large()
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
    index = small(graph_from=10)
    put(index, {f"{i}.py": text(i) for i in range(20)})
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
    index = small(graph_from=10)
    put(index, {f"{i}.py": text(i) for i in range(20)})
    assert not index.maintain() and started.wait(10)
    index.close()
    assert index.maintenance_done and not index.maintain()


def test_the_threshold_is_where_scans_get_slow():
    assert GRAPH_FROM == 150_000
