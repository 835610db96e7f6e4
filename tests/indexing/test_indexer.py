"""The tasks of the one writer, step by step, without its thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.core.types import Document
from packhound.index.writer import Index
from packhound.indexing.bulk_read import IndexingPass
from packhound.indexing.folder_scan import FolderScan
from packhound.indexing.indexer import Indexer
from packhound.indexing.work_queue import Edits, NamedPaths, Rescan, WorkQueue
from tests.support.project import FILES, MAIL


class Stepper:
    """An indexer that is stepped by hand."""

    def __init__(self, root: Path) -> None:
        self.index = Index(None)
        self.indexer = Indexer(
            root, settings_from({"index.workers": 1}), self.index, None, lambda: None
        )
        self.queue = self.indexer.queue

    def step(self) -> object:
        """Do one task; return it."""
        task = self.queue.take()
        assert task is not None
        self.indexer.step(task)
        return task

    def drain(self) -> list[type]:
        """Do all tasks; return their types."""
        types = []
        while task := self.queue.take():
            types.append(type(task))
            self.indexer.step(task)
        return types


@pytest.fixture
def stepper(root: Path) -> Iterator[Stepper]:
    stepper = Stepper(root)
    yield stepper
    stepper.indexer.close()


def test_a_first_scan_reads_the_folder(stepper: Stepper) -> None:
    assert stepper.queue.pending
    assert stepper.drain()[0] is Rescan
    assert set(stepper.index.snapshot.files) == set(FILES)
    assert not stepper.queue.pending and stepper.queue.settled(0)


def test_an_edit_comes_before_the_rest_of_a_scan(stepper: Stepper) -> None:
    stepper.step()
    stepper.queue.update(MAIL)
    assert isinstance(stepper.step(), Edits)
    assert set(stepper.index.snapshot.files) == {MAIL.path}
    assert isinstance(stepper.step(), FolderScan)


def test_open_documents_come_before_all_files_of_a_start_and_of_a_checkout(
    stepper: Stepper, root: Path
) -> None:
    paths = [f"new/m{number}.py" for number in range(600)]
    (root / "new").mkdir()
    for revision in range(2):
        for path in paths:
            (root / path).write_text(f"x = {revision}\n")
        stepper.queue.refresh(paths)
        # Before the next step an edit comes each time, so no step may be long.
        for number in range(40):
            text = f"def opened_{number}(): pass\n"
            stepper.queue.update(Document("open.py", text.encode()))
            assert isinstance(stepper.step(), Edits)
            [node] = stepper.index.snapshot.files["open.py"].nodes
            assert node.name == f"opened_{number}"
            assert not stepper.queue.reading.is_complete
            task = stepper.step()
            assert not isinstance(task, NamedPaths) or len(task.paths) < len(paths)
        stepper.drain()
        assert stepper.queue.reading.is_complete
        assert len(stepper.index.snapshot.files) == len(FILES) + len(paths) + 1


def test_a_file_that_may_have_changed_is_not_read_until_it_was_looked_at(stepper: Stepper) -> None:
    stepper.drain()
    stepper.queue.update(MAIL)
    stepper.drain()
    stepper.queue.refresh([MAIL.path])
    assert stepper.queue.reading.is_complete  # The editor has its text.
    stepper.queue.refresh(["shop/cart.py"])
    assert stepper.queue.reading.n_read == stepper.queue.reading.n_files - 1
    task = stepper.queue.take()
    assert not stepper.queue.reading.is_complete
    stepper.indexer.step(task)
    stepper.drain()
    assert stepper.queue.reading.is_complete


def test_a_release_is_published_before_the_file_is_looked_at_again(stepper: Stepper) -> None:
    stepper.drain()
    stepper.queue.update(Document(MAIL.path, b"def discarded(): pass\n"))
    stepper.queue.release(MAIL.path)
    stepper.queue.update(Document("shop/new.py", b"def unsaved(): pass\n"))
    stepper.step()
    assert "shop/new.py" in stepper.index.snapshot.files
    stepper.queue.release("shop/new.py")
    stepper.step()
    assert stepper.queue.caught_up(0)
    names = [node.name for node in stepper.index.snapshot.files[MAIL.path].nodes]
    assert "send_receipt" in names and "discarded" not in names
    assert "shop/new.py" not in stepper.index.snapshot.files
    assert isinstance(stepper.step(), NamedPaths)
    stepper.drain()
    assert stepper.index.snapshot.files[MAIL.path].stamp is not None


def test_a_pass_does_not_replace_a_document_that_was_opened_meanwhile(stepper: Stepper) -> None:
    while not isinstance(stepper.step(), IndexingPass):
        pass
    stepper.queue.update(Document(MAIL.path, b"def unsaved(): pass\n"))
    stepper.drain()
    names = [node.name for node in stepper.index.snapshot.files[MAIL.path].nodes]
    assert "unsaved" in names and "send_receipt" not in names


def test_what_is_cancelled_is_not_read(stepper: Stepper) -> None:
    stepper.step()
    stepper.queue.cancel()
    assert stepper.drain() == [] and not stepper.queue.pending
    assert not stepper.index.snapshot.files
    stepper.queue.refresh()
    stepper.drain()
    assert set(stepper.index.snapshot.files) == set(FILES)


def test_a_cancelled_scan_in_hand_adds_nothing(stepper: Stepper) -> None:
    stepper.step()
    task = stepper.queue.take()
    assert isinstance(task, FolderScan)
    stepper.queue.cancel()
    stepper.indexer.step(task)
    assert not stepper.queue.pending


def test_a_cancelled_pass_leaves_no_parsers(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"part_{number}.py").write_text(f"x = {number}\n")
    stepper = Stepper(tmp_path)
    before = threading.active_count()
    stepper.step()
    stepper.step()  # The scan: there is enough to start parsers for.
    stepper.queue.cancel()
    assert stepper.drain() == []
    stepper.queue.close()
    stepper.indexer.step(None)
    stepper.indexer.close()
    assert threading.active_count() <= before + 1  # The watchdog of the pool ends in its time.


def test_whoever_waits_for_a_pass_is_not_woken_at_every_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time costs the thread that indexes the interpreter."""
    n_files, waiting, polls = 300, threading.current_thread(), []
    for number in range(n_files):
        (tmp_path / f"part_{number}.py").write_text(f"x = {number}\n")
    indexer = Indexer(tmp_path, Settings(), Index(None), None, lambda: None)
    pending = WorkQueue.pending.fget

    def counted(queue: WorkQueue) -> int:
        if threading.current_thread() is waiting:
            polls.append(queue)
        return pending(queue)

    monkeypatch.setattr(WorkQueue, "pending", property(counted))
    indexer.start()
    try:
        assert indexer.queue.settled(60)
    finally:
        indexer.close()
    assert 0 < len(polls) < n_files / 2
