"""A folder that is like one indexed before starts from its index, and ends as if built anew."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from packhound.core.settings_reader import settings_from
from packhound.service.engine import Engine
from packhound.service.peers import Peers
from packhound.service.roots import clear_index, index_folder
from packhound.storage import VectorStore
from tests.support.index_check import contents
from tests.support.project import names

N_FILES = 40


@pytest.fixture
def first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose index was saved."""
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "first"
    root.mkdir()
    for n in range(N_FILES):
        (root / f"m{n}.py").write_text(f"def mend_roof_{n}(tiles):\n    return tiles\n")
    engine = Engine.open(root, settings_from({"ranking.gitHistory": False}))
    assert engine.settled(60)
    engine.close()
    return root


def copied(first: Path, name: str) -> Path:
    root = first.parent / name
    shutil.copytree(first, root)
    (root / "m0.py").unlink()
    (root / "m1.py").write_text("def paint_door(colour):\n    return colour\n")
    (root / "new.py").write_text("def plant_tree(seed):\n    return seed\n")
    return root


def without_stamps(snapshot: dict[str, Any]) -> dict[str, Any]:
    """The contents but for the stamps of files, which a file changed just now has no inode in."""
    files = {path: (digest, *rest) for path, (digest, _stamp, *rest) in snapshot["files"].items()}
    return {**snapshot, "files": files}


def test_a_copy_starts_from_its_sibling_and_equals_a_rebuilt_index(first: Path) -> None:
    root = copied(first, "second")
    engine = Engine.open(root, settings_from({"ranking.gitHistory": False}))
    # Before any file was parsed: what both have is there, what this one lacks is not.
    assert engine.snapshot.n_files >= N_FILES - 1 and "m0.py" not in engine.snapshot.files
    assert engine.settled(60)
    assert names(engine, "paint_door")[0] == "paint_door"
    assert names(engine, "plant_tree")[0] == "plant_tree"
    assert "mend_roof_1" not in names(engine, "mend_roof_1")
    started_from_sibling = without_stamps(contents(engine.snapshot))
    engine.rebuild()
    assert engine.settled(60)
    assert without_stamps(contents(engine.snapshot)) == started_from_sibling
    engine.close()


def test_unchanged_files_keep_their_nodes(first: Path) -> None:
    before = Engine.open(first, settings_from({"ranking.gitHistory": False}))
    node_ids = {path: list(entry.node_ids) for path, entry in before.snapshot.files.items()}
    before.close()
    engine = Engine.open(copied(first, "second"), settings_from({"ranking.gitHistory": False}))
    assert engine.settled(60)
    files = engine.snapshot.files
    assert all(list(files[f"m{n}.py"].node_ids) == node_ids[f"m{n}.py"] for n in range(2, N_FILES))
    # The stamps are those of the copy, so that the next start reads nothing again.
    assert all(files[f"m{n}.py"].stamp for n in range(2, N_FILES))
    engine.close()


def test_vectors_of_the_deep_model_are_those_of_the_sibling(first: Path) -> None:
    vectors = {b"digest of a text": b"vector"}
    VectorStore(index_folder(first)).put("model", vectors)
    root = copied(first, "second")
    Engine.open(root, settings_from({"ranking.gitHistory": False})).close()
    assert VectorStore(index_folder(root)).get("model", vectors) == vectors


def test_another_folder_starts_from_nothing(first: Path) -> None:
    root = first.parent / "other"
    root.mkdir()
    (root / "m5.py").write_text("def unlike_everything(): pass\n")
    engine = Engine.open(root, settings_from({"ranking.gitHistory": False}))
    assert "mend_roof_5" not in names(engine, "mend_roof_5")
    assert engine.settled(60) and engine.snapshot.n_files == 1
    engine.close()


def test_a_damaged_sibling_costs_nothing(first: Path) -> None:
    database = index_folder(first) / "index.sqlite"
    data = bytearray(database.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 20_000] = bytes(20_000)
    database.write_bytes(data)
    root = copied(first, "second")
    engine = Engine.open(root, settings_from({"ranking.gitHistory": False}))
    assert engine.settled(60) and engine.snapshot.n_files == N_FILES
    assert engine.status().notes == ()
    assert names(engine, "mend_roof_7")[0] == "mend_roof_7"
    engine.close()
    clear_index(root)


def test_live_siblings_share_what_both_have_and_equal_a_rebuilt_index(first: Path) -> None:
    peers = Peers()

    def opened(root: Path) -> Engine:
        engine = Engine.open(root, settings_from({"ranking.gitHistory": False}), peers=peers)
        peers.engines += (engine,)
        assert engine.settled(60)
        return engine

    one = opened(first)
    one.prepare().join()
    two = opened(copied(first, "second"))
    check_shared(one, two)
    assert related_names(two, "m7.py") == related_names(one, "m7.py")
    # An edit of one is nothing to the other.
    before = contents(one.snapshot)
    (two.root / "m7.py").write_text("def paint_wall(colour):\n    return colour\n")
    two.refresh()
    assert two.settled(60)
    assert contents(one.snapshot) == before and names(one, "mend_roof_7")[0] == "mend_roof_7"
    assert "mend_roof_7" not in names(two, "mend_roof_7")
    # Both are opened again, each from a store of its own, and share as before.
    for engine in peers.engines:
        assert engine.flush(60)
        engine.close()
    peers.engines = ()
    one, two = opened(first), opened(two.root)
    check_shared(one, two)
    live = without_stamps(contents(two.snapshot))
    two.rebuild()
    assert two.settled(60) and without_stamps(contents(two.snapshot)) == live
    for engine in peers.engines:
        engine.close()


def check_shared(one: Engine, two: Engine) -> None:
    """Most files, and the postings of all, are the same objects."""
    mine, theirs = one.snapshot.files, two.snapshot.files
    n_shared = sum(mine[path].record is theirs[path].record for path in mine.keys() & theirs)
    assert n_shared >= N_FILES - 4
    assert one.snapshot.terms.segments[0] in two.snapshot.terms.segments


def related_names(engine: Engine, path: str) -> list[str]:
    return [node.qualname for _, node in engine.neighbors(path, 0)]
