"""The deep model adds one more reason to the scores of records, for all of them or for none."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from packhound.core.errors import ModelError
from packhound.core.records import Record, Scope
from packhound.core.types import Budget, Query
from packhound.search import DeepRanker, SearchRun
from packhound.service import Engine
from packhound.service.deep_records import DeepRescorer
from packhound.sources import RecordQuery, Source
from packhound.sources.indexed_source import IndexedSource
from packhound.storage import VectorStore

QUESTION = "how do we keep the cache small"
RECORDS = [
    Record("a", "note", "cache", "keep it warm"),
    Record("b", "note", "memory", "keep the heap small by evicting what is old"),
    Record("c", "note", "eviction", "the oldest go first, keep calm", metadata={"state": "stale"}),
    Record("d", "stash", "cache", "keep"),
]


class Notes(Source):
    """Records that never change."""

    name = "notes"

    def version(self) -> object:
        return 1

    def records(self) -> list[Record]:
        return RECORDS

    def state(self, record: Record) -> str:
        return str(record.metadata.get("state", ""))


class Encoder:
    """Finds texts with a word similar to everything, and counts what it reads."""

    fingerprint = "test"

    def __init__(self, word: str) -> None:
        self.word = word
        self.texts: list[str] = []

    def encode(self, text: str, interruption: object = None) -> np.ndarray:
        self.texts.append(text)
        is_near = self.word in text or text == QUESTION
        return np.array([1.0 if is_near else -0.5, 0.1], np.float32)

    def encode_query(self, text: str) -> np.ndarray:
        return self.encode(text)


def ask(encoder: Encoder | ModelError, folder: Path, time_ms: float = 60_000, *, deep: bool = True):
    def load() -> Encoder:
        if isinstance(encoder, ModelError):
            raise encoder
        return encoder

    words = ["cache", "keep", "small"]
    query = RecordQuery(words, [1.0] * 3, None, Scope(("note",)), now=1e6, text=QUESTION)
    run = SearchRun(Query(QUESTION, budget=Budget(time_ms)), None)
    rescorer = DeepRescorer(DeepRanker(load), QUESTION, run, VectorStore(folder))
    source = IndexedSource(Notes(), SimpleNamespace(embedder=None, vectors=None))
    scored, _, _ = source.search(query, 3, rescorer if deep else None)
    return scored, run.results((), 0, 0).notes


def test_similarity_counts_and_is_one_of_the_reasons(tmp_path: Path) -> None:
    scored, notes = ask(Encoder("evicting"), tmp_path / "index")
    assert scored[0].record.id == "b" and len(scored) == 3 and not notes
    for entry in scored:
        assert entry.why[-1].signal == "deep_similarity"
        assert math.isclose(entry.score, math.fsum(s.contribution for s in entry.why))


def test_what_is_stale_gains_less(tmp_path: Path) -> None:
    scored, _ = ask(Encoder("e"), tmp_path / "index")
    weights = {entry.record.id: entry.why[-1].weight for entry in scored}
    assert weights == {"a": 1.0, "b": 1.0, "c": pytest.approx(0.7)}


def test_a_second_process_reads_the_query_alone(tmp_path: Path) -> None:
    first, second = Encoder("evicting"), Encoder("evicting")
    scored = ask(first, tmp_path / "index")
    assert len(first.texts) == 4
    assert ask(second, tmp_path / "index") == scored
    assert second.texts == [QUESTION]


@pytest.mark.parametrize("cause", ["time", "model"])
def test_without_time_or_model_the_first_order_stands(tmp_path: Path, cause: str) -> None:
    plain, _ = ask(Encoder("e"), tmp_path / "index", deep=False)
    if cause == "time":
        scored, notes = ask(Encoder("evicting"), tmp_path / "index", time_ms=0)
    else:
        scored, notes = ask(ModelError("the deep model is broken"), tmp_path / "index")
    assert scored == plain
    assert any("the deep model" in note for note in notes)


@pytest.mark.parametrize("deep", [True, False])
def test_the_query_decides(engine: Engine, data: Path, deep: bool) -> None:
    engine.notes.add("insight", {"key": "virus-scan", "content": "Uploads are scanned"})
    engine.notes.add("insight", {"key": "temp-files", "content": "Users' files are deleted"})
    query = Query("files that users send", types=("note",), deep=deep, budget=Budget(60_000))
    hits = engine.search(query).hits
    assert hits
    assert {"deep_similarity" in {s.signal for s in hit.why} for hit in hits} == {deep}
    recalled = engine.notes.recall("insight", "virus-scan", 5, engine.search)
    assert recalled.match_type == "exact"
