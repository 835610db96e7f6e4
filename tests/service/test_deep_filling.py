"""In idle time the deep model reads what searches are likely to find, of texts on disk alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.core.types import Budget, Document, Query
from packhound.indexing import Timing
from packhound.operations.status import status_row
from packhound.service import Engine
from tests.service.test_saved_vectors import n_saved, reads_of_deep_model
from tests.support.project import wait_until, write_files

IDLE_AT_ONCE = Timing(deep_idle_s=0.01, deep_poll_s=0.05, recent_use_s=0.01)
CODE = {
    "parcel.py": "".join(
        f"def step_{n}(parcel):\n    return parcel.shipment.track({n})\n\n\n" for n in range(4)
    ),
    "tests/test_parcel.py": "def check_steps():\n    assert step_1(parcel).shipment\n",
    "docs/guide.md": "# Shipments\n\nHow a shipment is tracked.\n",
}

OTHER_WORDS = {
    "shop.py": """def login(user, password):
    session.user = user


def ship(parcel, address):
    return carrier.send(parcel, address)


def refund(order):
    return bank.transfer(order.buyer, order.price)


def evict(entries, deadline):
    return [e for e in entries if e.expiry > deadline]
"""
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@contextmanager
def idle(root: Path, settings: dict[str, object] | None = None) -> Iterator[Engine]:
    engine = Engine.open(root, settings_from(settings or {}), timing=IDLE_AT_ONCE)
    try:
        assert engine.settled(60)
        engine.prepare()
        yield engine
    finally:
        engine.close()


def read_all(engine: Engine, n: int) -> bool:
    return engine.status().deep_vectors == (n, n)


def test_a_search_is_answered_from_all_that_was_read(root: Path, data: Path) -> None:
    write_files(root, OTHER_WORDS)
    few = {"words": {"topK": 1}, "meaning": {"topK": 1}, "names": {"topK": 1}}
    query = Query(
        "someone returns goods and is paid back", deep=True, budget=Budget(time_ms=60_000)
    )
    with idle(root, few) as engine:
        wait_until(lambda: read_all(engine, 4))
        assert engine.search(query).hits[0].node.name == "refund"
    off = few | {"deep": {"idleNodes": 0}}
    with idle(root, off) as engine:
        assert "refund" not in [hit.node.name for hit in engine.search(query).hits]


def test_a_search_finds_read_what_it_would_wait_for(
    root: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(root, CODE)
    with idle(root) as engine:
        wait_until(lambda: read_all(engine, 4))
        assert n_saved(root) == 4
        assert status_row(engine.status())["deep_vectors"] == (4, 4)
        read = reads_of_deep_model(monkeypatch)
        query = Query("how is a parcel tracked -path:tests", deep=True, budget=Budget(60_000))
        hits = engine.search(query).hits
    assert {hit.node.name for hit in hits} >= {f"step_{n}" for n in range(4)}
    assert not any("step" in text for text in read)


def test_only_texts_on_disk_are_read(
    root: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(root, {"parcel.py": "def lost(parcel):\n    return None\n"})
    read = reads_of_deep_model(monkeypatch)
    with idle(root) as engine:
        wait_until(lambda: read_all(engine, 1))
        text = "def found(parcel):\n    return parcel.insurance.refund()\n"
        engine.update(Document("parcel.py", text.encode()))
        wait_until(lambda: engine.status().deep_vectors == (0, 1))
        write_files(root, {"other.py": "def other(parcel):\n    return parcel.weight\n"})
        engine.refresh()
        wait_until(lambda: engine.status().deep_vectors == (1, 2))
        assert n_saved(root) == 2 and not any("insurance" in each for each in read)
        write_files(root, {"parcel.py": text})
        engine.release("parcel.py")
        wait_until(lambda: read_all(engine, 2))
    assert any("insurance" in each for each in read)


def test_no_answer_waits_for_texts_that_are_not_on_disk(root: Path, data: Path) -> None:
    write_files(root, {"parcel.py": "", "other.py": "def other(parcel):\n    return 1\n"})
    query = Query("how is a parcel weighed", deep=True, budget=Budget(60_000))
    with idle(root) as engine:
        engine.update(Document("parcel.py", b"def found(parcel):\n    return 2\n"))
        wait_until(lambda: engine.status().deep_vectors == (1, 2))
        results = engine.search(query)
    assert {hit.node.name for hit in results.hits} >= {"other", "found"}
    assert not any("has read" in note for note in results.notes)


def test_a_restart_reads_nothing_again(
    root: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(root, CODE)
    with idle(root) as engine:
        wait_until(lambda: read_all(engine, 4))
    read = reads_of_deep_model(monkeypatch)
    with idle(root) as engine:
        wait_until(lambda: read_all(engine, 4))
    assert read == []


@pytest.mark.parametrize(
    "settings",
    [
        {"deep.idleNodes": 0},
        {"search.deep": "off"},
        {"index.persist": False},
        {"meaning.enabled": False},
    ],
)
def test_where_it_is_off_nothing_is_read(
    root: Path, data: Path, settings: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(root, CODE)
    read = reads_of_deep_model(monkeypatch)
    with idle(root, settings) as engine:
        assert engine.preparation.join(60)
        assert engine.status().deep_vectors is None
        engine.configure(Settings())
        wait_until(lambda: read_all(engine, 4))
    assert len(read) == 4


def test_the_longest_are_read_where_there_are_many(
    root: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "def longest(parcel):\n" + "    parcel.shipment.track(parcel.weight)\n" * 20
    write_files(root, {**CODE, "long.py": long})
    read = reads_of_deep_model(monkeypatch)
    with idle(root, {"deep.idleNodes": 1}) as engine:
        wait_until(lambda: read_all(engine, 1))
    assert len(read) == 1 and read[0].startswith("longest.")


def test_a_process_that_forgets_to_close_ends_well(root: Path, data: Path) -> None:
    write_files(root, {f"{n}.py": CODE["parcel.py"].replace("step", f"s{n}") for n in range(20)})
    script = f"""
import time
from pathlib import Path
from packhound.indexing import Timing
from packhound.service import Engine, deep_filling
deep_filling._REST = 0.0
engine = Engine.open(Path({str(root)!r}), timing=Timing(deep_idle_s=0.01, recent_use_s=0.01))
assert engine.settled(60)
engine.prepare()
while not (engine.status().deep_vectors or (0, 0))[0]:
    time.sleep(0.01)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
