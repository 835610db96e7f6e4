"""Maintenance saves memory and time and changes no answer, while edits and searches go on."""

from __future__ import annotations

import threading
import time
import tracemalloc

import numpy as np

from packhound.index.compaction import compact
from packhound.index.postings import segment
from packhound.index.writer import Index
from packhound.storage.sqlite_store import Store
from tests.support.index_check import contents, keys
from tests.support.index_corpus import BagOfWords
from tests.support.small_index import put, random_text, run_maintenance, small_index


def check_equals_rebuilt(index: Index, texts: dict[str, str]) -> None:
    rebuilt = Index(BagOfWords())
    put(rebuilt, texts)
    assert contents(index.snapshot) == contents(rebuilt.snapshot)


def edited(index: Index, rounds: int, *, maintained: bool) -> dict[str, str]:
    """What is in the index after some rounds of edits, with maintenance at any moment between."""
    random = np.random.default_rng(rounds)
    now: dict[str, str] = {}
    for version in range(rounds):
        changed = {f"{i}.py": random_text(int(i), version) for i in random.choice(12, 3)}
        put(index, changed)
        now |= changed
        if version % 9 == 5:
            missing = next(iter(now))
            del now[missing]
            index.remove([missing])
            index.publish()
        if maintained and index.maintain():
            index.publish()
        time.sleep(0.0005)
    return now


def test_edits_with_maintenance_between_equal_a_rebuild():
    index = small_index(graph_from=15)
    now = edited(index, 150, maintained=True)
    run_maintenance(index)
    snapshot = index.snapshot
    assert snapshot.epoch != Index(BagOfWords()).snapshot.epoch
    assert snapshot.n_node_ids < 2 * snapshot.n_nodes + 20
    check_equals_rebuilt(index, now)


def test_without_maintenance_the_same_edits_end_in_the_same_index():
    index = small_index()
    now = edited(index, 60, maintained=False)
    before = contents(index.snapshot)
    run_maintenance(index)
    assert contents(index.snapshot) == before
    check_equals_rebuilt(index, now)


def test_merging_all_at_once_changes_no_answer():
    index = small_index()
    now = edited(index, 60, maintained=False)
    before = contents(index.snapshot)
    assert len(index.snapshot.terms.segments) > 1
    index.merge()
    index.publish()
    assert len(index.snapshot.terms.segments) == 1
    assert contents(index.snapshot) == before
    check_equals_rebuilt(index, now)


def test_edits_during_a_compaction_are_in_its_result():
    index = small_index()
    put(index, {f"{i}.py": random_text(i) for i in range(20)})
    put(index, {f"{i}.py": random_text(i, 1) for i in range(10)})
    old = index.snapshot
    compacted = compact(old)
    put(index, {"3.py": random_text(3, 2), "new.py": random_text(77), "0.py": ""})
    index.remove(["5.py"])
    index.adopt(lambda state: state.adopt(compacted))
    index.publish()
    texts = {f"{i}.py": random_text(i, int(i < 10)) for i in range(20)}
    texts |= {"3.py": random_text(3, 2), "new.py": random_text(77), "0.py": ""}
    del texts["5.py"]
    check_equals_rebuilt(index, texts)
    put(index, {"3.py": random_text(3, 4)})
    check_equals_rebuilt(index, texts | {"3.py": random_text(3, 4)})
    assert keys(old) and old.n_files == 20


def test_vectors_that_come_during_a_compaction_are_kept():
    index = small_index(fast=False)
    put(index, {f"{i}.py": random_text(i) for i in range(20)})
    index.embed_some()
    put(index, {"0.py": random_text(0, 1)})
    compacted = compact(index.snapshot)
    index.embed_some()
    index.adopt(lambda state: state.adopt(compacted))
    while index.embed_some():
        pass
    index.publish()
    check_equals_rebuilt(index, {f"{i}.py": random_text(i, int(i == 0)) for i in range(20)})


def test_a_store_follows_a_compaction(tmp_path):
    index = small_index()
    store = Store.open(tmp_path / "s", lambda: "1")
    put(index, {f"{i}.py": random_text(i) for i in range(20)})
    store.save(index.snapshot)
    put(index, {f"{i}.py": random_text(i, 1) for i in range(15)})
    run_maintenance(index)
    assert index.health().dead_share == 0
    store.save(index.snapshot)
    again = Index(BagOfWords())
    again.restore(store.load())
    store.close()
    assert contents(again.snapshot) == contents(index.snapshot)


def test_searches_go_on_during_maintenance():
    index = small_index(graph_from=20)
    put(index, {f"{i}.py": random_text(i) for i in range(30)})
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
    run_maintenance(index)
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


def test_merging_takes_less_memory_a_part_of_the_alphabet_at_a_time(monkeypatch):
    index, peaks = Index(), []
    words = " ".join(f"word{n}" for n in range(2_000))
    for i in range(20):
        put(index, {f"{i}.py": f"function f{i}: {words}"})
    segments, live = index.snapshot.terms.segments, index.snapshot.live
    assert len(segments) > 1
    merged = []
    for at_once in (1_000_000, 500):
        monkeypatch.setattr(segment, "_TERMS_AT_ONCE", at_once)
        tracemalloc.start()
        merged.append(segment.merge_segments(segments, np.arange(len(live)), 0, len(live)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 0.8 * peaks[0], peaks
    first, second = merged
    assert first.terms == second.terms
    for name in ("term_starts", "starts", "node_ids", "tf"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
