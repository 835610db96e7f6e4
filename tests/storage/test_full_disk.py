"""A disk that is full at any byte: what was saved stays, and the next save goes on from there."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from packhound.core.errors import StoreError
from packhound.index.writer import Index
from packhound.storage.sqlite_store import Store
from tests.support.index_check import contents
from tests.support.index_child import VERSIONS, filled, put
from tests.support.index_corpus import BagOfWords

resource = pytest.importorskip("resource")


@pytest.fixture
def disk(monkeypatch):
    """A function that says how long files may become; None for as long as they like."""
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(size: int | None) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft if size is None else size, hard))

    yield limit
    limit(None)
    signal.signal(signal.SIGXFSZ, before)


@pytest.mark.usefixtures("bulk")
@pytest.mark.parametrize("step", [24_576, pytest.param(512, marks=pytest.mark.release)])
def test_a_save_that_does_not_fit_leaves_the_last_one(tmp_path: Path, disk, step: int) -> None:
    small, large = filled(2), filled(2)
    put(large, {f"more{n}.py": f"function g{n}: load x{n}" for n in range(60)})
    saved, folder = tmp_path / "kept", tmp_path / "s"
    store = Store.open(saved, lambda: VERSIONS)
    store.save(small.snapshot)
    store.close()
    refused = 0
    for size in range(0, 4_000_000, step):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(saved, folder)
        store = Store.open(folder, lambda: VERSIONS)
        assert store.load() is not None
        disk(size)
        try:
            store.save(large.snapshot)
            fits = True
        except StoreError as error:
            fits = False
            assert "cannot be saved" in str(error)
        disk(None)
        expected = large if fits else small
        reader = Store.open(folder, lambda: VERSIONS)
        assert not reader.writer
        check_holds(reader, expected)
        # The process lives on, and there is room again.
        store.save(large.snapshot)
        check_holds(reader, large)
        store.close()
        refused += not fits
        if fits:
            break
    assert refused > 2 and fits


def check_holds(store: Store, index: Index) -> None:
    again = Index(BagOfWords())
    again.restore(store.load())
    assert contents(again.snapshot) == contents(index.snapshot)
