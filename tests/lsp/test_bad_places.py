"""Folders and files that go, come back, or were never what they seem; and a cache that is gone."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import time
from pathlib import Path

import pytest
from raw import PATIENCE_S, RawClient
from test_features import open_document, search
from two_files import make_folder

from packhound.api.socket_client import connect
from packhound.service.roots import index_folder

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX files")

START = {"position": {"line": 0, "character": 0}}


def touch(client: RawClient, *paths: Path) -> dict:
    """Tell of changes, and wait until they are read; the status then."""
    changes = [{"uri": path.as_uri(), "type": 2} for path in paths]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    return client.result("packhound/status", {"wait": True})


def change_folders(client: RawClient, added: list[Path], removed: list[Path]) -> dict:
    event = {
        name: [{"uri": path.as_uri(), "name": path.name} for path in paths]
        for name, paths in (("added", added), ("removed", removed))
    }
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    return client.result("packhound/status", {"wait": True})


def wait_until(happened) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def writes(client: RawClient) -> bool:
    return client.result("packhound/status")["roots"][0]["writer"]


def end(client: RawClient) -> None:
    client.result("shutdown")
    client.notify("exit")
    assert client.end() == 0


@pytest.fixture
def loop(tmp_path: Path) -> Path:
    path = tmp_path / "loop"
    path.symlink_to(path)
    return path


def test_a_folder_that_is_a_link_to_itself_stops_no_other(started, tmp_path, folder, loop):
    client = started()
    client.initialize(loop, folder)
    status = client.result("packhound/status", {"wait": True})
    assert status["files"] == 2
    assert status["notes"] == [f"folder '{loop}' does not exist"]
    other = make_folder(tmp_path / "other", {"other.py": "def other_zebra(): pass\n"})
    assert change_folders(client, [loop, other], [])["files"] == 3
    assert change_folders(client, [], [loop, other])["files"] == 2


@pytest.mark.parametrize("below", ["loop", "n" * 300, "x/" * 2_500])
def test_documents_where_no_file_can_be(client, folder, loop, below):
    (folder / "loop").symlink_to(loop)
    document = open_document(client, folder / below / "odd.py", "def odd_quokka(): pass\n")
    open_document(client, folder / "new.py", "def new_zebra(): pass\n")
    assert search(client, "new_zebra", mode="symbol") == ["new.py new_zebra"]
    for method in ("related", "neighbors", "explain"):
        client.call(f"packhound/{method}", {**document, **START, "query": "x"})
    assert client.result("packhound/search", {"query": "x", "focus": document})
    client.result("textDocument/hover", {"textDocument": document, **START})
    (folder / "late.py").write_text("def late_zebra(): pass\n")
    assert touch(client, folder / below / "odd.py", folder / "late.py")["state"] == "ready"
    assert search(client, "late_zebra", mode="symbol") == ["late.py late_zebra"]


def test_a_workspace_that_goes_and_comes_back(client, folder):
    shutil.rmtree(folder)
    assert touch(client, folder, folder / "config.py", folder / "shapes.py")["files"] == 0
    open_document(client, folder / "new.py", "def new_zebra(): pass\n")
    assert search(client, "new_zebra", mode="symbol") == ["new.py new_zebra"]
    make_folder(folder)
    assert touch(client, folder, folder / "config.py", folder / "shapes.py")["files"] == 3
    folder.rename(folder.with_name("elsewhere"))
    client.result("packhound/rebuild")
    assert client.result("packhound/status", {"wait": True})["files"] == 1


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # The paths of sockets are short.
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)


REPLACED = {
    "a folder": Path.mkdir,
    "a pipe": make_pipe,
    "a socket": make_socket,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a circle": lambda path: path.symlink_to(path),
    "a dead link": lambda path: path.symlink_to("nowhere"),
    "nothing in it": Path.touch,
}


@pytest.mark.parametrize("made", REPLACED.values(), ids=REPLACED)
def test_a_file_is_replaced_by(client, folder, made):
    (folder / "config.py").unlink()
    made(folder / "config.py")
    assert touch(client, folder / "config.py")["files"] == 1
    client.result("packhound/rebuild")
    assert client.result("packhound/status", {"wait": True})["files"] == 1
    if (folder / "config.py").is_dir():
        (folder / "config.py").rmdir()
    else:
        (folder / "config.py").unlink()
    (folder / "config.py").write_text("def file_zebra(): pass\n")
    assert touch(client, folder / "config.py")["files"] == 2
    assert search(client, "file_zebra", mode="symbol") == ["config.py file_zebra"]


def test_names_that_are_no_text_and_names_that_differ_by_case(client, folder):
    (folder / os.fsdecode(b"bad\xff.py")).write_text("def bad_zebra(): pass\n")
    for name in ("Config.py", "CONFIG.py"):
        (folder / name).write_text(f"def zebra_{name[:-3]}(): pass\n")
    uri = folder.as_uri() + "/bad%FF.py"
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 1}]})
    assert touch(client, folder / "Config.py", folder / "CONFIG.py")["files"] == 4
    client.result("packhound/rebuild")
    assert client.result("packhound/status", {"wait": True})["files"] == 4


def test_a_cache_folder_that_is_deleted_is_made_again(started, tmp_path, folder, monkeypatch):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    client = started()
    client.initialize(folder)
    kept = index_folder(folder)
    wait_until((kept / "index.sqlite").exists)
    shutil.rmtree(tmp_path / "cache")
    (folder / "late.py").write_text("def late_zebra(): pass\n")
    assert touch(client, folder / "late.py")["files"] == 3
    wait_until(lambda: writes(client) and (kept / "index.sqlite").exists())
    # The command line and agents ask this server again.
    connections = []
    wait_until(lambda: connections.append(connect(kept)) or connections[-1])
    assert connections[-1].call("search", {"query": "late_zebra"})["hits"]
    connections[-1].close()
    end(client)
    again = started()
    again.initialize(folder)
    status = again.result("packhound/status", {"wait": True})
    assert (status["files"], status["notes"]) == (3, [])


def test_there_is_one_writer_after_the_cache_folder_was_deleted(started, tmp_path, folder):
    first, second = started(), started()
    first.initialize(folder)
    wait_until(lambda: writes(first))
    shutil.rmtree(tmp_path / "cache")
    second.initialize(folder)
    wait_until(lambda: writes(first) + writes(second) == 1)
    for n in range(2):
        late = folder / f"late{n}.py"
        late.write_text(f"def late_zebra_{n}(): pass\n")
        for each in (first, second):
            touch(each, late)
        assert writes(first) + writes(second) == 1
    end(first)
    wait_until(lambda: writes(second))
    end(second)
    third = started()
    third.initialize(folder)
    status = third.result("packhound/status", {"wait": True})
    assert (status["files"], status["notes"], writes(third)) == (4, [], True)


@pytest.mark.skipif(sys.platform != "linux", reason="counts file handles in /proc")
def test_whoever_asks_is_answered_again_when_there_are_file_handles(started, tmp_path, folder):
    shell = f"ulimit -n 64; exec {sys.executable} -m packhound lsp"
    client = started(command=["/bin/sh", "-c", shell])
    client.initialize(folder)
    client.result("packhound/status", {"wait": True})
    (kept,) = (tmp_path / "cache").iterdir()
    handles = Path(f"/proc/{client.process.pid}/fd")
    strangers = []
    while len(list(handles.iterdir())) < 64:
        strangers.append(connect(kept))
    (folder / "late.py").write_text("def late_zebra(): pass\n")
    client.notify(
        "workspace/didChangeWatchedFiles",
        {"changes": [{"uri": (folder / "late.py").as_uri(), "type": 1}]},
    )
    assert search(client, "load_config", mode="symbol") == ["config.py load_config"]
    client.call("packhound/pack", {"prompt": "load config"})
    for stranger in filter(None, strangers):
        stranger.close()
    assert client.result("packhound/status", {"wait": True})["files"] == 3
    assert "load_config" in client.result("packhound/pack", {"prompt": "load config"})["text"]
    asking = connect(kept)
    assert asking.call("search", {"query": "late_zebra"})["hits"]
    asking.close()


WITHOUT_THREADS = """
from packhound.service.engine import Engine
opened = Engine.open
def open(root, *others):
    if root.name == "heavy":
        raise RuntimeError("can't start new thread")
    return opened(root, *others)
Engine.open = open
from packhound.lsp.server import serve
serve()
"""


def test_a_folder_that_the_system_refuses_is_named(started, tmp_path, folder):
    heavy = make_folder(tmp_path / "heavy")
    client = started(command=[sys.executable, "-c", WITHOUT_THREADS])
    client.initialize(heavy, folder)
    status = client.result("packhound/status", {"wait": True})
    assert status["files"] == 2
    assert status["notes"] == [f"folder '{heavy}' cannot be opened: can't start new thread"]
