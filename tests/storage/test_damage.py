"""A damaged store is refused, or holds what was saved."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from packhound.core.errors import StoreError
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
    places = [*range(100), *seeded.sample(used, min(size(200), len(used)))]
    for place in places:
        flipped = bytearray(content)
        flipped[place] ^= 1 << seeded.randrange(8)
        yield bytes(flipped)
    for end in range(0, len(content), max(512, len(content) // 40)):
        yield content[:end]
        yield content[:end] + bytes(512) + content[end + 512 :]


def test_no_damage_goes_unnoticed(tmp_path):
    folder = saved_in(tmp_path / "s", filled())
    content = (folder / "index.sqlite").read_bytes()
    expected = contents(filled().snapshot)
    refused = 0
    for mutant in mutants(content):
        shutil.rmtree(folder)
        folder.mkdir()
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
