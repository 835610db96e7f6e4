"""Documents that nobody writes by hand, and ends that nobody plans: the server goes on, or goes."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

import pytest

from packhound.core.parent_process import is_alive
from tests.support.lsp_client import LspClient, eventually, wait_until, write_files

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


LONGEST = {"20 megabytes", "line ends", "many short lines"}
TEXTS = [
    pytest.param(text, id=name, marks=[pytest.mark.slow] * (name in LONGEST))
    for name, text in HUGE.items()
]


@pytest.fixture(scope="module")
def lasting(tmp_path_factory):
    """One server that has to survive all of them, and its folder."""
    place = tmp_path_factory.mktemp("odd")
    folder = write_files(place / "workspace")
    client = LspClient(place / "cache", forked=True)
    client.initialize(folder)
    client.settle()
    yield client, folder
    client.kill()


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", ["huge.py", pytest.param("huge.js", marks=pytest.mark.release)])
def test_any_document_can_be_open(lasting, name, text):
    client, folder = lasting
    document = client.open_document(folder / name, text)
    assert client.search("load_config", mode="symbol") == ["config.py load_config"]
    client.change_document(document, 2, (0, 0, 0, "// quokka\n"))
    client.change_document(document, 3, (2**31, 0, 2**31, "x"))
    client.settle()
    client.request("workspace/symbol", {"query": "wombat"})
    client.change_document(document, 4, ("def small_zebra(): pass\n",))
    found = [f"{name} small_zebra"]
    assert name == "huge.js" or found == eventually(
        lambda: client.search("small_zebra", limit=1), found
    )
    client.close_document(document)
    assert client.settle()["files"] == 2


def children_of(process_id: int) -> list[int]:
    actual: list[int] = []
    for task in Path(f"/proc/{process_id}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):
            actual += map(int, (task / "children").read_text().split())
    return actual


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_no_parser_outlives_a_server_that_is_killed(start_server, tmp_path):
    folder = tmp_path / "busy"
    folder.mkdir()
    for n in range(40):
        (folder / f"m{n}.py").write_text("x = [\n" + ("1," * 50 + "\n") * 2_000 + "]\n")
    client = start_server()
    client.initialize(folder)
    wait_until(lambda: children_of(client.process.pid))
    children = children_of(client.process.pid)
    os.kill(client.process.pid, signal.SIGKILL)
    wait_until(lambda: not any(is_alive(child) for child in children))
