"""Vectors of earlier processes: right or missing, whatever happens to their file."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from packhound.storage.vector_store import VECTORS, VectorStore
from tests.support import vector_child
from tests.support.vector_child import digest, vector

posix = pytest.mark.skipif(os.name != "posix", reason="links, modes and signals of POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


def fill(store: VectorStore, numbers: range) -> None:
    store.put("model", {digest(n): vector(n) for n in numbers})


def numbers_in(store: VectorStore, numbers: range) -> set[int]:
    """The numbers whose vectors are there; each of them must be right."""
    vectors = store.get("model", map(digest, numbers))
    by_digest = {digest(n): n for n in numbers}
    for key, row in vectors.items():
        assert row == vector(by_digest[key])
    return {by_digest[key] for key in vectors}


def test_another_process_finds_what_was_put(folder: Path) -> None:
    fill(VectorStore(folder), range(1_200))
    assert numbers_in(VectorStore(folder), range(1_300)) == {*range(1_200)}


def test_nothing_is_made_before_the_first_vector(folder: Path) -> None:
    store = VectorStore(folder)
    assert store.get("model", [digest(1)]) == {}
    store.put("model", {})
    assert not folder.exists()


def test_models_do_not_share_vectors(folder: Path) -> None:
    store = VectorStore(folder)
    fill(store, range(3))
    assert store.get("other", [digest(1)]) == {}
    store.put("other", {digest(1): vector(7)})
    assert store.get("other", [digest(1)]) == {digest(1): vector(7)}
    assert numbers_in(store, range(3)) == {0, 1, 2}


def test_the_oldest_go_and_the_file_stops_growing(folder: Path) -> None:
    store, sizes = VectorStore(folder, 100), []
    for first in range(0, 2_000, 50):
        fill(store, range(first, first + 50))
        sizes.append((folder / VECTORS).stat().st_size)
    assert numbers_in(store, range(2_000)) == {*range(1_900, 2_000)}
    assert max(sizes) < 1.5 * sizes[3]


@posix
def test_only_the_owner_may_read(folder: Path) -> None:
    fill(VectorStore(folder), range(3))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


@posix
@pytest.mark.parametrize("kind", ["link", "FIFO", "folder"])
def test_what_is_no_regular_file_is_left_alone(folder: Path, kind: str) -> None:
    folder.mkdir(mode=0o700)
    path = folder / VECTORS
    {"link": lambda: path.symlink_to(folder / "elsewhere"), "FIFO": lambda: os.mkfifo(path),
     "folder": path.mkdir}[kind]()  # fmt: skip
    store = VectorStore(folder)
    fill(store, range(3))
    assert numbers_in(store, range(3)) == set()
    assert not (folder / "elsewhere").exists()


@posix
@pytest.mark.parametrize("suffix", ["-journal", "-wal"])
def test_a_fifo_beside_it_is_waited_for_by_nobody(folder: Path, suffix: str) -> None:
    store = VectorStore(folder)
    fill(store, range(3))
    os.mkfifo(folder / f"{VECTORS}{suffix}")
    fill(store, range(3, 6))
    assert numbers_in(store, range(6)) == set()


@pytest.mark.parametrize("seed", range(12))
def test_damage_loses_vectors_and_nothing_else(folder: Path, seed: int) -> None:
    rng, store = random.Random(seed), VectorStore(folder)
    fill(store, range(200))
    path = folder / VECTORS
    data = bytearray(path.read_bytes())
    match seed % 3:
        case 0:
            data = data[: rng.randrange(len(data))]
        case 1:
            start = rng.randrange(len(data))
            data[start : start + 5_000] = rng.randbytes(5_000)
        case _:
            for _ in range(30):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)
    numbers_in(store, range(200))
    for _ in range(2):  # The first may find out that the file is unusable.
        fill(store, range(300, 310))
    assert numbers_in(store, range(310)) >= {*range(300, 310)}


@pytest.mark.parametrize("sql", ["PRAGMA user_version = 99", "PRAGMA application_id = 5"])
def test_a_foreign_file_is_replaced(folder: Path, sql: str) -> None:
    store = VectorStore(folder)
    fill(store, range(3))
    connection = sqlite3.connect(folder / VECTORS)
    connection.execute(sql)
    connection.close()
    assert numbers_in(store, range(3)) == set()
    fill(store, range(3))
    assert numbers_in(store, range(3)) == {0, 1, 2}


@posix
@pytest.mark.slow
def test_two_processes_that_are_killed_leave_right_vectors(folder: Path) -> None:
    for round_ in range(4):
        command = [sys.executable, vector_child.__file__, str(folder)]
        children = [
            subprocess.Popen([*command, str(2 * round_ + i)], stdout=subprocess.PIPE)
            for i in range(2)
        ]
        lasts = []
        for i, child in enumerate(children):
            with child:
                assert child.stdout is not None
                for _ in range(3 + i):
                    line = child.stdout.readline()
                child.send_signal(signal.SIGKILL)
                lasts.append(int((child.stdout.read().split() or [line])[-1]))
        store = VectorStore(folder)
        assert any([numbers_in(store, range(max(0, last - 1_000), last + 1_000)) for last in lasts])
        fill(store, range(9_000_000, 9_000_010))
        assert numbers_in(store, range(9_000_000, 9_000_010)) == {*range(9_000_000, 9_000_010)}
