"""The store of notes: what was acknowledged is there, whoever writes or is killed."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from packhound.core.errors import StoreError
from packhound.core.types import Query
from packhound.memory import NoteStore, write_note
from packhound.service import Engine, clear_index, notes_folder
from tests.support.note_kills import KILLS_A_ROUND, kill_writers

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals and modes")


@pytest.fixture
def store(tmp_path: Path) -> NoteStore:
    return NoteStore(notes_folder(tmp_path))


def check_kills(root: Path, kills: int) -> None:
    """Check that two processes that write at once and are killed lose nothing they named."""
    rounds = range(kills // KILLS_A_ROUND)
    result = kill_writers(root, rounds)
    assert (result.kills, result.lost) == (kills, 0)
    assert result.acknowledged >= kills


@posix
def test_kills_lose_nothing_acknowledged(tmp_path: Path) -> None:
    check_kills(tmp_path, 10)


@pytest.mark.slow
@posix
def test_a_thousand_kills_lose_nothing_acknowledged(tmp_path: Path) -> None:
    check_kills(tmp_path, 1_000)


@posix
def test_only_the_owner_may_read(tmp_path: Path, store: NoteStore) -> None:
    write_note(store, "insight", {"content": "x"})
    [folder] = [path for path in (tmp_path / "data").iterdir()]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_another_process_sees_a_write_at_once(store: NoteStore) -> None:
    other = NoteStore(store.path.parent)
    assert other.all() == []
    before = other.version()
    note = write_note(store, "insight", {"content": "x"})
    assert other.version() != before
    assert other.all() == [note]
    assert store.delete(note.id)
    assert other.all() == []


def test_a_note_is_read_back_as_it_was(store: NoteStore) -> None:
    values = {
        "name": "n\u2028\U0001f600", "summary": "s\ns", "files": ["a.py"],
        "metadata": {"a": [1, {"b": None}]}, "expires_at": "2035-01-01T00:00:00Z", "tags": ["t"],
    }  # fmt: skip
    note = write_note(store, "stash", values)
    assert NoteStore(store.path.parent).all() == [note]


@pytest.mark.parametrize("damage", ["cut", "garbage", "later version"])
def test_damage_is_named_and_code_goes_on(engine: Engine, damage: str) -> None:
    path = engine.notes.notebook.store.path
    engine.notes.add("insight", {"key": "k", "content": "mail"})
    engine.notes.notebook.store.close()
    if damage == "later version":
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version = 99")
        connection.close()
    else:
        data = path.read_bytes()
        path.write_bytes(data[:5_000] if damage == "cut" else b"x" * len(data))
    with pytest.raises(StoreError, match=r"the notes in '.*' cannot be read or written: "):
        engine.notes.notebook.all()
    results = engine.search(Query("mail the receipt"))
    assert results.hits[0].node.name == "send_receipt"
    assert any("cannot be read or written" in note for note in results.notes)
    assert path.exists(), "nobody deletes what may be saved yet"


def test_clearing_the_index_leaves_the_notes(engine: Engine, root: Path) -> None:
    note = engine.notes.add("insight", {"content": "mail"})
    engine.flush()
    engine.close()
    assert clear_index(root) > 0
    assert clear_index(None) >= 0
    assert NoteStore(notes_folder(root)).all() == [note]


@pytest.mark.skipif(os.name != "posix", reason="links and FIFOs of POSIX")
@pytest.mark.parametrize("kind", ["link", "FIFO"])
def test_what_is_no_regular_file_is_refused(tmp_path: Path, kind: str) -> None:
    store = NoteStore(tmp_path / "notes")
    store.path.parent.mkdir(mode=0o700)
    if kind == "link":
        store.path.symlink_to(tmp_path / "elsewhere")
    else:
        os.mkfifo(store.path)
    with pytest.raises(StoreError, match="is not a regular file"):
        store.all()
    with pytest.raises(StoreError, match="is not a regular file"):
        write_note(store, "insight", {"content": "x"})
    assert not (tmp_path / "elsewhere").exists()


def test_a_deleted_file_is_made_again(store: NoteStore) -> None:
    write_note(store, "insight", {"content": "x"})
    for path in store.path.parent.iterdir():
        path.unlink()
    assert store.all() == []
    note = write_note(store, "insight", {"content": "y"})
    assert store.all() == [note]
