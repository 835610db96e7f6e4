"""A damaged store is refused, or holds what was saved."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from packhound.core.errors import StoreError
from packhound.storage import bulk_rows
from tests.support.index_check import contents
from tests.support.index_child import filled
from tests.support.release import seed, size
from tests.support.stores import loaded, saved_in


def check_refused_or_right(folder: Path, expected: dict[str, object]) -> bool:
    """Whether the store was refused."""
    try:
        index = loaded(folder)
    except StoreError as error:
        assert "\n" not in str(error)
        return True
    assert index is None or contents(index.snapshot) == expected
    return False


def mutants(content: bytes):
    """Copies with one byte flipped where there is something, cut short, or with a hole."""
    seeded = random.Random(seed(4))
    used = [place for place in range(100, len(content)) if content[place]]
    places = [*range(100), *seeded.sample(used, min(size(60), len(used)))]
    for place in places:
        flipped = bytearray(content)
        flipped[place] ^= 1 << seeded.randrange(8)
        yield bytes(flipped)
    for end in range(0, len(content), max(512, len(content) // 40)):
        yield content[:end]
        yield content[:end] + bytes(512) + content[end + 512 :]


def test_no_damage_of_a_file_of_rows_goes_unnoticed(tmp_path, monkeypatch):
    monkeypatch.setattr(bulk_rows, "MAX_BYTES", 0)
    folder = saved_in(tmp_path / "s", filled())
    [path] = folder.glob("rows-*.bin")
    content, expected = path.read_bytes(), contents(filled().snapshot)
    seeded = random.Random(seed(4))
    flipped = [bytearray(content) for _ in range(40)]
    for copy in flipped:
        copy[seeded.randrange(len(copy))] ^= 1 << seeded.randrange(8)
    damaged = [
        *flipped,
        b"",
        content[:-1],
        content[:-1] + b"x",
        content + b"x",
        bytes(len(content)),
    ]
    for mutant in (None, *damaged):
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        (copy / path.name).unlink() if mutant is None else (copy / path.name).write_bytes(mutant)
        assert check_refused_or_right(copy, expected)
        assert not list(copy.glob("rows-*.bin"))
    assert not check_refused_or_right(folder, expected)


@pytest.mark.skipif(os.name != "posix", reason="links and FIFOs")
@pytest.mark.parametrize("what", ["link", "folder", "fifo"])
def test_something_else_in_place_of_a_file_of_rows_is_refused(tmp_path, monkeypatch, what):
    monkeypatch.setattr(bulk_rows, "MAX_BYTES", 0)
    folder = saved_in(tmp_path / "s", filled())
    [path] = folder.glob("rows-*.bin")
    moved = path.rename(tmp_path / "moved")
    if what == "link":
        path.symlink_to(moved)
    elif what == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(StoreError):
        loaded(folder)


@pytest.mark.usefixtures("bulk")
def test_no_damage_goes_unnoticed(tmp_path):
    folder = saved_in(tmp_path / "s", filled())
    content = (folder / "index.sqlite").read_bytes()
    kept = shutil.copytree(folder, tmp_path / "kept")
    expected = contents(filled().snapshot)
    refused = 0
    for mutant in mutants(content):
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)
        (folder / "index.sqlite").write_bytes(mutant)
        refused += check_refused_or_right(folder, expected)
    assert refused > 100


def test_a_refused_store_makes_room_for_a_new_one(tmp_path):
    folder = saved_in(tmp_path / "s", filled())
    path = folder / "index.sqlite"
    path.write_bytes(path.read_bytes()[:-5000] + bytes(5000))
    with pytest.raises(StoreError):
        loaded(folder)
    assert contents(loaded(saved_in(folder, filled(1))).snapshot) == contents(filled(1).snapshot)


def test_rows_of_two_generations_do_not_mix(tmp_path):
    one, two = (saved_in(tmp_path / name, filled(n)) for name, n in (("a", 3), ("b", 4)))
    connection = sqlite3.connect(two / "index.sqlite")
    connection.execute("ATTACH ? AS other", (str(one / "index.sqlite"),))
    connection.execute("DELETE FROM rows WHERE key = 4 << 40")
    connection.execute("INSERT INTO rows SELECT * FROM other.rows WHERE key = 4 << 40")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="different generations"):
        loaded(two)
