"""A fault at any point of a change leaves an index that the next change makes right."""

from __future__ import annotations

import pytest

from packhound.index import diff, state
from packhound.index.columns import Column
from packhound.index.node_columns import NodeColumns
from packhound.index.vectors.vector_column import VectorColumn
from packhound.index.writer import Index
from tests.support.index_check import contents
from tests.support.index_corpus import BagOfWords, file, stamp

POINTS = [
    (Column, "write"),
    (VectorColumn, "reserve"),
    (VectorColumn, "write"),
    (NodeColumns, "update_liveness"),
    (NodeColumns, "attach"),
    (state, "build_segment"),
    (NodeColumns, "add"),
    (diff, "FileEntry"),
    (BagOfWords, "encode"),
]
BEFORE = {"a.py": "function f: load\nclass c: tree", "b.py": "test t: config"}
CHANGE = {"a.py": "function f: load x\nclass c: tree", "c.py": "function g: parse"}


def put(index: Index, texts: dict[str, str]) -> None:
    index.replace([file(p, t) for p, t in texts.items()], {p: stamp() for p in texts})


def rebuilt(texts: dict[str, str]) -> dict[str, object]:
    index = Index(BagOfWords())
    put(index, texts)
    return contents(index.publish())


def fail_at(monkeypatch, owner: object, name: str, call: int) -> list[int]:
    """Let one call of a function fail; returns the count of its calls."""
    works, calls = getattr(owner, name), [0]

    def faulty(*args: object, **options: object) -> object:
        calls[0] += 1
        if calls[0] == call:
            raise MemoryError("no room")
        return works(*args, **options)

    monkeypatch.setattr(owner, name, faulty)
    return calls


@pytest.mark.parametrize(("owner", "name"), POINTS, ids=[name for _, name in POINTS])
def test_after_a_fault_the_same_change_succeeds(owner, name):
    for call in range(1, 20):
        index = Index(BagOfWords())
        put(index, BEFORE)
        index.publish()
        with pytest.MonkeyPatch.context() as patch:
            calls = fail_at(patch, owner, name, call)
            try:
                put(index, CHANGE)
                index.remove(["b.py"])
            except MemoryError:
                pass
        after = index.publish()
        assert set(after.files) >= {"a.py"} and after.n_nodes == int(after.live.sum())
        assert sum(len(entry.node_ids) for entry in after.files.values()) == after.n_nodes
        put(index, CHANGE)
        index.remove(["b.py"])
        assert contents(index.publish()) == rebuilt(CHANGE)
        if calls[0] < call:
            assert call > 1
            return
    raise AssertionError("the fault never stopped coming")
