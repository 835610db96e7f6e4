"""Indexes that other versions wrote: never misread, and made anew by whoever may write them.

`fixtures/indexes` has one of each older format, as the version of that time left it for a folder
with the file below. A change of `FORMAT` adds the file that the version before it writes.
"""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.service.engine import Engine
from packhound.service.roots import index_folder
from packhound.storage import Store
from packhound.storage.load import FORMAT
from tests.support.index_check import contents

OLDER = sorted((Path(__file__).parents[2] / "fixtures" / "indexes").glob("*.sqlite"))
SOURCE = 'def load_config(path):\n    """Read the settings file."""\n    return path\n'


def format_of(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA user_version").fetchone()[0]
    finally:
        connection.close()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / "config.py").write_text(SOURCE)
    return folder


def opened(root: Path, *, persist: bool = True) -> Engine:
    engine = Engine.open(root, settings_from({"index.workers": 1, "index.persist": persist}))
    assert engine.settled(60)
    return engine


def test_each_older_format_is_there() -> None:
    assert [format_of(path) for path in OLDER] == list(range(1, FORMAT))


@pytest.mark.parametrize("older", OLDER, ids=lambda path: path.stem)
def test_an_index_of_an_older_version_is_made_anew(root: Path, older: Path) -> None:
    database = index_folder(root) / "index.sqlite"
    database.parent.mkdir(parents=True)
    shutil.copy(older, database)
    engine = opened(root)
    assert [hit.node.name for hit in engine.search(Query("load_config")).hits] == ["load_config"]
    assert any("format" in note for note in engine.status().notes)
    engine.close()
    assert format_of(database) == FORMAT
    again, rebuilt = opened(root), opened(root, persist=False)
    assert again.status().notes == ()
    assert contents(again.snapshot) == contents(rebuilt.snapshot)
    again.close()
    rebuilt.close()


def test_an_index_of_a_newer_version_is_made_anew(root: Path) -> None:
    opened(root).close()
    database = index_folder(root) / "index.sqlite"
    connection = sqlite3.connect(database)
    connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    connection.commit()
    connection.close()
    engine = opened(root)
    assert f"format {FORMAT + 1}" in " ".join(engine.status().notes)
    engine.close()
    assert format_of(database) == FORMAT


def test_one_that_may_not_write_leaves_the_other_version_alone(root: Path) -> None:
    opened(root).close()
    database = index_folder(root) / "index.sqlite"
    # An engine that may write would save again by itself, into the file that is put there.
    writer = Store.open(database.parent, str)
    assert writer.writer
    shutil.copy(OLDER[0], database)
    reader = opened(root)
    assert reader.snapshot.n_files == 1 and not reader.index.writer
    assert format_of(database) == 1
    reader.close()
    writer.close()
