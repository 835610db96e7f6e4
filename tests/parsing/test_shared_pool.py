"""Folders of one process share its parser processes."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from packhound.core.errors import Cancelled
from packhound.core.settings_reader import settings_from
from packhound.core.types import Document
from packhound.parsing import SharedPool
from packhound.service import EnginePool
from tests.support.lsp_client import wait_until

SOURCE = b"def zebra():\n    return 1\n"


def documents(count: int) -> Iterator[Document]:
    return (Document(f"m{n}.py", SOURCE) for n in range(count))


def children() -> set[int]:
    """Return the ids of the processes that this one has started and that still run."""
    ids = set[int]()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = entry.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == os.getpid() and state != "Z":
                ids.add(int(entry.parent.name))
    return ids


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_four_folders_have_the_processes_of_one(tmp_path: Path) -> None:
    before, counts, pool = children(), list[int](), EnginePool()
    settings = settings_from({"index.persist": False, "index.workers": 2})
    for n in range(4):
        root = tmp_path / f"tree{n}"
        root.mkdir()
        for document in documents(40):
            (root / document.path).write_bytes(document.source)
    engines = [pool.acquire(path, settings, lambda: None) for path in sorted(tmp_path.iterdir())]

    def is_read(engine) -> bool:
        counts.append(len(children() - before))
        return engine.settled(0.02)

    for engine in engines:
        wait_until(lambda engine=engine: is_read(engine))
        engine.update(Document("new.py", b"def late():\n    pass\n"))
        wait_until(lambda engine=engine: is_read(engine))
        assert engine.status().files == 41
        counts.append(len(children() - before))
    # None, where an engine of another test is open and has a parser for edits already.
    assert counts[-1] <= 1 and max(counts) <= 3, "one for edits, and two that read files"
    pool.close()
    wait_until(lambda: not children() - before)


def test_a_part_that_is_closed_is_cancelled_and_the_others_go_on() -> None:
    first, second = SharedPool(1), SharedPool(1)
    begun, go_on = threading.Event(), threading.Event()

    def endless() -> Iterator[Document]:
        for n, document in enumerate(documents(10_000)):
            if n == 300:
                begun.set()
                go_on.wait()
            yield document

    def close() -> None:
        begun.wait()
        first.close()
        go_on.set()

    closer = threading.Thread(target=close)
    closer.start()
    with pytest.raises(Cancelled):
        list(first.parse_many(endless()))
    closer.join()
    with pytest.raises(Cancelled):
        first.parse(Document("a.py", SOURCE))
    assert [node.name for node in second.parse(Document("a.py", SOURCE)).nodes][-1:] == ["zebra"]
    assert second.n_started == 1
    second.close()


def test_what_comes_after_the_last_part_has_processes_of_its_own() -> None:
    for _ in range(2):
        pool = SharedPool(1)
        pool.parse(Document("a.py", SOURCE))
        assert pool.n_started == 1
        pool.close()
