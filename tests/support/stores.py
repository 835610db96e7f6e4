"""Stores of small indexes: saved, loaded, and used by child processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from packhound.index.writer import Index
from packhound.storage.sqlite_store import Store
from tests.support.index_child import VERSIONS
from tests.support.index_corpus import BagOfWords

REPOSITORY = Path(__file__).parents[2]


def child(what: str, folder: Path) -> subprocess.Popen[str]:
    run = [sys.executable, "-m", "tests.support.index_child", what, str(folder)]
    pipe = subprocess.PIPE
    return subprocess.Popen(run, cwd=REPOSITORY, stdin=pipe, stdout=pipe, text=True)


def loaded(folder: Path, versions: str = VERSIONS) -> Index | None:
    store = Store.open(folder, lambda: versions)
    try:
        saved = store.load()
        if saved is None:
            return None
        index = Index(BagOfWords())
        index.restore(saved)
        return index
    finally:
        store.close()


def saved_in(folder: Path, index: Index) -> Path:
    store = Store.open(folder, lambda: VERSIONS)
    store.save(index.snapshot)
    store.close()
    return folder
