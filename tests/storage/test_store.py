"""What is saved is what comes back, or nothing does: damage, kills and rivals change no result."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import sqlite3
import stat
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packhound.core.errors import StoreError
from packhound.index import BLOCK_VECTORS
from packhound.index.writer import Index
from packhound.storage import bulk_rows
from packhound.storage.sibling import copy_index
from packhound.storage.sqlite_store import Store
from tests.support.index_check import contents
from tests.support.index_child import VERSIONS, edits, filled, put
from tests.support.index_corpus import BagOfWords, file, stamp
from tests.support.stores import child, loaded, saved_in

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX rights and signals")


@pytest.mark.usefixtures("bulk")
def test_what_is_saved_comes_back_and_goes_on(tmp_path):
    index = filled()
    store = Store.open(tmp_path / "s", lambda: VERSIONS)
    assert store.load() is None
    store.save(index.snapshot)
    put(index, {"1.py": "function g: parse", "new.py": "test t: config"})
    index.remove(["2.py"])
    store.save(index.publish())
    store.close()
    again = loaded(tmp_path / "s")
    assert contents(again.snapshot) == contents(index.snapshot)
    assert again.snapshot.generation == index.snapshot.generation
    for each in (index, again):
        put(each, {"3.py": "function h: load"})
    assert contents(again.snapshot) == contents(index.snapshot)


lines = st.lists(st.sampled_from(["function f: load", "class C: tree \ud800", "test t: x y"]))
steps = st.lists(st.tuples(st.sampled_from("abc"), st.none() | lines, st.booleans()), max_size=8)


@given(steps, st.sampled_from([0, 132_000, 16_000_000]))
@settings(max_examples=60)
def test_any_saves_between_any_edits_come_back(tmp_path_factory, changes, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk_rows, "MAX_BYTES", most)
        check_saves(tmp_path_factory.mktemp("store") / "s", changes)


def check_saves(folder, changes):
    index, store = filled(2), Store.open(folder, lambda: VERSIONS)
    for path, text, save in changes:
        if text is None:
            index.remove([path])
        else:
            index.replace([file(path, "\n".join(text))], {path: stamp(len(text))})
        index.publish()
        if save:
            store.save(index.snapshot)
    store.save(index.snapshot)
    store.close()
    assert contents(loaded(folder).snapshot) == contents(index.snapshot)


def test_a_loaded_store_is_continued_without_writing_it_anew(tmp_path):
    folder = saved_in(tmp_path / "s", filled())
    store = Store.open(folder, lambda: VERSIONS)
    index = Index(BagOfWords())
    index.restore(store.load())
    before = dict(rows_of(folder))
    put(index, {"1.py": "function g: parse"})
    store.save(index.snapshot)
    store.close()
    after = dict(rows_of(folder))
    changed = {key >> 40 for key, checksum in after.items() if before.get(key) != checksum}
    same_files = [key for key in before if key >> 40 == 0 and after.get(key) == before[key]]
    assert len(same_files) == 5 and changed == {0, 1, 2, 3, 5, 6, 7}
    assert contents(loaded(folder).snapshot) == contents(index.snapshot)


def rows_of(folder: Path) -> list[tuple[int, bytes]]:
    connection = sqlite3.connect(folder / "index.sqlite")
    try:
        return connection.execute("SELECT key, sum FROM rows").fetchall()
    finally:
        connection.close()


@pytest.mark.usefixtures("bulk")
def test_every_save_of_many_comes_back_and_is_continued(tmp_path):
    index, store = filled(), Store.open(tmp_path / "s", lambda: VERSIONS)
    store.save(index.snapshot)
    for n, _ in enumerate(itertools.islice(edits(index), 30)):
        if n % 12 == 6:
            index.merge()
            index.publish()
        store.save(index.snapshot)
        if n % 5 == 3:
            # Another process goes on from what is mapped.
            store.close()
            store, again = Store.open(tmp_path / "s", lambda: VERSIONS), Index(BagOfWords())
            again.restore(store.load())
            assert contents(again.snapshot) == contents(index.snapshot)
            index = again
        assert contents(loaded(tmp_path / "s").snapshot) == contents(index.snapshot)
    store.close()


def test_files_of_rows_that_nothing_names_are_deleted(tmp_path, monkeypatch):
    monkeypatch.setattr(bulk_rows, "MAX_BYTES", 0)
    index, store = filled(), Store.open(tmp_path / "s", lambda: VERSIONS)
    (tmp_path / "s" / "rows-0123456789abcdef.bin").write_bytes(b"of a killed process")
    for _ in itertools.islice(edits(index), 40):
        store.save(index.snapshot)
        # Each file is at least half in use.
        assert len(list((tmp_path / "s").glob("rows-*.bin"))) < 12
    assert not (tmp_path / "s" / "rows-0123456789abcdef.bin").exists()
    size = store.n_bytes
    store.discard()
    assert size > 0 and store.n_bytes == 0 and store.load() is None
    store.close()


def test_what_moves_to_a_file_takes_no_room_in_the_database(tmp_path, monkeypatch):
    index, store = filled(), Store.open(tmp_path / "s", lambda: VERSIONS)
    put(index, {"many.py": "\n".join(f"function f{n}: load x{n}" for n in range(9_000))})
    store.save(index.snapshot)
    before = (tmp_path / "s" / "index.sqlite").stat().st_size
    monkeypatch.setattr(bulk_rows, "MAX_BYTES", 0)
    put(index, {"1.py": "function g: parse"})
    store.save(index.snapshot)
    [path] = (tmp_path / "s").glob("rows-*.bin")
    database = (tmp_path / "s" / "index.sqlite").stat().st_size
    assert database + path.stat().st_size < before + 100_000
    store.close()


def test_a_file_of_rows_that_goes_while_it_is_used_is_written_again(tmp_path, monkeypatch):
    monkeypatch.setattr(bulk_rows, "MAX_BYTES", 0)
    folder = saved_in(tmp_path / "s", filled())
    store, index = Store.open(folder, lambda: VERSIONS), Index(BagOfWords())
    index.restore(store.load())
    for path in folder.glob("rows-*.bin"):
        path.unlink()
    put(index, {"1.py": "function g: parse"})
    store.save(index.snapshot)
    store.close()
    assert contents(loaded(folder).snapshot) == contents(index.snapshot)


def test_what_was_saved_is_mapped_in_the_index_that_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(bulk_rows, "MAX_BYTES", 0)
    index, store = filled(), Store.open(tmp_path / "s", lambda: VERSIONS)
    snapshot, expected = index.snapshot, contents(index.snapshot)
    store.save(snapshot)
    [segment] = snapshot.terms.segments
    assert not any(a.flags.writeable for a in (segment.node_ids, segment.tf, segment.starts))
    assert all(isinstance(entry.record, memoryview) for entry in snapshot.files.values())
    assert contents(snapshot) == expected
    put(index, {"1.py": "class C: tree\nclass D: load"})
    store.save(index.snapshot)
    store.close()
    assert contents(loaded(tmp_path / "s").snapshot) == contents(index.snapshot)


@pytest.mark.slow
def test_saved_vectors_are_mapped_in_the_index_that_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(bulk_rows, "MAX_BYTES", 0)
    index, store = Index(BagOfWords()), Store.open(tmp_path / "s", lambda: VERSIONS)
    lines = (f"function f{n}: load x{n % 99}" for n in range(BLOCK_VECTORS + 9))
    put(index, {"many.py": "\n".join(lines), "few.py": "class C: tree"})
    expected = vectors_of(index)
    store.save(index.snapshot)
    first, last = index.snapshot.vectors.blocks
    assert not first.codes.flags.writeable and last.codes.flags.writeable
    assert vectors_of(index) == expected == vectors_of(loaded(tmp_path / "s"))
    store.close()


@pytest.mark.slow
def test_large_arrays_are_mapped_and_an_edit_changes_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(bulk_rows, "MAX_BYTES", 0)
    many = "\n".join(f"function f{n}: load x{n}" for n in range(BLOCK_VECTORS + 100))
    index = Index(BagOfWords(fast=False))
    put(index, {"many.py": many, "one.py": "function g: parse"})
    folder = saved_in(tmp_path / "s", index)
    store, again = Store.open(folder, lambda: VERSIONS), Index(BagOfWords())
    again.restore(store.load())
    [segment] = again.snapshot.terms.segments
    first, last = again.snapshot.vectors.blocks
    mapped = (segment.node_ids, segment.tf, first.codes)
    assert not any(array.flags.writeable for array in mapped) and last.codes.flags.writeable
    [path] = folder.glob("rows-*.bin")
    written = path.read_bytes()
    # Vectors that come now are for rows of the mapped block.
    put(again, {"many.py": many, "one.py": "function h: tree"})
    while again.embed_some():
        again.publish()
    assert again.snapshot.has_vector[again.snapshot.live].all()
    assert path.read_bytes() == written
    rebuilt = Index(BagOfWords())
    put(rebuilt, {"many.py": many, "one.py": "function h: tree"})
    store.save(again.snapshot)
    store.close()
    assert vectors_of(again) == vectors_of(loaded(folder)) == vectors_of(rebuilt)


def vectors_of(index: Index) -> dict[str, bytes]:
    """The vectors of each file: all of an index of thousands of nodes takes minutes to compare."""
    snapshot = index.snapshot
    return {p: snapshot.vectors.rows(e.node_ids).tobytes() for p, e in snapshot.files.items()}


@pytest.mark.usefixtures("bulk")
def test_the_text_of_an_editor_is_never_written(tmp_path):
    index = filled(2)
    store = Store.open(tmp_path / "s", lambda: VERSIONS)
    store.save(index.snapshot)
    index.replace([file("1.py", "function unsaved: load")], {"1.py": None})
    store.save(index.publish())
    store.close()
    assert set(loaded(tmp_path / "s").snapshot.files) == {"0.py"}


@pytest.mark.usefixtures("bulk")
def test_files_that_wait_for_vectors_are_read_again(tmp_path):
    slow = Index(BagOfWords(fast=False))
    put(
        slow, {"a.py": "function f: load", "b.py": "\n".join(f"function f{i}: x" for i in range(9))}
    )
    slow.embed_some()
    slow.publish()
    saved_in(tmp_path / "s", slow)
    store = Store.open(tmp_path / "s", lambda: VERSIONS)
    again = Index(BagOfWords(fast=False))
    snapshot = again.restore(store.load())
    store.close()
    assert snapshot.files["a.py"].stamp == stamp() and snapshot.files["b.py"].stamp != stamp()
    assert int(snapshot.has_vector.sum()) == 8 and not again.embed_some()
    put(again, {"b.py": "\n".join(f"function f{i}: x" for i in range(9))})
    assert again.embed_some() and again.publish().has_vector.all()


@pytest.mark.usefixtures("bulk")
def test_other_versions_are_refused_and_replaced(tmp_path):
    folder = saved_in(tmp_path / "s", filled())
    with pytest.raises(StoreError, match="another version"):
        loaded(folder, "tokenizer 2")
    assert loaded(folder) is None


def test_a_database_that_is_not_ours_is_refused(tmp_path):
    (tmp_path / "s").mkdir()
    connection = sqlite3.connect(tmp_path / "s" / "index.sqlite")
    connection.execute("CREATE TABLE rows (key, head, body, sum)")
    connection.close()
    with pytest.raises(StoreError, match="no index of Packhound"):
        loaded(tmp_path / "s")


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: os.mkfifo(path)])
@posix
def test_something_else_in_its_place_is_refused(tmp_path, make):
    folder = tmp_path / "s"
    folder.mkdir()
    make(folder / "index.sqlite")
    with pytest.raises(StoreError, match="not a regular file"):
        loaded(folder)
    with pytest.raises(StoreError, match="not a regular file"):
        saved_in(folder, filled(1))


@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
@posix
def test_a_fifo_beside_it_is_waited_for_by_nobody(tmp_path, suffix):
    folder = saved_in(tmp_path / "s", filled(1))
    beside = folder / f"index.sqlite{suffix}"
    beside.unlink(missing_ok=True)
    os.mkfifo(beside)
    with pytest.raises(StoreError, match="not a regular file"):
        loaded(folder)
    (tmp_path / "t").mkdir()
    with pytest.raises(StoreError, match="not a regular file"):
        copy_index(folder, tmp_path / "t")


@posix
@pytest.mark.usefixtures("bulk")
def test_only_the_owner_can_read_it(tmp_path):
    (tmp_path / "s").mkdir(mode=0o755)
    folder = saved_in(tmp_path / "s", filled(1))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


@posix
def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used"):
        Store.open(tmp_path / "file" / "s", lambda: VERSIONS)
    with pytest.raises(StoreError, match=r"cannot be used|not a folder"):
        Store.open(tmp_path / "file", lambda: VERSIONS)


@posix
@pytest.mark.usefixtures("bulk")
def test_a_full_disk_leaves_the_last_generation(tmp_path):
    folder = saved_in(tmp_path / "s", filled(2))
    output, _ = child("save_more_than_fits", folder).communicate(timeout=60)
    assert output.startswith("refused"), output
    assert contents(loaded(folder).snapshot) == contents(filled(2).snapshot)


@pytest.mark.usefixtures("bulk")
def test_the_second_process_reads_and_takes_over(tmp_path):
    folder = saved_in(tmp_path / "s", filled(2))
    first, second = Store.open(folder, lambda: VERSIONS), Store.open(folder, lambda: VERSIONS)
    assert first.writer and not second.writer and not second.claim()
    assert len(second.load().files) == 2
    with pytest.raises(StoreError, match="another process"):
        second.save(filled(1).snapshot)
    first.save(filled(3).snapshot)
    first.close()
    assert second.claim()
    second.save(filled(4).snapshot)
    second.close()
    assert contents(loaded(folder).snapshot) == contents(filled(4).snapshot)


@posix
@pytest.mark.usefixtures("bulk")
@pytest.mark.parametrize("lost", ["index.sqlite", "lock", "."])
def test_what_is_deleted_under_the_writer_is_saved_whole_again(tmp_path, lost):
    index, folder = filled(2), tmp_path / "cache" / "s"
    store = Store.open(folder, lambda: VERSIONS)
    store.save(index.snapshot)
    place = folder / lost
    shutil.rmtree(folder.parent) if lost == "." else place.unlink()
    put(index, {"one_more.py": "function g: load"})
    assert store.writer == (lost == "index.sqlite")
    assert store.claim() and store.writer
    store.save(index.snapshot)
    store.close()
    assert contents(loaded(folder).snapshot) == contents(index.snapshot)


def test_its_size_can_be_asked_for_while_it_is_deleted(tmp_path):
    store = Store.open(tmp_path / "s", lambda: VERSIONS)
    log = tmp_path / "s" / "index.sqlite-wal"
    sizes, is_over = set(), threading.Event()

    def come_and_go():
        for _ in range(3_000):
            log.write_bytes(b"")
            log.unlink()
        is_over.set()

    thread = threading.Thread(target=come_and_go)
    thread.start()
    while not is_over.is_set():
        sizes.add(store.n_bytes)
    thread.join()
    store.close()
    assert sizes == {0}


@posix
def test_whose_lock_was_deleted_writes_no_more(tmp_path):
    folder = tmp_path / "s"
    first = Store.open(folder, lambda: VERSIONS)
    first.save(filled(2).snapshot)
    (folder / "lock").unlink()
    second = Store.open(folder, lambda: VERSIONS)
    assert second.writer and not first.writer and not first.claim()
    with pytest.raises(StoreError, match="another process"):
        first.save(filled(3).snapshot)
    first.close()
    assert second.writer
    second.close()


def check_kills(folder: Path, rounds: int) -> None:
    """Kill a saving process again and again; what it said was saved must be there."""
    seeded = random.Random(rounds)
    for _ in range(rounds):
        saver = child("save_for_ever", folder)
        assert saver.stdout.readline() == "ready\n"
        time.sleep(seeded.uniform(0, 0.1))
        saver.send_signal(signal.SIGKILL)
        printed = saver.communicate()[0].split("\n")[:-1]
        index = loaded(folder)
        if printed:
            assert index.snapshot.generation >= int(printed[-1])


@posix
@pytest.mark.usefixtures("bulk")
@pytest.mark.slow
def test_a_kill_loses_nothing_that_was_saved(tmp_path):
    check_kills(tmp_path / "s", 3)


@posix
@pytest.mark.release
def test_many_kills_lose_nothing_that_was_saved(tmp_path):
    check_kills(tmp_path / "s", 30)


@posix
def test_of_many_that_start_at_once_one_writes(tmp_path):
    children = [child("say_who_writes", tmp_path / "s") for _ in range(4)]
    printed = [one.stdout.readline() for one in children]
    for one in children:
        one.communicate()
    assert sorted(printed) == ["False\n"] * 3 + ["True\n"]
