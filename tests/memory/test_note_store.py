"""The store of notes: what was acknowledged is there, whoever writes or is killed."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from packhound.core.errors import StoreError
from packhound.core.types import Query
from packhound.memory import Note, NoteStore, write_note
from packhound.memory.backups import backups_of
from packhound.pack import PackRequest
from packhound.service import Engine, clear_index, notes_folder
from tests.support.note_kills import KILLS_A_ROUND, kill_writers
from tests.support.release import seed, size

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals and modes")


@pytest.fixture
def store(tmp_path: Path) -> NoteStore:
    return NoteStore(notes_folder(tmp_path))


def check_kills(root: Path, kills: int) -> None:
    """Check that two processes that write at once and are killed lose nothing they named."""
    first = seed() * kills // KILLS_A_ROUND
    rounds = range(first, first + kills // KILLS_A_ROUND)
    result = kill_writers(root, rounds)
    assert (result.kills, result.lost) == (kills, 0)
    assert result.acknowledged >= kills


@posix
def test_kills_lose_nothing_acknowledged(tmp_path: Path) -> None:
    check_kills(tmp_path, 4)


@pytest.mark.release
@posix
def test_a_thousand_kills_lose_nothing_acknowledged(tmp_path: Path) -> None:
    check_kills(tmp_path, size(1_000))


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


def written(store: NoteStore, n: int) -> list[Note]:
    """Write notes of a page or so each, so that the file has many pages."""
    return [write_note(store, "insight", {"content": f"{i} " + "x" * 3_000}) for i in range(n)]


def started_a_day_later(store: NoteStore) -> NoteStore:
    """Return the store as another process opens it when its backups are old."""
    store.close()
    for backup in backups_of(store.path):
        os.utime(backup, (0, 0))
    return NoteStore(store.path.parent)


def damage(store: NoteStore, kind: str) -> None:
    """Damage the file of a store as disks do; its log is in it when it is closed."""
    store.close()
    data = bytearray(store.path.read_bytes())
    match kind:
        case "garbage":
            data[:] = b"x" * len(data)
        case "cut":
            del data[len(data) // 2 :]
        case "pages":
            data[len(data) // 2 : len(data) // 2 + 8_192] = bytes(8_192)
    store.path.write_bytes(data)


@pytest.mark.parametrize("kind", ["garbage", "cut", "pages"])
def test_a_rescue_has_the_notes_of_the_backup_and_what_can_be_read(
    store: NoteStore, kind: str
) -> None:
    before = written(store, 20)
    again = started_a_day_later(store)
    assert again.all() == before
    assert len(backups_of(store.path)) == 2
    later = written(again, 20)
    damage(again, kind)
    damaged = again.path.read_bytes()
    with pytest.raises(StoreError, match="packhound memory rescue"):
        again.all()
    rescued = again.rescue()
    notes = again.all()
    assert rescued.problem and rescued.backup and rescued.n_notes == len(notes)
    assert {note.id for note in before} <= {note.id for note in notes}
    if kind == "pages":
        assert len(notes) > len(before), "what was written since, but for two pages"
    assert {note.id for note in notes} <= {note.id for note in (*before, *later)}
    assert rescued.kept and rescued.kept.read_bytes() == damaged
    assert again.rescue() == (len(notes), "", None, None)
    assert again.clear() == len(notes)
    assert again.rescue().n_notes == 0 and not backups_of(store.path) and not rescued.kept.exists()


def test_a_damaged_file_takes_the_place_of_no_backup(store: NoteStore) -> None:
    notes = written(store, 20)
    assert started_a_day_later(store).all() == notes
    backups = backups_of(store.path)
    damage(store, "pages")
    other = started_a_day_later(store)
    with suppress(StoreError):
        other.all()
    other.close()
    assert backups and backups_of(store.path) == backups
    assert other.rescue().n_notes == len(notes)


def test_a_pack_says_that_the_notes_cannot_be_read(engine: Engine) -> None:
    engine.notes.add("insight", {"key": "k", "content": "mail"})
    damage(engine.notes.notebook.store, "garbage")
    packed = engine.pack(PackRequest("mail the receipt"))
    assert "send_receipt" in packed.text
    assert any("packhound memory rescue" in note for note in packed.notes)


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
