"""What the one writer does with its helpers, step by step, without its thread."""

from pathlib import Path

import pytest

from packhound.core.settings import Settings
from packhound.core.types import Document
from packhound.index.writer import Index
from packhound.indexing.indexer import Indexer
from tests.support.index_check import contents


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


TEXTS = {
    "plain": "def load():\n    return 1\n",
    "marked": "\ufeffdef load():\n    return 1\n",
    "marked twice": "\ufeff\ufeffdef load():\n    return 1\n",
    "only marked": "\ufeff",
    "empty": "",
    "minified": "def load(): return 1;" * 1_000,
    "minified behind a mark": "\ufeff" + "x" * 8_192,
    "binary": "def load():\n    return '\0'\n",
    "as long as may be": "x = 1\n" * 16_000 + "x = 12345678\n" * 2 + "y" * 3_974,
    "too long": "x = 1\n" * 16_667,
    "as long as may be behind a mark": "\ufeff" + "x = 1\n" * 16_666 + "x=1\n",
}


def without_stamps(index: Index) -> dict[str, object]:
    files = index.snapshot.files.items()
    return {path: (file.digest, file.nodes, file.degraded) for path, file in files}


@pytest.mark.parametrize("name", TEXTS)
def test_an_open_text_is_indexed_as_its_file(tmp_path: Path, name: str) -> None:
    """Whether and how, so that saving changes nothing."""
    file, settings = tmp_path / "a.py", Settings(max_file_kilobytes=100)
    indexed = []
    for is_saved in (True, False):
        index = Index(None)
        indexer = Indexer(tmp_path, settings, index, None, lambda: None)
        file.write_bytes(TEXTS[name].encode() if is_saved else b"x = 0\n")
        if not is_saved:
            indexer.update(Document("a.py", TEXTS[name].encode()))
        indexer.start()
        try:
            assert indexer.settled(60)
            indexed.append({**contents(index.snapshot), "files": without_stamps(index)})
        finally:
            indexer.close()
    assert indexed[0] == indexed[1]
