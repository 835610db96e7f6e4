"""What one process saves another one loads; what is damaged is rebuilt; one of them writes."""

import contextlib
import os
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from packhound.cli.commands import main
from packhound.core.errors import StoreError
from packhound.core.settings import Settings
from packhound.core.types import Query
from packhound.service.engine import Engine
from packhound.service.roots import clear_index, index_folder
from packhound.storage import bulk_rows
from packhound.storage.sqlite_store import Store
from tests.support.project import names


def test_a_second_start_loads_what_the_first_one_saved(engine: Engine, root: Path) -> None:
    before = engine.search(Query("receipt"))
    engine.close()
    again = Engine.open(root)
    try:
        assert again.snapshot.n_nodes == engine.snapshot.n_nodes
        after = again.search(Query("receipt"))
        assert after.hits
        assert [(h.node.qualname, h.score) for h in after.hits] == [
            (h.node.qualname, h.score) for h in before.hits
        ]
        assert again.settled(30)
        assert names(again, "matchRoute")[0] == "matchRoute"
    finally:
        again.close()


def test_changes_made_while_closed_are_noticed(engine: Engine, root: Path) -> None:
    engine.close()
    (root / "shop" / "mail.py").write_text("def print_label():\n    pass\n")
    again = Engine.open(root)
    try:
        assert again.settled(30)
        assert names(again, "print_label")[0] == "print_label"
        assert "send_receipt" not in names(again, "send_receipt")
    finally:
        again.close()


def test_changes_made_while_closed_are_noticed_though_nobody_waits(
    engine: Engine, root: Path
) -> None:
    engine.close()
    (root / "shop/mail.py").write_text("def refund_customer(order):\n    return order\n")
    again = Engine.open(root)
    try:
        deadline = time.monotonic() + 60
        while "refund_customer" not in names(again, "refund_customer"):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        again.close()


def test_a_damaged_index_is_rebuilt_and_said_once(engine: Engine, root: Path) -> None:
    engine.close()
    for file in index_folder(engine.root).iterdir():
        if file.stat().st_size > 2_000:
            file.write_bytes(file.read_bytes()[:900] + os.urandom(900))
    again = Engine.open(root)
    try:
        assert again.settled(30)
        assert names(again, "send_receipt")[0] == "send_receipt"
        assert len([note for note in again.status().notes if "rebuilt" in note]) == 1
        assert again.status().state == "ready"
        assert again.search(Query("receipt")).notes == ()
    finally:
        again.close()


def test_one_engine_writes_and_another_reads(engine: Engine, root: Path) -> None:
    second = Engine.open(root)
    try:
        assert second.settled(30)
        assert engine.status().writer
        assert not second.status().writer
        assert names(second, "send_receipt")[0] == "send_receipt"
    finally:
        second.close()


def test_what_a_reader_forgets_is_still_the_writers(engine: Engine, root: Path) -> None:
    engine.close()
    writer, reader = Engine.open(root), Engine.open(root)
    try:
        assert writer.settled(30)
        reader.rebuild()
        assert reader.settled(30)
        assert clear_index(root) > 0
        assert writer.index.writer and not reader.index.writer
        third = Engine.open(root)
        assert not third.index.writer
        third.close()
        assert names(reader, "send_receipt")[0] == "send_receipt"
    finally:
        reader.close()
        writer.close()


def test_clear_frees_the_folder(engine: Engine, root: Path) -> None:
    engine.close()
    assert clear_index(root) > 0
    assert not index_folder(engine.root).exists()


def test_clearing_all_leaves_what_is_not_ours(engine: Engine, cache: Path) -> None:
    engine.close()
    (cache / "letters").mkdir()
    (cache / "letters" / "lock").write_text("not an index")
    (cache / "diary.txt").write_text("mine")
    assert clear_index(None) > 0
    assert not index_folder(engine.root).exists()
    assert sorted(path.name for path in cache.iterdir()) == ["diary.txt", "letters"]


def refuse(store: Store, snapshot: object) -> None:
    raise StoreError("no space left on device")


def test_the_status_says_why_nothing_is_saved(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert engine.flush(30) and engine.status().save_problem == ""
    with monkeypatch.context() as patch:
        patch.setattr(Store, "save", refuse)
        (root / "later.py").write_text("def later(): pass\n")
        engine.refresh()
        assert engine.settled(30) and engine.flush(30)
        status = engine.status()
        assert "no space left on device" in status.save_problem
        assert status.notes == (status.save_problem,) and status.state == "degraded"
    assert engine.flush(30)
    assert engine.status().save_problem == "" and engine.status().state == "ready"


@pytest.mark.parametrize("command", ["index", "rebuild"])
def test_a_command_that_saves_nothing_fails(
    root: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "save", refuse)
    failed = CliRunner().invoke(main, [command, "--root", str(root)])
    assert failed.exit_code == 1
    assert "3 files" in failed.output
    assert "warning: nothing is saved: " in failed.output
    assert "no space left on device" in failed.output
    monkeypatch.undo()


def test_a_command_whose_index_cannot_be_opened_fails(root: Path, cache: Path) -> None:
    cache.write_text("a file where the cache folder should be")
    failed = CliRunner().invoke(main, ["index", "--root", str(root), "--json"])
    assert failed.exit_code == 1 and "warning: nothing is saved: " in failed.output
    unsaved = CliRunner().invoke(main, ["index", "--root", str(root), "--set", "persist=false"])
    assert unsaved.exit_code == 0


def test_a_second_process_need_not_save(engine: Engine, root: Path) -> None:
    second = Engine.open(root, Settings())
    try:
        assert second.settled(30) and second.flush(30)
        assert not second.index.writer and second.status().save_problem == ""
    finally:
        second.close()


def test_a_flush_of_a_closed_engine_returns(engine: Engine) -> None:
    engine.close()
    assert engine.flush(30)


@pytest.mark.release
def test_a_close_waits_for_a_slow_disk(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else may write meanwhile, and nothing that was read is lost."""
    writes, goes_on, sync = threading.Event(), threading.Event(), os.fsync

    def slow_sync(handle: int) -> None:
        writes.set()
        goes_on.wait()
        sync(handle)

    monkeypatch.setattr(bulk_rows, "MAX_BYTES", 0)
    monkeypatch.setattr(os, "fsync", slow_sync)
    engine = Engine.open(root)
    assert engine.settled(30)
    closing = threading.Thread(target=engine.close)
    closing.start()
    try:
        assert writes.wait(30)
        closing.join(12)
        assert closing.is_alive()
        with contextlib.closing(Engine.open(root)) as second:
            assert not second.index.writer
    finally:
        goes_on.set()
        closing.join()
    with contextlib.closing(Engine.open(root)) as again:
        assert again.index.writer
        assert again.snapshot.n_nodes == engine.snapshot.n_nodes
