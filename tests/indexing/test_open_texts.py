"""The text of an open document is indexed as the same text on disk would be."""

from __future__ import annotations

from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Document
from packhound.index.writer import Index
from packhound.indexing.indexer import Indexer
from tests.support.index_check import contents

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
    """The same nodes or none, so that saving changes nothing."""
    file, settings = tmp_path / "a.py", settings_from({"index.maxFileKilobytes": 100})
    indexed = []
    for is_saved in (True, False):
        index = Index(None)
        indexer = Indexer(tmp_path, settings, index, None, lambda: None)
        file.write_bytes(TEXTS[name].encode() if is_saved else b"x = 0\n")
        if not is_saved:
            indexer.queue.update(Document("a.py", TEXTS[name].encode()))
        indexer.start()
        try:
            assert indexer.queue.settled(60)
            indexed.append({**contents(index.snapshot), "files": without_stamps(index)})
        finally:
            indexer.close()
    assert indexed[0] == indexed[1]
