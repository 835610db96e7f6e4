"""Many processes at once: one of them writes, whoever dies and whoever clears the cache."""

from __future__ import annotations

import os
import random
import shutil
import signal
from pathlib import Path

import pytest

from packhound.core.errors import StoreError
from packhound.core.file_lock import FileLock
from tests.support.release import seed, size

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
RACERS = 4


def race(path: Path, start: int, told: int) -> int:
    """A process that tries to become the writer as soon as `start` is closed; its id.

    It tells "w" or "r" and lives on until it is killed.
    """
    process_id = os.fork()
    if process_id:
        return process_id
    try:
        os.read(start, 1)
        os.write(told, b"w" if FileLock(path).acquire() else b"r")
        signal.pause()
    except StoreError:
        os.write(told, b"e")
    os._exit(0)


def run_race(path: Path, racers: int) -> tuple[bytes, list[int]]:
    """What each of so many processes tells, and the processes, which still live."""
    start, go = os.pipe()
    heard, pipe_end = os.pipe()
    children = []
    for _ in range(racers):
        children.append(race(path, start, pipe_end))
    os.close(start)
    # All of them wait for a byte; they share the pipe, so one write of many starts them all.
    os.write(go, b"g" * racers)
    printed = b""
    while len(printed) < racers:
        printed += os.read(heard, racers)
    for end in (go, heard, pipe_end):
        os.close(end)
    return printed, children


def end(children: list[int]) -> None:
    for child in children:
        os.kill(child, signal.SIGKILL)
    for child in children:
        os.waitpid(child, 0)


@pytest.mark.parametrize("rounds", [4, pytest.param(size(500), marks=pytest.mark.release)])
def test_of_those_that_race_one_writes_and_its_death_frees_the_place(tmp_path, rounds):
    seeded = random.Random(seed(rounds))
    path = tmp_path / "lock"
    for _ in range(rounds):
        printed, children = run_race(path, RACERS)
        assert sorted(printed) == sorted(b"w" + b"r" * (RACERS - 1))
        assert not FileLock(path).acquire()
        if seeded.random() < 0.5:
            seeded.shuffle(children)
        end(children)
        lock = FileLock(path)
        assert lock.acquire()
        lock.release()


@pytest.mark.parametrize("rounds", [4, pytest.param(size(500), marks=pytest.mark.release)])
def test_whoever_clears_the_cache_never_makes_two_writers(tmp_path, rounds):
    folder = tmp_path / "index"
    for _ in range(rounds):
        folder.mkdir(exist_ok=True)
        clearing = os.fork()
        if not clearing:
            while True:
                lock = FileLock(folder / "lock")
                try:
                    if lock.acquire():
                        shutil.rmtree(folder, ignore_errors=True)
                except StoreError:
                    folder.mkdir(exist_ok=True)
                lock.release()
        printed, children = run_race(folder / "lock", RACERS)
        assert printed.count(b"w") <= 1
        end([*children, clearing])
