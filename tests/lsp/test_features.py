"""What a user of an editor relies on, against a real process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from two_files import make_folder


def search(client, query: str, **params: object) -> list[str]:
    """Paths and names of the hits, best first."""
    hits = client.result("packhound/search", {"query": query, **params})["hits"]
    return [f"{hit['path']} {hit['name']}" for hit in hits]


def open_document(client, path: Path, text: str, version: int = 1) -> dict:
    item = {"uri": path.as_uri(), "languageId": "python", "version": version, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": item})
    return {"uri": path.as_uri()}


def change(client, document: dict, version: int, *edits: tuple) -> None:
    """Each edit is a line, two characters, and the new text; or the whole new text."""
    changes = []
    for edit in edits:
        *place, text = edit
        changes.append({"text": text})
        if place:
            line, start, end = place
            places = [{"line": line, "character": character} for character in (start, end)]
            changes[-1]["range"] = dict(zip(("start", "end"), places, strict=True))
    item = {"textDocument": {**document, "version": version}, "contentChanges": changes}
    client.notify("textDocument/didChange", item)


def test_a_search_result_has_exactly_these_keys(client, folder):
    result = client.result("packhound/search", {"query": "load_config"})
    assert set(result) == {
        "query", "hits", "truncated", "generation", "took_ms", "candidates", "notes",
    }  # fmt: skip
    hit = result["hits"][0]
    assert set(hit) == {
        "rank", "score", "path", "start_line", "end_line", "kind", "name", "qualname", "why",
        "uri", "range", "selectionRange",
    }  # fmt: skip
    assert (hit["rank"], hit["path"], hit["start_line"], hit["end_line"]) == (1, "config.py", 1, 3)
    assert hit["uri"] == (folder / "config.py").as_uri()
    assert hit["range"]["start"] == {"line": 0, "character": 0}
    assert set(hit["why"][0]) == {"signal", "value", "weight", "contribution"}
    assert sum(reason["contribution"] for reason in hit["why"]) == pytest.approx(hit["score"])


def test_the_next_search_sees_an_unsaved_edit(client, folder):
    document = open_document(client, folder / "config.py", "def one(): pass\n")
    for n in range(20):
        change(client, document, 2 * n + 2, (0, 4, 7 if n == 0 else 17, f"zebra_{n:03}"))
        change(client, document, 2 * n + 3, (0, 4, 4, "the_"))
        assert search(client, f"the_zebra_{n:03}", mode="symbol")[:1] == [
            f"config.py the_zebra_{n:03}"
        ]


def test_a_closed_document_counts_as_on_disk(client, folder):
    document = open_document(client, folder / "config.py", "def unsaved_zebra(): pass\n")
    assert search(client, "unsaved_zebra", mode="symbol")
    client.notify("textDocument/didClose", {"textDocument": document})
    client.result("packhound/status", {"wait": True})
    assert search(client, "unsaved_zebra", mode="symbol") == []
    assert search(client, "load_config", mode="symbol") == ["config.py load_config"]


def test_a_new_document_is_found_before_it_is_saved(client, folder):
    open_document(client, folder / "new" / "fresh.py", "def fresh_zebra(): pass\n")
    assert search(client, "fresh_zebra", mode="symbol") == ["new/fresh.py fresh_zebra"]


def test_documents_outside_the_folders_are_left_alone(client, tmp_path):
    document = open_document(client, tmp_path / "outside.py", "def outside_zebra(): pass\n")
    change(client, document, 2, (0, 0, 0, "x"))
    item = {"uri": "untitled:One", "languageId": "python", "version": 1, "text": "def q(): pass"}
    client.notify("textDocument/didOpen", {"textDocument": item})
    client.notify("textDocument/didClose", {"textDocument": {"uri": "untitled:One"}})
    assert search(client, "outside_zebra", mode="symbol") == []


def test_versions_that_go_back_do_not_lose_edits(client, folder):
    document = open_document(client, folder / "config.py", "def f(): pass\n")
    name = "f"
    for version, letter in zip((5, 4, 4, 9, 1), "abcde", strict=True):
        change(client, document, version, (0, 4, 4, f"zebra_{letter}_"))
        name = f"zebra_{letter}_{name}"
        assert search(client, name, mode="symbol")[:1] == [f"config.py {name}"]
    client.wait_for_notice("window/logMessage", lambda p: "from version 5 to 4" in p["message"])


def test_edits_that_cannot_be_followed_give_way_to_the_disk(client, folder):
    document = open_document(client, folder / "config.py", "def unsaved_zebra(): pass\n")
    broken = {"textDocument": {**document, "version": 2}, "contentChanges": [{"range": 5}]}
    client.notify("textDocument/didChange", broken)
    client.result("packhound/status", {"wait": True})
    assert search(client, "unsaved_zebra", mode="symbol") == []
    change(client, document, 3, ("def whole_zebra(): pass\n",))
    assert search(client, "whole_zebra", mode="symbol") == ["config.py whole_zebra"]


def test_folders_come_and_go(client, folder, tmp_path):
    other = make_folder(tmp_path / "other", {"b.py": "def other_zebra(): pass\n"})
    open_document(client, other / "c.py", "def opened_before_zebra(): pass\n")
    named = [{"uri": other.as_uri(), "name": "other"}]
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": named, "removed": []}})
    client.result("packhound/status", {"wait": True})
    assert search(client, "other_zebra", mode="symbol") == ["b.py other_zebra"]
    assert search(client, "opened_before_zebra", mode="symbol") == ["c.py opened_before_zebra"]
    assert search(client, "load_config", mode="symbol") == ["config.py load_config"]
    assert len(client.result("packhound/status")["roots"]) == 2
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": named}})
    assert search(client, "other_zebra", mode="symbol") == []
    assert len(client.result("packhound/status")["roots"]) == 1


def test_no_folder_is_no_error(started):
    client = started()
    client.initialize()
    result = client.result("packhound/search", {"query": "anything"})
    assert result["hits"] == []
    assert result["notes"]
    assert client.result("packhound/status", {"wait": True})["files"] == 0
    assert client.result("workspace/symbol", {"query": "a"}) == []


def test_watched_files_are_read_again(client, folder):
    (folder / "later.py").write_text("def later_zebra(): pass\n")
    (folder / "shapes.py").unlink()
    changes = [(folder / "later.py", 1), (folder / "shapes.py", 3)]
    listed = [{"uri": path.as_uri(), "type": kind} for path, kind in changes]
    client.notify("workspace/didChangeWatchedFiles", {"changes": listed})
    client.result("packhound/status", {"wait": True})
    assert search(client, "later_zebra", mode="symbol") == ["later.py later_zebra"]
    assert search(client, "Circle", mode="symbol") == []


def test_a_client_that_watches_nothing_gets_polling(started, folder):
    client = started()
    client.initialize(folder, initializationOptions={"pollSeconds": 0.05})
    client.result("packhound/status", {"wait": True})
    (folder / "later.py").write_text("def later_zebra(): pass\n")
    client.wait_for_notice("packhound/indexState", lambda state: state["files"] == 3)
    assert search(client, "later_zebra", mode="symbol") == ["later.py later_zebra"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_folder_that_is_a_link_keeps_its_name(started, folder, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(folder)
    client = started()
    client.initialize(link)
    client.result("packhound/status", {"wait": True})
    open_document(client, link / "config.py", "def linked_zebra(): pass\n")
    hit = client.result("packhound/search", {"query": "linked_zebra"})["hits"][0]
    assert hit["uri"] == (link / "config.py").as_uri()


def hover(client, path: Path, line: int) -> str | None:
    params = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": 0}}
    found = client.result("textDocument/hover", params)
    return found and found["contents"]["value"]


def test_hover_explains_results_always_or_never(started, folder):
    client = started()
    client.settings = {"hover": "results"}
    client.initialize(folder, capabilities={"workspace": {"configuration": True}})
    client.result("packhound/status", {"wait": True})
    assert hover(client, folder / "config.py", 1) is None
    search(client, "load_config", limit=1)
    assert "load_config" in hover(client, folder / "config.py", 1)
    assert hover(client, folder / "shapes.py", 0) is None

    for mode, shown in (("always", True), ("off", False), ("results", False)):
        client.settings = {"hover": mode}
        asked = len(client.asked)
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        while len(client.asked) == asked:
            client.result("packhound/status")
        client.result("packhound/status")
        assert (hover(client, folder / "shapes.py", 0) is not None) == shown


def test_a_bad_setting_is_named_and_the_rest_holds(started, folder):
    client = started()
    client.initialize(folder, initializationOptions={"packhound": {"limit": 1, "hover": "maybe"}})
    message = client.wait_for_notice("window/logMessage", lambda p: "maybe" in p["message"])
    assert "results, always, off" in message["message"]
    client.result("packhound/status", {"wait": True})
    assert len(search(client, "load_config Circle area")) == 1
    client.notify("workspace/didChangeConfiguration", {"settings": {"packhound": {"limit": 2}}})
    assert len(search(client, "load_config Circle area")) == 2


def test_a_former_name_of_a_setting_is_honoured_and_logged(started, folder):
    client = started()
    options = {"packhound": {"limit": 1, "search": {"limit": 10, "fuser": "rrf"}}}
    client.initialize(folder, initializationOptions=options)
    client.wait_for_notice("window/logMessage", lambda p: "is now 'search.limit'" in p["message"])
    client.result("packhound/status", {"wait": True})
    assert len(search(client, "load_config Circle area")) == 1


def test_symbols_by_name_for_one_editor_and_by_meaning_for_others(started, folder):
    resolve = {"workspace": {"symbol": {"resolveSupport": {"properties": ["location.range"]}}}}
    for capabilities, expected in (({}, True), (resolve, False)):
        client = started()
        client.initialize(folder, capabilities=capabilities)
        client.result("packhound/status", {"wait": True})
        names = [s["name"] for s in client.result("workspace/symbol", {"query": "read settings"})]
        assert ("load_config" in names) == expected
        assert client.result("workspace/symbol", {"query": "  "}) == []
        (symbol,) = client.result("workspace/symbol", {"query": "Circle"})[:1]
        assert symbol["kind"] == 5
        assert ("range" in symbol["location"]) == expected
        open_document(client, folder / "shapes.py", "\n# A shape.\n@round\nclass Circle: pass\n")
        assert search(client, "Circle", mode="symbol")
        resolved = client.result("workspaceSymbol/resolve", symbol)
        assert resolved["location"]["range"]["start"] == {"line": 3, "character": 6}
        assert resolved["location"]["range"]["end"] == {"line": 3, "character": 12}


def test_a_symbol_that_is_not_ours_is_resolved_to_nowhere(client):
    for data in (None, {}, 5, {"node": ["x"], "line": 1}, {"node": [1, 2, 3, 4]}):
        symbol = {"name": "x", "kind": 99, "location": {"uri": "file:///x"}, "data": data}
        answer = client.result("workspaceSymbol/resolve", symbol)
        assert answer["location"]["range"]["start"] == {"line": 0, "character": 0}


def test_a_pack_holds_the_code_that_is_on_screen(client, folder):
    text = "def zebra_crossing():\n    return load_config(1)\n"
    document = open_document(client, folder / "crossing.py", text)
    focus = {**document, "position": {"line": 1, "character": 0}}
    params = {"prompt": "change zebra_crossing", "budget": 2_000, "focus": focus}
    for pack in (
        client.result("packhound/pack", params),
        client.result(
            "workspace/executeCommand", {"command": "packhound.server.pack", "arguments": [params]}
        ),
    ):
        assert "zebra_crossing" in pack["text"]
        assert pack["tokens"] <= pack["budget"] == 2_000
        assert pack["items"][0]["path"] == "crossing.py"


def test_neighbors_of_the_node_at_the_cursor(client, folder):
    params = {"uri": (folder / "shapes.py").as_uri(), "position": {"line": 0, "character": 0}}
    (area,) = client.result("packhound/neighbors", params)["neighbors"]
    assert (area["edge"], area["qualname"], area["start_line"]) == ("contains", "Circle.area", 2)
    assert area["uri"] == (folder / "shapes.py").as_uri()


def test_neighbors_of_what_everything_uses_are_limited(client, folder):
    users = "".join(f"def user_{n}(): return Circle\n" for n in range(9))
    open_document(client, folder / "users.py", users)
    place = {"uri": (folder / "shapes.py").as_uri(), "position": {"line": 0, "character": 0}}
    for limit in (2, 100):
        found = client.result("packhound/neighbors", {**place, "limit": limit})["neighbors"]
        edges = [row["edge"] for row in found]
        assert (edges.count("referenced-by"), edges.count("contains")) == (min(limit, 9), 1)


def test_many_files_show_a_progress_bar(started, tmp_path):
    sources = {f"m{n}.py": f"def f_{n}(): pass\n" * 20 for n in range(400)}
    folder = make_folder(tmp_path / "many", sources)
    client = started()
    client.initialize(folder, capabilities={"window": {"workDoneProgress": True}})
    client.result("packhound/status", {"wait": True})
    bars = [m for m in client.asked if m["method"] == "window/workDoneProgress/create"]
    if bars:  # A fast machine is done before a bar is worth showing.
        token = bars[0]["params"]["token"]
        client.notify("window/workDoneProgress/cancel", {"token": token})
    client.notify("window/workDoneProgress/cancel", {"token": "unknown"})
    assert client.result("packhound/status")["files"] == 400
