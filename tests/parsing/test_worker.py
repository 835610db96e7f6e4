from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from packhound.core.errors import Cancelled
from packhound.core.types import Document
from packhound.parsing.analysed_file import ENCODED, PARTS, AnalysedFile
from packhound.parsing.pool.framing import Task
from packhound.parsing.pool.pool import NOT_STARTED, ParsePool
from packhound.parsing.pool.worker import Worker, WorkerDied
from packhound.text.tokenizer import runs

CODE = b'def load_config(path):\n    """Reads the settings."""\n    return read(path)\n'
# A list of two million numbers takes the grammar seconds and hundreds of megabytes.
HEAVY = b"x = [" + b"1," * 450_000 + b"]\n"


def documents(count: int) -> list[Document]:
    return [Document(f"m{i}.py", CODE.replace(b"config", b"c%d" % i)) for i in range(count)]


@pytest.fixture
def pool():
    with ParsePool(2) as pool:
        yield pool


@pytest.fixture(scope="module")
def shared() -> Iterator[ParsePool]:
    """A pool for texts that end no worker."""
    with ParsePool(2) as pool:
        yield pool


def test_one_document(pool: ParsePool) -> None:
    result = pool.parse(Document("a.py", CODE))
    (node,) = result.nodes
    assert (node.kind, node.name, node.doc) == ("function", "load_config", "Reads the settings.")
    assert result.texts[0].startswith("load_config a.py\ndef load_config(path):")
    parts = parts_of(result)
    assert parts["name"] == parts["qualname"] == ["load_config"]
    assert parts["path"] == ["a", "py"]
    assert parts["signature"] == ["def", "load_config", "path"]
    assert parts["doc"] == ["Reads", "the", "settings"]
    assert parts["read"].count("path") == 2
    assert parts["cut"] == parts["unread"] == []
    assert result.words.run.dtype == result.words.lengths.dtype == np.int32


def parts_of(result: AnalysedFile) -> dict[str, list[str]]:
    """The runs of the only node, by part."""
    words = result.words
    ends = np.cumsum(words.lengths[0])
    parts = [[words.runs[i] for i in part] for part in np.split(words.run, ends[:-1])]
    return dict(zip(PARTS, parts, strict=True))


@pytest.mark.parametrize("shift", range(12))
@pytest.mark.parametrize("word", ["abcdef", "größe"])
def test_runs_are_cut_where_the_encoder_stops_reading(
    shared: ParsePool, shift: int, word: str
) -> None:
    source = f"def f():\n    return '{'x' * shift} {f'{word} ' * 400}'\n"
    result = shared.parse(Document("a.py", source.encode()))
    parts = parts_of(result)
    read = [run for part in PARTS[ENCODED] for run in parts[part]]
    assert read == runs(result.texts[0])
    assert parts["read"] + parts["unread"] == runs(source)


def test_texts_are_left_out_for_an_encoder_that_reads_runs() -> None:
    with ParsePool(1, with_texts=False) as pool:
        assert pool.parse(Document("a.py", CODE)).texts == ()


def test_known_nodes_come_without_their_words_and_as_often_as_they_are_known(
    pool: ParsePool,
) -> None:
    source = CODE + b"\n\n" + CODE + b"\n\ndef other():\n    return 1\n"
    analysed = pool.parse(Document("a.py", source))
    twin = analysed.node_digests[0]
    assert analysed.node_digests[1] == twin
    for times in range(4):
        result = pool.parse(Document("a.py", source), twin * times)
        assert result.node_digests == analysed.node_digests
        assert result.nodes == analysed.nodes
        has_runs = [bool(n_runs) for n_runs in result.words.lengths.sum(axis=1)]
        assert has_runs == [times < 1, times < 2, True]


def test_many_documents_arrive_once_each(pool: ParsePool) -> None:
    sent = documents(300)
    received = list(pool.parse_many(iter(sent)))
    assert sorted(document.path for document in received) == sorted(
        document.path for document in sent
    )
    assert not any(document.degraded for document in received)


def test_an_error_of_the_source_of_documents_is_raised(pool: ParsePool) -> None:
    def failing():
        yield from documents(3)
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        list(pool.parse_many(failing()))
    assert pool.parse(Document("a.py", CODE)).nodes


def test_nobody_waits_for_what_takes_long(pool: ParsePool) -> None:
    """Whoever takes results is free meanwhile for what comes otherwise."""
    goes_on = threading.Event()

    def slow() -> Iterator[Document]:
        goes_on.wait()
        yield Document("late.py", b"def late():\n    pass\n")

    run = pool.parse_batches(slow())
    assert next(run) == []
    goes_on.set()
    assert [file.path for files in run for file in files] == ["late.py"]


def test_an_abandoned_run_leaves_a_pool_that_works(pool: ParsePool) -> None:
    run = pool.parse_many(iter(documents(500)))
    next(run)
    run.close()
    assert pool.parse(Document("a.py", CODE)).nodes


def test_a_slow_file_is_cut_into_windows_and_not_tried_again() -> None:
    with ParsePool(1, timeout_s=0.05) as pool:
        slow = pool.parse(Document("slow.py", HEAVY))
        assert slow.degraded == "parsing took longer than 0.09 s"
        assert {node.kind for node in slow.nodes} == {"window"}
        assert pool.parse(Document("a.py", CODE)).nodes
        before = pids(pool)
        again = pool.parse(Document("slow.py", HEAVY))
        assert again.degraded == slow.degraded
        assert before and pids(pool) == before, "it was tried again, and its worker ended"
        assert again.node_digests == slow.node_digests


@pytest.mark.skipif(sys.platform != "linux", reason="the limit holds on Linux")
def test_a_file_that_needs_too_much_memory_is_cut_into_windows() -> None:
    with ParsePool(1, timeout_s=20, memory_mb=16) as pool:
        result = pool.parse(Document("big.py", HEAVY))
        assert result.degraded
        assert {node.kind for node in result.nodes} == {"window"}
        assert pool.parse(Document("a.py", CODE)).nodes[0].kind == "function"


@pytest.mark.parametrize(
    "source", [b"(" * 200_000, b"[" * 200_000 + b"]" * 200_000], ids=["open", "closed"]
)
def test_deep_nesting_comes_back(pool: ParsePool, source: bytes) -> None:
    assert pool.parse(Document("deep.js", source)).path == "deep.js"
    assert pool.parse(Document("a.py", CODE)).nodes[0].kind == "function"


def pids(pool: ParsePool) -> list[int]:
    return [worker.pid for worker in pool.workers]


@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")
def check_kills(pool: ParsePool, n_documents: int) -> None:
    """Kill a worker at each hundredth answer, while the workers read on."""
    sent, received, n_kills = documents(n_documents), [], 0
    for document in pool.parse_many(iter(sent)):
        received.append(document)
        if len(received) % 100 == 0:
            # One that has not begun yet is no test of this: a machine may be slow to start them.
            for worker in [worker for worker in pool.workers if worker.started][:1]:
                worker.kill()
                n_kills += 1
    assert n_kills
    assert sorted(document.path for document in received) == sorted(
        document.path for document in sent
    )
    assert sum(document.degraded is None for document in received) > len(sent) * 0.98


def test_killed_workers_cost_nothing(pool: ParsePool) -> None:
    check_kills(pool, 600)


@pytest.mark.release
def test_dozens_of_killed_workers_cost_nothing(pool: ParsePool) -> None:
    check_kills(pool, 5_000)


def test_a_started_pool_has_its_processes(pool: ParsePool) -> None:
    pool.start()
    started = {worker.pid for worker in pool.workers}
    assert len(started) == 2
    assert len([*pool.parse_many(iter(documents(40)))]) == 40
    assert {worker.pid for worker in pool.workers} == started
    pool.close()
    assert not pool.workers


def test_a_pool_that_could_start_no_process_tries_again(monkeypatch) -> None:
    monkeypatch.setattr("packhound.parsing.pool.pool.MIN_BACKOFF_S", 0.2)
    with ParsePool(1) as pool:
        with monkeypatch.context() as patch:

            def refused(*_: object, **__: object) -> None:
                raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

            patch.setattr("subprocess.Popen", refused)
            parts = pool.parse(Document("a.py", CODE))
            assert parts.degraded == NOT_STARTED and parts.nodes[0].kind == "window"
        deadline = time.monotonic() + 30
        while pool.parse(Document("a.py", CODE)).degraded:
            assert time.monotonic() < deadline, "it never tried again"


def test_workers_end_with_the_pool(pool: ParsePool) -> None:
    pool.parse(Document("a.py", CODE))
    (worker,) = pool.workers
    pool.close()
    assert worker.process.poll() is not None
    with pytest.raises(Cancelled):
        pool.parse(Document("a.py", CODE))


def test_a_worker_ends_when_its_parent_lets_go(pool: ParsePool) -> None:
    pool.parse(Document("a.py", CODE))
    (worker,) = pool.workers
    worker.process.stdin.close()
    assert worker.process.wait(timeout=5) == 0


@pytest.mark.parametrize(
    "source", [b"", b"\x00\x01", b"\xff\xfe", "'\ud800'".encode("utf-8", "surrogatepass"), b"\r\r"]
)
def test_odd_sources_come_back(shared: ParsePool, source: bytes) -> None:
    assert shared.parse(Document("a.py", source)).path == "a.py"


def test_a_folder_with_modules_of_its_own_is_not_trusted(
    pool: ParsePool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("tree_sitter.py", "marshal.py", "packhound.py", "sitecustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('taken over')\n")
    monkeypatch.chdir(tmp_path)
    assert pool.parse(Document("a.py", CODE)).degraded is None


@pytest.mark.parametrize("watched", [True, False])
def test_a_worker_ends_by_itself_when_nobody_is_there_to_kill_it(watched: bool) -> None:
    # As after a kill of the server: no watchdog, and a grammar that may never return.
    worker = Worker(512, threading.Event(), max_parse_s=0.01 if watched else 600)
    try:
        worker.send([Task(Document("slow.py", HEAVY), None, b"", is_open=False)])
        if watched:
            with pytest.raises(WorkerDied):
                worker.receive(600)
        else:
            assert worker.receive(600).path == "slow.py"
    finally:
        worker.discard()


@pytest.mark.skipif(sys.platform != "linux", reason="where the size of a pipe can be chosen")
def test_a_worker_goes_on_while_nobody_reads_what_it_found() -> None:
    # As while the index is busy with what was found before, and holds the interpreter.
    from fcntl import ioctl
    from termios import FIONREAD

    usual = 65_536
    worker = Worker(512, threading.Event())
    try:
        worker.send([Task(document, None, b"", is_open=False) for document in documents(500)])
        until = time.monotonic() + 60
        while int.from_bytes(ioctl(worker.process.stdout, FIONREAD, bytes(4)), "little") <= usual:
            assert time.monotonic() < until
            time.sleep(0.01)
    finally:
        worker.discard()


@pytest.mark.skipif(sys.platform != "linux", reason="where the system says what a process uses")
def test_a_worker_that_gets_no_processor_is_waited_for() -> None:
    # As on a machine that is busy with other things: stopped for longer than the limit.
    with ParsePool(1, timeout_s=0.1) as pool:
        pool.parse(Document("a.py", CODE))
        (pid,) = pids(pool)
        os.kill(pid, signal.SIGSTOP)
        threading.Timer(0.4, os.kill, (pid, signal.SIGCONT)).start()
        assert pool.parse(Document("b.py", CODE)).degraded is None
        assert pids(pool) == [pid]
