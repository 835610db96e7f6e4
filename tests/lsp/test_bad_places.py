"""Folders and files that go, come back, or were never what they seem; and a cache that is gone."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from packhound.daemon import connect
from packhound.relay import read_address
from packhound.service.roots import index_folder
from tests.support.agent import engine_id
from tests.support.lsp_client import RELAYED, LspClient, wait_until, write_files

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX files")

START = {"position": {"line": 0, "character": 0}}


def touch(client: LspClient, *paths: Path) -> dict:
    """Tell of changes, and wait until they are read; the status then."""
    client.touch(*paths)
    return client.settle()


def change_folders(client: LspClient, added: list[Path], removed: list[Path]) -> dict:
    event = {
        name: [{"uri": path.as_uri(), "name": path.name} for path in paths]
        for name, paths in (("added", added), ("removed", removed))
    }
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    return client.settle()


def writes(client: LspClient) -> bool:
    return client.request("packhound/status")["roots"][0]["writer"]


@pytest.fixture
def loop(tmp_path: Path) -> Path:
    path = tmp_path / "loop"
    path.symlink_to(path)
    return path


def test_a_folder_that_is_a_link_to_itself_stops_no_other(start_server, tmp_path, folder, loop):
    client = start_server()
    client.initialize(loop, folder)
    status = client.settle()
    assert status["files"] == 2
    assert status["notes"] == [f"folder '{loop}' does not exist"]
    other = write_files(tmp_path / "other", {"other.py": "def other_zebra(): pass\n"})
    assert change_folders(client, [loop, other], [])["files"] == 3
    assert change_folders(client, [], [loop, other])["files"] == 2


@pytest.mark.parametrize("below", ["loop", "n" * 300, "x/" * 2_500])
def test_documents_where_no_file_can_be(client, folder, loop, below):
    (folder / "loop").symlink_to(loop)
    document = client.open_document(folder / below / "odd.py", "def odd_quokka(): pass\n")
    client.open_document(folder / "new.py", "def new_zebra(): pass\n")
    assert client.search("new_zebra", mode="symbol") == ["new.py new_zebra"]
    for method in ("related", "neighbors", "explain"):
        client.call(f"packhound/{method}", {**document, **START, "query": "x"})
    assert client.request("packhound/search", {"query": "x", "focus": document})
    client.request("textDocument/hover", {"textDocument": document, **START})
    (folder / "late.py").write_text("def late_zebra(): pass\n")
    assert touch(client, folder / below / "odd.py", folder / "late.py")["state"] == "ready"
    assert client.search("late_zebra", mode="symbol") == ["late.py late_zebra"]


def test_a_workspace_that_goes_and_comes_back(client, folder):
    shutil.rmtree(folder)
    assert touch(client, folder, folder / "config.py", folder / "shapes.py")["files"] == 0
    client.open_document(folder / "new.py", "def new_zebra(): pass\n")
    assert client.search("new_zebra", mode="symbol") == ["new.py new_zebra"]
    write_files(folder)
    assert touch(client, folder, folder / "config.py", folder / "shapes.py")["files"] == 3
    folder.rename(folder.with_name("elsewhere"))
    client.request("packhound/rebuild")
    assert client.settle()["files"] == 1


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    old_folder = Path.cwd()
    os.chdir(path.parent)  # The paths of sockets are short.
    with socket.socket(socket.AF_UNIX) as result:
        result.bind(path.name)
    os.chdir(old_folder)


REPLACED = {
    "a folder": Path.mkdir,
    "a pipe": make_pipe,
    "a socket": make_socket,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a circle": lambda path: path.symlink_to(path),
    "a dead link": lambda path: path.symlink_to("nowhere"),
    "nothing in it": Path.touch,
}


@pytest.mark.parametrize("replace_file", REPLACED.values(), ids=REPLACED)
def test_a_file_is_replaced_by(client, folder, replace_file):
    (folder / "config.py").unlink()
    replace_file(folder / "config.py")
    assert touch(client, folder / "config.py")["files"] == 1
    client.request("packhound/rebuild")
    assert client.settle()["files"] == 1
    if (folder / "config.py").is_dir():
        (folder / "config.py").rmdir()
    else:
        (folder / "config.py").unlink()
    (folder / "config.py").write_text("def file_zebra(): pass\n")
    assert touch(client, folder / "config.py")["files"] == 2
    assert client.search("file_zebra", mode="symbol") == ["config.py file_zebra"]


def test_names_that_are_no_text_and_names_that_differ_by_case(client, folder):
    (folder / os.fsdecode(b"bad\xff.py")).write_text("def bad_zebra(): pass\n")
    for name in ("Config.py", "CONFIG.py"):
        (folder / name).write_text(f"def zebra_{name[:-3]}(): pass\n")
    uri = folder.as_uri() + "/bad%FF.py"
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 1}]})
    assert touch(client, folder / "Config.py", folder / "CONFIG.py")["files"] == 4
    client.request("packhound/rebuild")
    assert client.settle()["files"] == 4


@pytest.mark.slow
def test_a_cache_folder_that_is_deleted_is_made_again(start_server, tmp_path, folder, monkeypatch):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    client = start_server(command=RELAYED)
    client.initialize(folder)
    cache_folder = index_folder(folder)
    wait_until((cache_folder / "index.sqlite").exists)
    shutil.rmtree(tmp_path / "cache")
    (folder / "late.py").write_text("def late_zebra(): pass\n")
    assert touch(client, folder / "late.py")["files"] == 3
    wait_until(lambda: writes(client) and (cache_folder / "index.sqlite").exists())
    # The command line and agents ask this server again.
    connections = []
    wait_until(lambda: connections.append(connect([folder])) or connections[-1])
    assert connections[-1].answer("search", {"query": "late_zebra"})["hits"]
    connections[-1].close()
    assert client.shut_down() == 0
    again = start_server()
    again.initialize(folder)
    status = again.settle()
    assert (status["files"], status["notes"]) == (3, [])


def test_there_is_one_writer_after_the_cache_folder_was_deleted(start_server, tmp_path, folder):
    first, second = start_server(), start_server()
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
    assert first.shut_down() == 0
    wait_until(lambda: writes(second))
    assert second.shut_down() == 0
    third = start_server()
    third.initialize(folder)
    status = third.settle()
    assert (status["files"], status["notes"], writes(third)) == (4, [], True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="counts file handles in /proc")
def test_whoever_asks_is_answered_again_when_there_are_file_handles(
    start_server, tmp_path, folder, monkeypatch
):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    shell = f"ulimit -n 64; exec {sys.executable} -m packhound lsp"
    client = start_server(command=["/bin/sh", "-c", shell])
    client.may_log_tracebacks = True  # Threads fail to import modules.
    client.initialize(folder)
    client.settle()
    handles = Path(f"/proc/{engine_id(tmp_path / 'cache')}/fd")
    server, strangers = read_address(tmp_path / "cache"), []

    def takes_all_handles() -> bool:
        # One that waited for an answer would end a server that has no handle left to give one.
        strangers.append(socket.socket(server.family, socket.SOCK_STREAM))
        strangers[-1].setblocking(False)
        with suppress(OSError):  # The backlog is full while the server accepts nobody.
            strangers[-1].connect(server.address)
        return len(list(handles.iterdir())) >= 64

    wait_until(takes_all_handles)
    (folder / "late.py").write_text("def late_zebra(): pass\n")
    client.touch(folder / "late.py")
    assert client.search("load_config", mode="symbol") == ["config.py load_config"]
    client.call("packhound/pack", {"prompt": "load config"})
    for stranger in strangers:
        stranger.close()
    assert client.settle()["files"] == 3
    assert "load_config" in client.request("packhound/pack", {"prompt": "load config"})["text"]
    asking = connect([folder])
    assert asking.answer("search", {"query": "late_zebra"})["hits"]
    asking.close()


WITHOUT_THREADS = """
from packhound.service.engine import Engine
opened = Engine.open
def open(root, *rest, **named):
    if root.name == "heavy":
        raise RuntimeError("can't start new thread")
    return opened(root, *rest, **named)
Engine.open = open
from packhound.lsp.server import serve
serve(alone=True)
"""


def test_a_folder_that_the_system_refuses_is_named(start_server, tmp_path, folder):
    heavy = write_files(tmp_path / "heavy")
    client = start_server(command=[sys.executable, "-c", WITHOUT_THREADS])
    client.initialize(heavy, folder)
    status = client.settle()
    assert status["files"] == 2
    assert status["notes"] == [f"folder '{heavy}' cannot be opened: can't start new thread"]
