"""A restart encodes nothing again, and nothing of an unsaved text is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.core.types import Budget, Document, Query
from packhound.encoder import Embedder
from packhound.encoder.deep_encoder import DeepEncoder
from packhound.service import Engine
from packhound.service.models import shared_deep_ranker
from packhound.service.roots import index_folder
from packhound.storage.vector_store import VECTORS
from tests.support.project import write_files

QUESTION = "how is a shipment tracked on its way"
PATIENT = Budget(time_ms=60_000)
PARCELS = "".join(
    f"def step_{n}(parcel):\n    return parcel.shipment.track({n})\n\n\n" for n in range(5)
)
UNSAVED = "def lost_parcel(shipment):\n    return shipment.insurance.refund()\n"


@contextmanager
def opened(root: Path, settings: Settings | None = None) -> Iterator[Engine]:
    """Open an engine as a new process does, which has read nothing yet."""
    shared_deep_ranker.cache_clear()
    engine = Engine.open(root, settings)
    try:
        assert engine.settled(60)
        yield engine
    finally:
        engine.close()


def n_saved(root: Path) -> int:
    path = index_folder(root) / VECTORS
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM vectors").fetchone()[0])


def deep_values(engine: Engine, query: Query) -> list[tuple[str, float]]:
    """What the deep model adds to each hit, the best first."""
    hits = engine.search(query).hits
    return [
        (h.node.qualname, s.value) for h in hits for s in h.why if s.signal == "deep_similarity"
    ]


def spy(monkeypatch: pytest.MonkeyPatch, cls: type, texts_of: Callable[[object], list[str]]):
    """The texts that an encoder reads from now on, except for queries."""
    encode, seen = cls.encode, list[str]()

    def encode_and_note(self: object, texts: object, *interruption: object) -> object:
        seen.extend(text for text in texts_of(texts) if text != QUESTION)
        return encode(self, texts, *interruption)

    monkeypatch.setattr(cls, "encode", encode_and_note)
    return seen


def reads_of_deep_model(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the deep model reads from now on."""
    return spy(monkeypatch, DeepEncoder, lambda text: [str(text)])


def test_deep_vectors_outlive_the_process(
    root: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(root, {"parcel.py": PARCELS})
    read = reads_of_deep_model(monkeypatch)
    query = Query(QUESTION, deep=True, budget=PATIENT)
    with opened(root) as engine:
        cold = deep_values(engine, query)
        assert len(read) >= 5
    assert n_saved(root) == len(read)
    read.clear()
    with opened(root) as engine:
        assert deep_values(engine, query) == cold
    assert read == []


def test_no_deep_vector_of_an_unsaved_text_is_written(
    root: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(root, {"parcel.py": PARCELS, "lost.py": "def lost():\n    return None\n"})
    query = Query(QUESTION, deep=True, budget=PATIENT)
    with opened(root) as engine:
        engine.search(query)
        before = n_saved(root)
        engine.update(Document("parcel.py", PARCELS.encode()))
        engine.update(Document("lost.py", UNSAVED.encode()))
        hits = engine.search(query).hits
        assert "lost_parcel" in {hit.node.name for hit in hits}
        assert n_saved(root) == before
    read = reads_of_deep_model(monkeypatch)
    write_files(root, {"lost.py": UNSAVED})
    with opened(root) as engine:
        assert engine.search(query).hits
        assert any("insurance" in text for text in read)
        assert n_saved(root) > before


def test_vectors_of_records_outlive_the_process(
    root: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(root) as engine:
        for number in range(12):
            engine.notes.add("insight", {"content": f"A shipment needs stamp {number}"})
        cold = engine.search(Query(QUESTION, types=("note",))).hits
        engine.sources.rebuild(["notes"], regenerate=False)
    read = spy(monkeypatch, Embedder, list)
    with opened(root) as engine:
        warm = engine.search(Query(QUESTION, types=("note",))).hits
        assert not any("shipment" in text for text in read)
        assert [hit.node.name for hit in warm] == [hit.node.name for hit in cold]
        [rebuilt] = engine.sources.rebuild(["notes"], regenerate=False)
        assert (rebuilt.reused, rebuilt.regenerated) == (12, 0)
        [rebuilt] = engine.sources.rebuild(["notes"], regenerate=True)
        assert (rebuilt.reused, rebuilt.regenerated) == (0, 12)


def test_no_vector_of_unsaved_knowledge_is_written(root: Path, data: Path) -> None:
    write_files(root, {"AGENTS.md": "# Shipments\n\nTrack each shipment.\n"})
    query = Query(QUESTION, types=("knowledge",))
    with opened(root) as engine:
        assert engine.search(query).hits
        before = n_saved(root)
        assert before == 1
        text = "# Insurance\n\nA lost shipment is refunded.\n"
        engine.update(Document("AGENTS.md", text.encode()))
        [hit] = engine.search(query).hits
        assert "Insurance" in hit.node.name
        assert n_saved(root) == before
        write_files(root, {"AGENTS.md": text})
        engine.release("AGENTS.md")
        assert engine.settled(60)
        engine.search(query)
        engine.sources.rebuild(["knowledge"], regenerate=True)
        assert n_saved(root) == before + 1


def test_nothing_is_written_where_nothing_is_persisted(root: Path, data: Path) -> None:
    with opened(root, settings_from({"index.persist": False})) as engine:
        engine.notes.add("insight", {"content": "A shipment needs a stamp"})
        assert engine.search(Query(QUESTION, types=("note",))).hits
    assert not index_folder(root).exists()
