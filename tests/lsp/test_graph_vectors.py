"""The graph of neighbours through the language server, and the command line that asks it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import packhound
from tests.support.lsp_client import RELAYED, LspClient, wait_until, write_files

VERBS = ("open", "close", "send", "parse", "render", "store", "delete", "merge", "retry", "cancel")
NOUNS = ("door", "invoice", "socket", "picture", "session", "cart", "letter", "thread")
QUERIES = (
    "paint an image",
    "take a bill away",
    "try the connection again",
    "keep a visit",
)
SOURCES = {
    f"{noun}.py": "".join(
        f'def {verb}_{noun}(x):\n    """{verb} the {noun} of x."""\n    return x.{verb}()\n\n'
        for verb in VERBS
    )
    for noun in NOUNS
}
N = len(VERBS) * len(NOUNS)

COMMAND = RELAYED


def start(start_server, folder: Path, graph_from: int) -> LspClient:
    client = start_server()
    client.initialize(
        folder, initializationOptions={"packhound": {"index": {"graphFrom": graph_from}}}
    )
    client.settle()
    return client


def state(client: LspClient) -> dict:
    [root] = client.settle()["roots"]
    return root


def dense(client: LspClient, query: str) -> list[str]:
    return client.search(query, mode="dense", limit=5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_files(tmp_path / "workspace", SOURCES)


@pytest.mark.slow
def test_a_graph_answers_as_a_scan_does_and_follows_edits(start_server, folder, tmp_path):
    pytest.importorskip("hnswlib")
    scanning = start(start_server, folder, 0)
    assert state(scanning)["dense"] == "exact"
    expected = {query: dense(scanning, query) for query in QUERIES}
    scanning.shut_down()
    client = start(start_server, folder, N // 2)
    wait_until(lambda: state(client)["dense"] == "hnsw")
    assert {query: dense(client, query) for query in QUERIES} == expected
    drift = state(client)["drift"]
    assert drift["tail"] == 0 and drift["graph_dead_share"] == 0 and drift["length_shift"] == 0
    assert state(client)["recall"] >= 0.95

    fence = client.open_document(folder / "fence.py", "")
    code = 'def paint_fence(colour):\n    """Apply varnish to wood."""\n    return colour\n'
    client.change_document(fence, 2, (code,))
    wait_until(lambda: "fence.py paint_fence" in dense(client, "paint the fence"))
    assert state(client)["drift"]["tail"] == 0
    door = client.open_document(folder / "door.py", SOURCES["door.py"])
    client.change_document(door, 2, ("door = 1\n",))
    wait_until(lambda: state(client)["drift"]["graph_dead_share"] == len(VERBS) / (N + 2))
    assert not [hit for query in QUERIES for hit in dense(client, query) if "_door" in hit]
    assert state(client)["recall"] >= 0.95

    command = ("search", "paint the fence", "--mode", "dense", "--limit", "5", "--json")
    done = packhound(tmp_path, *command, "--root", str(folder))
    hits = [f"{hit['path']} {hit['name']}" for hit in json.loads(done.stdout)["hits"]]
    assert hits == dense(client, "paint the fence") and "fence.py paint_fence" in hits
