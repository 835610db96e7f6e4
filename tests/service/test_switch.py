"""A folder that is switched off: nothing is read or kept of it, for anyone, until it is on."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_files import CLIENT, Layer, Overrides
from packhound.core.types import Document
from packhound.operations import Call, answer
from packhound.service.engine_pool import EnginePool
from packhound.service.workspace import Workspace
from tests.support.project import wait_until

OFF = (Layer(CLIENT, {"index.enabled": False}),)


@pytest.fixture(scope="module")
def opened() -> list[str]:
    """Paths of files and folders that this process opens from now on."""
    paths: list[str] = []

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event in ("open", "os.scandir", "os.listdir"):
            paths.append(str(arguments[0]))

    sys.addaudithook(note)
    return paths


class Client:
    """A session that can change its mind."""

    def __init__(self, root: Path, pool: EnginePool, layers: tuple[Layer, ...] = ()) -> None:
        self.overrides = Overrides(layers)
        self.workspace = Workspace(overrides=self.overrides, pool=pool)
        self.engine = self.workspace.add(root)

    def set(self, layers: tuple[Layer, ...]) -> None:
        self.overrides.layers = layers
        self.workspace.configure(self.workspace.settings)

    def ask(self, operation: str, /, **arguments: object) -> dict[str, object]:
        self.workspace.settled(30)
        return answer(Call(self.workspace.roots, self.workspace.settings), operation, arguments)


@pytest.fixture
def pool() -> Iterator[EnginePool]:
    pool = EnginePool()
    yield pool
    pool.close()


def test_what_is_off_is_neither_read_nor_kept(root: Path, pool: EnginePool, opened) -> None:
    client = Client(root, pool)
    assert client.ask("search", query="send_receipt")["hits"]
    client.ask("pack", prompt="send_receipt")
    index, grep = weakref.ref(client.engine.index), weakref.ref(client.engine.index.grep)
    packs, snapshot = weakref.ref(client.engine.packs), weakref.ref(client.engine.snapshot)
    client.set(OFF)
    client.workspace.settled(30)
    # A thread that prepares what comes next ends on its own.
    kept = (index, grep, packs, snapshot)
    wait_until(lambda: gc.collect() >= 0 and all(each() is None for each in kept))
    (root / "later.py").write_text("def found_later():\n    return 1\n")
    opened.clear()
    client.engine.refresh()
    client.engine.update(Document("unsaved.py", b"def not_saved():\n    return 2\n"))
    for _ in range(3):
        client.engine.refresh(["later.py"])
        with pytest.raises(SettingsError, match=r"is off in '.*'; set 'index.enabled' to true"):
            client.ask("search", query="send_receipt")
    status = client.ask("status")
    assert (status["state"], status["files"], status["pending"]) == ("off", 0, 0)
    below = [path for path in opened if path.startswith(str(root))]
    assert {Path(path).name for path in below} <= {".packhound.toml", "pyproject.toml"}
    client.set(())
    for name in ("found_later", "not_saved", "send_receipt"):
        hits = client.ask("search", query=name)["hits"]
        assert hits[0]["name"] == name
    assert client.ask("status")["state"] == "ready"


def test_a_folder_is_off_for_all_while_one_has_it_off(root: Path, pool: EnginePool) -> None:
    agent = Client(root, pool)
    editor = Client(root, pool, OFF)
    assert editor.engine is agent.engine
    assert agent.ask("status")["state"] == "off"
    with pytest.raises(SettingsError, match="is off"):
        agent.ask("symbol", name="send_receipt")
    editor.workspace.close()
    assert agent.ask("search", query="send_receipt")["hits"]
    agent.workspace.close()


def test_a_file_of_the_folder_switches_it_off_and_others_still_answer(
    root: Path, tmp_path: Path, pool: EnginePool
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "tax.py").write_text("def compute_tax():\n    return 0\n")
    client = Client(root, pool)
    client.workspace.add(other)
    (other / ".packhound.toml").write_text("index.enabled = false\n")
    found = client.ask("search", query="compute_tax")
    assert "compute_tax" not in [hit["name"] for hit in found["hits"]]
    assert any(f"Packhound is off in '{other.resolve()}'" in note for note in found["notes"])
    assert client.ask("search", query="send_receipt")["hits"][0]["name"] == "send_receipt"
    (other / ".packhound.toml").unlink()
    wait_until(
        lambda: client.ask("search", query="compute_tax")["hits"][0]["name"] == "compute_tax"
    )
