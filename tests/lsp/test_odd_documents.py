"""Documents that nobody writes by hand, and ends that nobody plans: the server goes on, or goes."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from raw import PATIENCE_S, RawClient
from test_features import change, open_document, search
from two_files import make_folder

from packhound.core.parent_process import is_alive

HUGE = {
    "20 megabytes": "def wombat(): pass\n" * 1_050_000,
    "one long line": "x=1;" * 200_000,
    "many short lines": "a;\n" * 100_000,
    "nested": "(" * 100_000,
    "nested and closed": "[" * 50_000 + "]" * 50_000,
    "identifiers": "".join(f"n{n} " for n in range(140_000)),
    "identifiers that are too many": "".join(f"n{n}\n" for n in range(1_000_000)),
    "line ends": "a = 1\r\rb = 2\r\n\f\u2028\x85\x0b" * 20_000,
    "quotes": "'''" * 100_001,
    "nothing but marks": "\u202e\ufeff\u200b\u0301" * 50_000,
}


@pytest.fixture(scope="module")
def lasting(tmp_path_factory):
    """One server that has to survive all of them, and its folder."""
    place = tmp_path_factory.mktemp("odd")
    folder = make_folder(place / "workspace")
    client = RawClient(place / "cache")
    client.initialize(folder)
    client.result("packhound/status", {"wait": True})
    yield client, folder
    client.close()


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE)
@pytest.mark.parametrize("name", ["huge.py", pytest.param("huge.js", marks=pytest.mark.slow)])
def test_any_document_can_be_open(lasting, name, text):
    client, folder = lasting
    document = open_document(client, folder / name, text)
    assert search(client, "load_config", mode="symbol") == ["config.py load_config"]
    change(client, document, 2, (0, 0, 0, "// quokka\n"))
    change(client, document, 3, (2**31, 0, 2**31, "x"))
    client.result("packhound/status", {"wait": True})
    client.result("workspace/symbol", {"query": "wombat"})
    change(client, document, 4, ("def small_zebra(): pass\n",))
    assert search(client, "small_zebra", limit=1) == [f"{name} small_zebra"] or name == "huge.js"
    client.notify("textDocument/didClose", {"textDocument": document})
    assert client.result("packhound/status", {"wait": True})["files"] == 2


def children_of(process_id: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{process_id}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found += map(int, (task / "children").read_text().split())
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_no_parser_outlives_a_server_that_is_killed(started, tmp_path):
    folder = tmp_path / "busy"
    folder.mkdir()
    for n in range(40):
        (folder / f"m{n}.py").write_text("x = [\n" + ("1," * 50 + "\n") * 2_000 + "]\n")
    client = started()
    client.initialize(folder)
    deadline = time.monotonic() + PATIENCE_S
    while not (children := children_of(client.process.pid)):
        assert time.monotonic() < deadline
    os.kill(client.process.pid, signal.SIGKILL)
    while any(is_alive(child) for child in children):
        assert time.monotonic() < deadline + PATIENCE_S, "an orphan"
        time.sleep(0.02)
