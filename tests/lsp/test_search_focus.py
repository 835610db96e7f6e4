"""The focus of a search through the language server, and from the command line that asks it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import packhound
from tests.support.lsp_client import RELAYED, LspClient
from tests.support.project import write_files

LOADER = 'def load_settings(path):\n    """Read the settings."""\n    return open(path)\n'
FILES = {f"{part}/{name}.py": LOADER for part in ("billing", "mail") for name in ("settings",)}
FILES |= {"billing/money.py": "def pay():\n    pass\n", "mail/send.py": "def send():\n    pass\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_files(tmp_path / "workspace", FILES)
    return tmp_path / "workspace"


def near(folder: Path, path: str) -> dict:
    return {"uri": (folder / path).as_uri(), "position": {"line": 0, "character": 0}}


@pytest.mark.parametrize(
    ("path", "first"), [("mail/send.py", "mail"), ("billing/money.py", "bill")]
)
def test_what_is_near_comes_first_in_every_front(start_server, folder, tmp_path, path, first):
    client = start_server(command=RELAYED)
    client.initialize(folder)
    client.settle()
    hits = client.request(
        "packhound/search",
        {
            "query": "load settings",
            "focus": near(folder, path),
            "deep": True,
            "time_ms": 30_000,
            "explain": True,
        },
    )["hits"]
    assert hits[0]["path"].startswith(first)
    texts = {group["group"]: group["text"] for group in hits[0]["groups"]}
    assert texts["You"] == "in the folder you are in"
    assert sum(s["contribution"] for s in hits[0]["why"]) == pytest.approx(hits[0]["score"])
    position = near(folder, hits[0]["path"])
    explained = client.request("packhound/explain", position)["hit"]
    assert explained["score"] == pytest.approx(hits[0]["score"])

    def from_command_line(*options: str) -> list[dict]:
        command = ("search", "load settings", "--json", "--focus", path, "--time-ms", "30000")
        return json.loads(packhound(tmp_path, *command, *options, "--root", str(folder)).stdout)[
            "hits"
        ]

    asked_server = from_command_line()
    alone = from_command_line("--set", "index.persist=false")
    for answer in (asked_server, alone):
        assert [(h["path"], h["score"]) for h in answer] == [(h["path"], h["score"]) for h in hits]


def test_without_a_focus_hits_are_those_of_before(client: LspClient, folder):
    plain = client.request("packhound/search", {"query": "load settings", "explain": True})["hits"]
    for focus in (None, {"uri": "untitled:Untitled-1", "position": {"line": 0, "character": 0}}):
        params = {"query": "load settings", "focus": focus, "explain": True}
        hits = client.request("packhound/search", params)["hits"]
        assert hits == plain
    assert not [s for hit in plain for s in hit["why"] if s["signal"].startswith("near_")]


def test_files_named_for_their_place_are_no_file_of_the_same_name(client: LspClient, folder):
    write_files(folder, {"far/index.ts": "export function hatch() {}\n"})
    write_files(folder, {"near/index.ts": "export {}\n", "near/index.test.ts": "hatch()\n"})
    names = ("far/index.ts", "near/index.ts", "near/index.test.ts")
    client.touch(*(folder / name for name in names))
    client.settle()
    search = {"query": "hatch", "focus": near(folder, "near/index.ts"), "explain": True}
    hits = {hit["path"]: hit for hit in client.request("packhound/search", search)["hits"]}
    signals = {path: {s["signal"] for s in hit["why"]} for path, hit in hits.items()}
    assert "near_stem" not in signals["far/index.ts"]
    assert "near_stem" in signals["near/index.test.ts"]


def test_a_preview_of_an_editor_is_no_open_document(client: LspClient, folder):
    uri = (folder / "mail" / "send.py").as_uri().replace("file:", "packhound-preview:")
    item = {"uri": uri, "languageId": "python", "version": 1, "text": "def preview_zebra(): pass\n"}
    client.notify("textDocument/didOpen", {"textDocument": item})
    focus = {"uri": uri, "position": {"line": 0, "character": 0}}
    params = {"query": "preview_zebra", "focus": focus, "explain": True}
    answer = client.request("packhound/search", params)
    assert "preview_zebra" not in {hit["name"] for hit in answer["hits"]}
    assert not [s for hit in answer["hits"] for s in hit["why"] if s["signal"].startswith("near_")]
