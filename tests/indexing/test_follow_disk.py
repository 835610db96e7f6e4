"""The index follows files, folders, ignore files and limits."""

import gc
import weakref
from pathlib import Path

import pytest

from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.core.types import Document
from packhound.indexing.timing import Timing
from packhound.service.engine import Engine
from tests.support.git_repository import git
from tests.support.project import names, wait_until


def test_the_disk_is_followed(engine: Engine, root: Path) -> None:
    (root / "shop" / "stock.py").write_text("def count_stock():\n    return 0\n")
    (root / "shop" / "mail.py").unlink()
    engine.refresh(["shop/stock.py", "shop/mail.py"])
    assert engine.settled(10)
    assert names(engine, "count_stock")[0] == "count_stock"
    assert "send_receipt" not in names(engine, "send_receipt")
    (root / "shop").rename(root / "store")
    engine.refresh()
    assert engine.settled(10)
    assert {node.path for node in engine.outline()} == {
        "store/cart.py",
        "store/stock.py",
        "web/router.ts",
    }


def test_a_removed_folder_leaves_the_index(engine: Engine, root: Path) -> None:
    (root / "web" / "router.ts").unlink()
    (root / "web").rmdir()
    engine.refresh(["web"])
    assert engine.settled(10)
    assert "web/router.ts" not in engine.snapshot.files


def test_a_changed_ignore_file_is_followed(engine: Engine, root: Path) -> None:
    (root / ".gitignore").write_text("web/\n")
    engine.refresh([".gitignore"])
    assert engine.settled(30)
    assert set(engine.snapshot.files) == {".gitignore", "shop/cart.py", "shop/mail.py"}


def test_a_file_that_becomes_too_large_is_named_at_once(engine: Engine, root: Path) -> None:
    (root / "shop" / "cart.py").write_bytes(b"x = 1\n" * 5_000_001)
    engine.refresh(["shop/cart.py"])
    assert engine.settled(30)
    assert engine.left_out.files == {"shop/cart.py": "too large"}
    (root / "shop" / "cart.py").write_bytes(b"x = 1\n")
    engine.refresh(["shop/cart.py"])
    assert engine.settled(30)
    assert engine.left_out.files == {} and "shop/cart.py" in engine.snapshot.files


def test_what_git_tracks_though_it_ignores_it_is_named(engine: Engine, root: Path) -> None:
    git(root, "init")
    (root / ".gitignore").write_text("web/\n*.log\n")
    (root / "a.log").write_text("b\n")
    git(root, "add", "-f", "web/router.ts")
    engine.refresh()
    assert engine.settled(30)
    assert engine.left_out.files == {"web/router.ts": "ignored but tracked"}
    git(root, "rm", "--cached", "web/router.ts")
    engine.refresh()
    assert engine.settled(30)
    assert engine.left_out.files == {}


def test_what_a_sparse_checkout_leaves_out_is_named(engine: Engine, root: Path) -> None:
    git(root, "init")
    git(root, "add", ".")
    git(root, "commit", "-m", "all")
    git(root, "sparse-checkout", "set", "--no-cone", "/shop/")
    engine.refresh()
    assert engine.settled(30)
    assert engine.left_out.files["web/router.ts"] == "not checked out"
    assert not [path for path in engine.left_out.files if path.startswith("shop/")]
    git(root, "sparse-checkout", "disable")
    engine.refresh()
    assert engine.settled(30)
    assert engine.left_out.files == {}


@pytest.mark.parametrize("paths", [None, ["shop/cart.py", "shop/mail.py", "web"]])
def test_without_file_handles_nothing_is_lost(root: Path, paths: list[str] | None) -> None:
    resource = pytest.importorskip("resource")
    engine = Engine.open(root, timing=Timing(fault_s=0.05))
    try:
        assert engine.settled(30)
        (root / "shop" / "cart.py").write_text("def later_wombat(): pass\n")
        before = dict(engine.snapshot.files)
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
            engine.refresh(paths)
            wait_until(lambda: "failed" in "".join(engine.status().notes))
            assert dict(engine.snapshot.files) == before
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        assert engine.settled(30)
        assert names(engine, "later_wombat")[0] == "later_wombat"
        assert engine.status().notes == ()
    finally:
        engine.close()


def test_files_above_the_cap_are_said_until_there_are_fewer(engine: Engine, root: Path) -> None:
    engine.configure(settings_from({"index.maxFiles": 2}))
    assert engine.settled(30)
    assert [note for note in engine.status().notes if "maxFiles" in note]
    assert len(engine.snapshot.files) == 2
    engine.configure(Settings())
    assert engine.settled(30)
    assert engine.status().notes == () and len(engine.snapshot.files) == 3


def test_a_first_pass_ends_with_one_segment(root: Path) -> None:
    for n in range(3):  # More than a pass puts into the index at once.
        functions = "".join(f"def f_{n}_{i}(): pass\n" for i in range(1_200))
        (root / f"many_{n}.py").write_text(functions)
    engine = Engine.open(root)
    try:
        assert engine.settled(60)
        assert engine.snapshot.n_nodes > 3_000
        assert len(engine.snapshot.terms.segments) == 1
    finally:
        engine.close()


class Loop:
    """Garbage that only a collection finds."""

    def __init__(self) -> None:
        self.itself = self


def test_garbage_is_collected_once_nobody_types(root: Path) -> None:
    engine = Engine.open(root, timing=Timing(quiet_s=0.02, save_s=0.02))
    assert engine.settled(30)
    gc.disable()
    try:
        for n in range(2):  # The first may be collected because of the first pass.
            garbage = weakref.ref(Loop())
            engine.update(Document("shop/mail.py", f"def edited_{n}(): pass\n".encode()))
            wait_until(lambda garbage=garbage: garbage() is None)
    finally:
        gc.enable()
        engine.close()
