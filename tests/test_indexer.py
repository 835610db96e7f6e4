"""What the one writer does with its helpers, step by step, without its thread."""

from pathlib import Path

import pytest

from packhound.core.settings import Settings
from packhound.index.writer import Index
from packhound.indexing.indexer import Indexer


def test_a_cancelled_first_look_leaves_no_parsers(tmp_path: Path) -> None:
    for number in range(600):
        (tmp_path / f"part_{number}.py").write_text(f"x = {number}\n")
    indexer = Indexer(tmp_path, Settings(), Index(None), None, lambda: None)
    indexer._step()  # A slice of the walk: there is enough to start parsers for.
    assert indexer._bulk_pool is not None
    indexer.cancel()
    indexer._step()
    assert indexer._bulk_pool is None and not indexer.pending
    indexer.close()


def test_who_waits_for_a_pass_is_not_woken_at_every_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time costs the thread that indexes the interpreter."""
    n_files, woken = 300, []
    for number in range(n_files):
        (tmp_path / f"part_{number}.py").write_text(f"x = {number}\n")
    indexer = Indexer(tmp_path, Settings(), Index(None), None, lambda: None)
    wake_all = indexer._wake.notify_all

    def counted() -> None:
        woken.append(1)
        wake_all()

    monkeypatch.setattr(indexer._wake, "notify_all", counted)
    indexer.start()
    try:
        assert indexer.settled(60)
    finally:
        indexer.close()
    assert len(woken) < n_files / 2
