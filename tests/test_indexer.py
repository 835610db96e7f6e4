"""What the one writer does with its helpers, step by step, without its thread."""

from pathlib import Path

from packhound.index.index import Index
from packhound.indexer import Indexer
from packhound.settings import Settings


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
