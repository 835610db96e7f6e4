"""Order, counts and waits of the work queue, without an indexer."""

from __future__ import annotations

import threading

import pytest

from packhound.core.types import Document
from packhound.indexing.work_queue import (
    DifferenceList,
    Edits,
    Flush,
    NamedPaths,
    Rescan,
    WorkQueue,
)

OPEN = Document("a.py", b"x = 1\n")


@pytest.fixture
def queue() -> WorkQueue:
    queue = WorkQueue()
    queue.cancel()  # The first scan.
    return queue


def finish_task(queue: WorkQueue) -> object:
    task = queue.take()
    if isinstance(task, Edits):
        queue.mark_applied(task)
    queue.task_done()
    return task


def test_a_new_queue_begins_with_a_scan() -> None:
    queue = WorkQueue()
    assert queue.pending == 1 and isinstance(queue.take(), Rescan)
    assert queue.pending == 1  # In flight.
    queue.task_done()
    assert queue.pending == 0 and queue.take() is None


def test_tasks_come_in_the_order_of_their_urgency(queue: WorkQueue) -> None:
    queue.refresh(["b.py"])
    queue.refresh()
    queue.update(OPEN)
    scan = finish_task(queue), finish_task(queue)
    assert [type(task) for task in scan] == [Edits, Rescan]
    assert isinstance(scan[1], Rescan)
    queue.add_differences({"c.py": True}, scan[1].cancelled)
    assert [type(finish_task(queue)) for _ in range(2)] == [NamedPaths, DifferenceList]
    assert queue.take() is None


def test_the_newest_text_of_a_path_wins(queue: WorkQueue) -> None:
    newer = Document("a.py", b"x = 2\n")
    queue.update(OPEN)
    queue.update(newer)
    task = queue.take()
    assert isinstance(task, Edits) and task.documents == {"a.py": newer} and task.sequence == 2
    assert queue.open_document("a.py") == newer and queue.open_documents == (newer,)


def test_a_release_is_an_edit_and_a_path_to_look_at(queue: WorkQueue) -> None:
    queue.update(OPEN)
    queue.release("a.py")
    assert queue.open_document("a.py") is None and "a.py" not in queue.open_paths
    assert not queue.caught_up(0)
    task = queue.take()
    assert isinstance(task, Edits) and task.documents == {"a.py": None}
    queue.mark_applied(task)
    assert queue.caught_up(0) and not queue.settled(0)
    task = queue.take()
    assert isinstance(task, NamedPaths) and task.paths == ("a.py",)


def test_a_cancelled_task_adds_nothing_and_a_later_one_does(queue: WorkQueue) -> None:
    queue.refresh()
    task = queue.take()
    assert isinstance(task, Rescan)
    queue.cancel()
    assert task.cancelled.is_set()
    assert queue.add_differences({"b.py": True}, task.cancelled) == 0
    queue.task_done()
    queue.refresh()
    later = queue.take()
    assert isinstance(later, Rescan) and not later.cancelled.is_set()
    assert queue.add_differences({"b.py": True}, later.cancelled) == 1


def test_edits_are_not_cancelled(queue: WorkQueue) -> None:
    queue.update(OPEN)
    queue.cancel()
    assert isinstance(queue.take(), Edits)


def test_open_documents_are_submitted_again_on_request(queue: WorkQueue) -> None:
    queue.update(OPEN)
    finish_task(queue)
    queue.resubmit_open()
    task = queue.take()
    assert isinstance(task, Edits) and task.documents == {"a.py": OPEN}


def test_whoever_waits_goes_on_when_the_queue_closes(queue: WorkQueue) -> None:
    queue.update(OPEN)
    waits = [queue.settled, lambda: queue.caught_up(60), queue.flush]
    threads = [threading.Thread(target=wait) for wait in waits]
    for thread in threads:
        thread.start()
    queue.close()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    assert queue.flush() and queue.closed


def test_a_flush_waits_for_its_turn(queue: WorkQueue) -> None:
    assert not queue.flush(0)
    queue.update(OPEN)
    assert isinstance(finish_task(queue), Edits)
    task = finish_task(queue)
    assert isinstance(task, Flush) and not task.done.is_set()


def test_after_a_reset_nothing_is_in_flight(queue: WorkQueue) -> None:
    queue.refresh()
    queue.take()
    queue.reset(rescan=False)
    assert queue.settled(0)
    queue.reset(rescan=True)
    assert isinstance(queue.take(), Rescan)


def test_sleeping_ends_with_work_or_in_time(queue: WorkQueue) -> None:
    assert not queue.wait_for_work(lambda: False, 0.01)
    assert queue.wait_for_work(lambda: True, 60)
    queue.refresh(["b.py"])
    assert queue.wait_for_work(lambda: False, 60)
    assert not queue.wait_closed(0.01)
