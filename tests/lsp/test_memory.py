"""Notes through the editor: written at the cursor, seen in the hover, listed, stale, deleted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.lsp_client import LspClient, eventually, wait_until


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACKHOUND_DATA_DIR", str(tmp_path / "data"))


def hover(client: LspClient, uri: str, line: int = 0) -> str:
    params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 5}}
    answer = client.request("textDocument/hover", params)
    return answer["contents"]["value"] if answer else ""


def test_a_note_from_the_cursor_to_the_hover(client: LspClient, folder: Path) -> None:
    uri = (folder / "config.py").as_uri()
    text = (folder / "config.py").read_text()
    assert hover(client, uri) == ""
    note = client.request(
        "packhound/memory/add",
        {"type": "insight", "key": "paths", "content": "Paths are *absolute*", "uri": uri,
         "position": {"line": 1, "character": 0}},
    )  # fmt: skip
    assert [code["ref"] for code in note["code"]] == ["config.py#load_config"]
    assert "note paths: Paths are" in hover(client, uri).replace("\\", "")
    client.open_document(folder / "config.py", text.replace("return path", "return str(path)"))
    assert eventually(lambda: "[stale]" in hover(client, uri).replace("\\", ""), True)
    output = client.request("packhound/memory/show", {"id": note["id"]})
    assert "+    return str(path)" in output["code"][0]["diff"]
    assert output["root"] == str(folder)
    hit = client.request("packhound/search", {"query": "absolute paths", "types": ["note"]})[
        "hits"
    ][0]
    assert (hit["source"], hit["type"], hit["title"]) == ("notes", "note", "paths")
    assert "uri" not in hit
    deleted = client.request("packhound/memory/forget", {"id": note["id"]})
    assert deleted == {"status": "deleted"}
    assert hover(client, uri) == ""


def test_lists_and_searches_name_the_folder(client: LspClient, folder: Path) -> None:
    for name in ("first", "second"):
        client.request("packhound/memory/add", {"type": "stash", "name": name, "summary": "work"})
    answer = client.request("packhound/memory/list", {"type": "stash"})
    assert [(row["name"], row["root"]) for row in answer["notes"]] == [
        ("second", str(folder)), ("first", str(folder)),
    ]  # fmt: skip
    hits = client.request("packhound/memory/search", {"query": "second work"})
    assert hits["notes"][0]["name"] == "second"


@pytest.mark.parametrize("trusted", [True, False])
def test_shared_notes_count_where_the_editor_trusts_the_folder(
    start_server: Callable[[], LspClient], folder: Path, trusted: bool
) -> None:
    path = folder / ".packhound" / "notes" / "a1.json"
    path.parent.mkdir(parents=True)
    note = {"id": "a1", "type": "insight", "key": "k", "content": "left", "author": "*Ann*"}
    path.write_text(json.dumps({**note, "created_at": "2026-01-01T00:00:00Z"}))
    client = start_server()
    client.initialize(folder, initializationOptions={"trusted": trusted})
    client.settle()
    titles = [row["author"] for row in client.request("packhound/memory/list", {})["notes"]]
    assert titles == (["*Ann*"] if trusted else [])
    values = {"type": "insight", "content": "right", "shared": True}
    if trusted:
        assert client.request("packhound/memory/add", values)["shared"]
        return
    with pytest.raises(AssertionError, match="is not trusted"):
        client.request("packhound/memory/add", values)
    assert len([*path.parent.iterdir()]) == 1


def test_a_pick_is_an_episode_where_those_are_on(
    start_server: Callable[[], LspClient], folder: Path
) -> None:
    client = start_server()
    options = {"packhound": {"sources": {"episodes": {"enabled": True}}}}
    client.initialize(folder, initializationOptions=options)
    client.settle()
    [hit, *_] = client.request("packhound/search", {"query": "load config"})["hits"]
    place = {"line": hit["start_line"] - 1, "character": 0}
    client.notify("packhound/picked", {"uri": hit["uri"], "position": place})

    def episodes() -> list:
        params = {"query": "", "types": ["episode"]}
        hits = client.request("packhound/search", params)["hits"]
        return [(h["title"], h["metadata"]["result"]) for h in hits]

    wait_until(lambda: episodes() == [("pick: load config", "picked rank 1")])
    text = (folder / hit["path"]).read_text()
    document = {"uri": hit["uri"], "languageId": "python", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    changed = {"uri": hit["uri"], "version": 2}
    client.notify(
        "textDocument/didChange",
        {"textDocument": changed, "contentChanges": [{"text": f"{text}\n# edited\n"}]},
    )
    client.notify("textDocument/didSave", {"textDocument": {"uri": hit["uri"]}})
    wait_until(lambda: ("edit: load config", "accepted") in episodes())
    client.notify("packhound/picked", {"uri": hit["uri"], "position": place, "run": True})
    wait_until(lambda: (f"run: {hit['name']}", "") in episodes())
    params = {"kind": "run", "text": "pytest", "result": "rejected"}
    assert client.request("packhound/memory/episode", params)["result"] == "rejected"
    wait_until(lambda: ("run: pytest", "rejected") in episodes())


def test_a_note_is_read_by_its_reference(client: LspClient, folder: Path) -> None:
    client.request("packhound/memory/add", {"type": "insight", "key": "k", "content": "a\nb"})
    hits = client.request("packhound/search", {"query": "k", "types": ["note"]})["hits"]
    answer = client.request("packhound/read", {"ref": hits[0]["reference"]})
    assert (answer["text"], answer["kind"], answer["root"]) == ("a\nb", "note", str(folder))
    assert "uri" not in answer


def test_sources_are_rebuilt_alone(client: LspClient, folder: Path) -> None:
    client.request("packhound/memory/add", {"type": "insight", "key": "k", "content": "c"})
    counts = []
    for regenerate in (False, False, True):
        params = {"sources": ["notes"], "regenerateEmbeddings": regenerate}
        [row] = client.request("packhound/rebuild", params)["rebuilt"]
        assert (row["root"], row["name"], row["records"]) == (str(folder), "notes", 1)
        counts.append((row["reused"], row["regenerated"]))
    assert counts == [(0, 1), (1, 0), (0, 1)]
    for params, problem in [
        ({"sources": ["nodes"]}, "expected one of: code, knowledge, skills, notes"),
        ({"sources": ["commits"]}, "'commits' is switched off"),
        ({"regenerateEmbeddings": "often"}, "'regenerateEmbeddings' is 'often'"),
    ]:
        with pytest.raises(AssertionError, match=problem):
            client.request("packhound/rebuild", params)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("add", {"type": "memo"}),
        ("add", {"type": "insight", "content": ""}),
        ("add", {"type": "insight", "content": "c", "uri": "file:///nowhere/a.py"}),
        ("show", {}),
        ("search", {}),
        ("list", {"limit": "all"}),
    ],
)
def test_bad_requests_are_refused(client: LspClient, method: str, params: dict) -> None:
    with pytest.raises(AssertionError, match=r"'\w+' is "):
        client.request(f"packhound/memory/{method}", params)
    assert client.request("packhound/memory/list", {})["notes"] == []


def test_code_in_a_plain_search_carries_its_fresh_notes(client: LspClient, folder: Path) -> None:
    values = {"type": "decision", "topic": "t", "decision": "d", "code": ["config.py#load_config"]}
    client.request("packhound/memory/add", values)

    def notes() -> list:
        hits = client.request("packhound/search", {"query": "load_config"})["hits"]
        return [(note["type"], note["title"], note["state"]) for note in hits[0].get("notes", ())]

    wait_until(lambda: notes() == [("decision", "t", "")])
