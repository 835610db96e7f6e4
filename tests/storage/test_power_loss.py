"""The disk as a loss of power leaves it: what is loaded then is one of the saved generations."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.errors import StoreError
from packhound.index.writer import Index
from packhound.storage.sqlite_store import Store
from tests.support.history import History
from tests.support.index_check import contents
from tests.support.index_child import VERSIONS
from tests.support.index_corpus import BagOfWords

REPOSITORY = Path(__file__).parents[2]
DATABASE, LOG, SHARED = "index.sqlite", "index.sqlite-wal", "index.sqlite-shm"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


def stopped(folder: Path, to: Path, seeded: random.Random, moments: int) -> Iterator[int]:
    """Copies of the store at random moments, with the last generation that was safe by then."""
    run = [sys.executable, "-m", "tests.support.index_child", "save_for_ever", str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(run, cwd=REPOSITORY, stdin=pipe, stdout=pipe) as saver:
        os.set_blocking(saver.stdout.fileno(), False)
        printed = b""
        while b"ready\n" not in printed:
            printed += saver.stdout.read() or b""
            time.sleep(0.005)
        for _ in range(moments):
            time.sleep(seeded.uniform(0, 0.08))
            saver.send_signal(signal.SIGSTOP)
            printed += saver.stdout.read() or b""
            shutil.rmtree(to, ignore_errors=True)
            shutil.copytree(folder, to)
            numbers = printed.partition(b"ready\n")[2].split(b"\n")[:-1]
            yield int(numbers[-1]) if numbers else 0
            saver.send_signal(signal.SIGCONT)
        saver.kill()


def losses(folder: Path, seeded: random.Random) -> Iterator[str]:
    """Do to the files what is lost with the power; each time from the same state."""
    saved = {name: (folder / name).read_bytes() for name in (DATABASE, LOG) if exists(folder, name)}
    for what in ("nothing", "end of the log", "block of the log", "page", "log", "end"):
        for name in (DATABASE, LOG, SHARED):
            (folder / name).unlink(missing_ok=True)
        for name, content in saved.items():
            (folder / name).write_bytes(lose(what, name, content, seeded))
        if what == "log":
            (folder / LOG).unlink(missing_ok=True)
        yield what


def exists(folder: Path, name: str) -> bool:
    return (folder / name).is_file()


def lose(what: str, name: str, content: bytes, seeded: random.Random) -> bytes:
    at = seeded.randrange(len(content) + 1)
    if (what, name) == ("end of the log", LOG) or (what, name) == ("end", DATABASE):
        return content[:at]
    if (what, name) == ("block of the log", LOG) or (what, name) == ("page", DATABASE):
        at -= at % 512
        return content[:at] + bytes(len(content[at : at + 512])) + content[at + 512 :]
    return content


def check_losses(tmp_path: Path, savers: int, moments: int) -> None:
    seeded = random.Random(savers)
    refused: set[str] = set()
    for saver in range(savers):
        history = History()
        folder, copy = tmp_path / f"s{saver}", tmp_path / "copy"
        for safe in stopped(folder, copy, seeded, moments):
            for what in losses(copy, seeded):
                store = Store.open(copy, lambda: VERSIONS)
                try:
                    saved = store.load()
                except StoreError:
                    refused.add(what)
                    continue
                finally:
                    store.close()
                if saved is None:
                    assert what != "nothing" or safe == 0
                    continue
                index = Index(BagOfWords())
                index.restore(saved)
                assert contents(index.snapshot) == history.at(index.snapshot.generation), what
                assert what != "nothing" or index.snapshot.generation >= safe
    # What is no loss of power, a log cut short while it is copied back, may be refused; never more.
    assert "nothing" not in refused


@pytest.mark.usefixtures("bulk")
def test_a_loss_of_power_leaves_a_saved_generation(tmp_path: Path) -> None:
    check_losses(tmp_path, savers=1, moments=5)


@pytest.mark.release
@pytest.mark.usefixtures("bulk")
def test_many_losses_of_power_leave_a_saved_generation(tmp_path: Path) -> None:
    check_losses(tmp_path, savers=10, moments=40)
