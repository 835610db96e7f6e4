"""What a user of an editor relies on, against a real process."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest

from tests.support.git_repository import git
from tests.support.lsp_client import wait_until, write_files


def test_a_search_result_has_exactly_these_keys(client, folder):
    result = client.request("packhound/search", {"query": "load_config"})
    assert set(result) == {
        "query", "hits", "offset", "next_offset", "truncated", "generation", "took_ms",
        "candidates", "notes",
        "confidence", "confidence_word", "complete",
    }  # fmt: skip
    hit = result["hits"][0]
    assert set(hit) == {
        "rank", "score", "confidence", "confidence_word", "path", "start_line", "end_line", "kind",
        "name", "qualname", "signature", "ref",
        "siblings", "copies", "line", "reasons", "source", "type", "uri", "range",
        "selectionRange",
    }  # fmt: skip
    assert (hit["rank"], hit["path"], hit["start_line"], hit["end_line"]) == (1, "config.py", 1, 3)
    assert hit["uri"] == (folder / "config.py").as_uri()
    assert hit["range"]["start"] == {"line": 0, "character": 0}
    params = {"query": "load_config", "explain": True}
    explained = client.request("packhound/search", params)["hits"][0]
    assert explained.keys() - hit.keys() == {"why", "groups", "against", "beside"}
    assert set(explained["why"][0]) == {"signal", "value", "weight", "contribution"}
    total = sum(reason["contribution"] for reason in explained["why"])
    assert total == pytest.approx(hit["score"])


def test_the_next_search_sees_an_unsaved_edit(client, folder):
    document = client.open_document(folder / "config.py", "def one(): pass\n")
    for n in range(20):
        client.change_document(document, 2 * n + 2, (0, 4, 7 if n == 0 else 17, f"zebra_{n:03}"))
        client.change_document(document, 2 * n + 3, (0, 4, 4, "the_"))
        assert client.search(f"the_zebra_{n:03}", mode="symbol")[:1] == [
            f"config.py the_zebra_{n:03}"
        ]


def test_a_closed_document_counts_as_on_disk(client, folder):
    document = client.open_document(folder / "config.py", "def unsaved_zebra(): pass\n")
    assert client.search("unsaved_zebra", mode="symbol")
    client.notify("textDocument/didClose", {"textDocument": document})
    client.settle()
    assert client.search("unsaved_zebra", mode="symbol") == []
    assert client.search("load_config", mode="symbol") == ["config.py load_config"]


def test_a_new_document_is_found_before_it_is_saved(client, folder):
    client.open_document(folder / "new" / "fresh.py", "def fresh_zebra(): pass\n")
    assert client.search("fresh_zebra", mode="symbol") == ["new/fresh.py fresh_zebra"]


def test_documents_outside_the_folders_are_left_alone(client, tmp_path):
    document = client.open_document(tmp_path / "outside.py", "def outside_zebra(): pass\n")
    client.change_document(document, 2, (0, 0, 0, "x"))
    item = {"uri": "untitled:One", "languageId": "python", "version": 1, "text": "def q(): pass"}
    client.notify("textDocument/didOpen", {"textDocument": item})
    client.notify("textDocument/didClose", {"textDocument": {"uri": "untitled:One"}})
    assert client.search("outside_zebra", mode="symbol") == []


def test_versions_that_go_back_do_not_lose_edits(client, folder):
    document = client.open_document(folder / "config.py", "def f(): pass\n")
    name = "f"
    for version, letter in zip((5, 4, 4, 9, 1), "abcde", strict=True):
        client.change_document(document, version, (0, 4, 4, f"zebra_{letter}_"))
        name = f"zebra_{letter}_{name}"
        assert client.search(name, mode="symbol")[:1] == [f"config.py {name}"]
    client.wait_for_notification(
        "window/logMessage", lambda p: "from version 5 to 4" in p["message"]
    )


def test_edits_that_cannot_be_followed_give_way_to_the_disk(client, folder):
    document = client.open_document(folder / "config.py", "def unsaved_zebra(): pass\n")
    broken = {"textDocument": {**document, "version": 2}, "contentChanges": [{"range": 5}]}
    client.notify("textDocument/didChange", broken)
    client.settle()
    assert client.search("unsaved_zebra", mode="symbol") == []
    client.change_document(document, 3, ("def whole_zebra(): pass\n",))
    assert client.search("whole_zebra", mode="symbol") == ["config.py whole_zebra"]


def test_folders_come_and_go(client, folder, tmp_path):
    other = write_files(tmp_path / "other", {"b.py": "def other_zebra(): pass\n"})
    client.open_document(other / "c.py", "def opened_before_zebra(): pass\n")
    named = [{"uri": other.as_uri(), "name": "other"}]
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": named, "removed": []}})
    client.settle()
    assert client.search("other_zebra", mode="symbol") == ["b.py other_zebra"]
    assert client.search("opened_before_zebra", mode="symbol") == ["c.py opened_before_zebra"]
    assert client.search("load_config", mode="symbol") == ["config.py load_config"]
    assert len(client.request("packhound/status")["roots"]) == 2
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": named}})
    assert client.search("other_zebra", mode="symbol") == []
    assert len(client.request("packhound/status")["roots"]) == 1


def test_no_folder_is_no_error(start_server):
    client = start_server()
    client.initialize()
    result = client.request("packhound/search", {"query": "anything"})
    assert result["hits"] == []
    assert result["notes"]
    assert client.settle()["files"] == 0
    assert client.request("workspace/symbol", {"query": "a"}) == []


def test_watched_files_are_read_again(client, folder):
    (folder / "later.py").write_text("def later_zebra(): pass\n")
    (folder / "shapes.py").unlink()
    changes = [(folder / "later.py", 1), (folder / "shapes.py", 3)]
    listed = [{"uri": path.as_uri(), "type": kind} for path, kind in changes]
    client.notify("workspace/didChangeWatchedFiles", {"changes": listed})
    client.settle()
    assert client.search("later_zebra", mode="symbol") == ["later.py later_zebra"]
    assert client.search("Circle", mode="symbol") == []


def test_a_client_that_watches_nothing_gets_polling(start_server, folder):
    client = start_server()
    client.initialize(folder, initializationOptions={"pollSeconds": 0.05})
    client.settle()
    (folder / "later.py").write_text("def later_zebra(): pass\n")
    client.wait_for_notification("packhound/indexState", lambda state: state["files"] == 3)
    assert client.search("later_zebra", mode="symbol") == ["later.py later_zebra"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_folder_that_is_a_link_keeps_its_name(start_server, folder, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(folder)
    client = start_server()
    client.initialize(link)
    client.settle()
    client.open_document(link / "config.py", "def linked_zebra(): pass\n")
    hit = client.request("packhound/search", {"query": "linked_zebra"})["hits"][0]
    assert hit["uri"] == (link / "config.py").as_uri()


def hover(client, path: Path, line: int, character: int = 0) -> str | None:
    position = {"line": line, "character": character}
    params = {"textDocument": {"uri": path.as_uri()}, "position": position}
    actual = client.request("textDocument/hover", params)
    return actual and actual["contents"]["value"]


def test_hover_explains_results_always_or_never(start_server, folder):
    client = start_server()
    client.settings = {"hover": "results"}
    client.initialize(folder, capabilities={"workspace": {"configuration": True}})
    client.settle()
    assert hover(client, folder / "config.py", 1) is None
    client.search("load_config", limit=1)
    assert "load_config" in hover(client, folder / "config.py", 1)
    assert hover(client, folder / "shapes.py", 0) is None

    for mode, is_explained in (("always", True), ("off", False), ("results", False)):
        client.settings = {"hover": mode}
        n_pulled = len(client.server_requests)
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        wait_until(lambda n=n_pulled: len(client.server_requests) > n)
        client.request("packhound/status")
        assert (hover(client, folder / "shapes.py", 0) is not None) == is_explained


def test_of_definitions_on_one_line_the_column_decides(client, folder):
    two = folder / "two.js"
    # In UTF-16 the fox is two characters.
    line = "const ä = '\U0001f98a'; function zebra_one() { return 1; } function zebra_two() {}\n"
    client.open_document(two, line)
    client.search("zebra_two")
    for name, is_hit in (("zebra_one", False), ("zebra_two", True)):
        character = len(line[: line.index(name)].encode("utf-16-le")) // 2
        assert bool(hover(client, two, 0, character)) == is_hit
        place = {"uri": two.as_uri(), "position": {"line": 0, "character": character}}
        answer = client.request("packhound/explain", {"query": "zebra", **place})
        assert answer["hit"]["name"] == name


def test_hover_is_of_the_last_search_that_was_asked_for(client, folder):
    """Searches of fast typing run side by side, and the first letters take longest."""
    many = folder / "many.py"
    many.write_text("".join(f"def load_{n}(): pass\n" for n in range(2000)))
    client.touch(many)
    client.settle()
    for _ in range(10):
        queries = ("l", "lo", "load_config")
        requests = [client.send_request("workspace/symbol", {"query": query}) for query in queries]
        for message_id in requests:
            client.response(message_id)
        assert "for load_config" in hover(client, folder / "config.py", 1).replace("`", "")


def test_a_bad_setting_is_named_and_the_rest_holds(start_server, folder):
    client = start_server()
    client.initialize(folder, initializationOptions={"packhound": {"limit": 1, "hover": "maybe"}})
    message = client.wait_for_notification("window/logMessage", lambda p: "maybe" in p["message"])
    assert "results, always, off" in message["message"]
    client.settle()
    assert len(client.search("load_config Circle area")) == 1
    client.notify("workspace/didChangeConfiguration", {"settings": {"packhound": {"limit": 2}}})
    assert len(client.search("load_config Circle area")) == 2


def test_a_workspace_is_switched_off_and_on_again(start_server, folder):
    client = start_server()
    client.initialize(folder)
    client.settle()
    client.open_document(folder / "unsaved.py", "def only_in_the_editor():\n    return 1\n")
    off = {"settings": {"packhound": {"index": {"enabled": False}}}}
    client.notify("workspace/didChangeConfiguration", off)
    state = client.wait_for_notification("packhound/indexState", lambda s: s["state"] == "off")
    assert (state["files"], state["nodes"], state["pending"]) == (0, 0, 0)
    message_id = client.send_request("packhound/search", {"query": "load_config"})
    assert "set 'index.enabled' to true" in client.response(message_id)["error"]["message"]
    client.notify("workspace/didChangeConfiguration", {"settings": {"packhound": {}}})
    client.wait_for_notification(
        "packhound/indexState", lambda s: s["state"] == "ready" and s["files"] > 1
    )
    assert "only_in_the_editor" in client.search("only_in_the_editor")[0]


def test_hits_of_another_commit_open_as_files_that_nobody_can_write(start_server, folder):
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Begin")
    (folder / "config.py").unlink()
    client = start_server()
    client.initialize(folder)
    client.settle()
    found = client.request("packhound/search", {"query": "rev:HEAD load_config"})
    hit = found["hits"][0]
    assert hit["name"] == "load_config" and hit["label"].startswith("rev@")
    path = Path(url2pathname(urlparse(hit["uri"]).path))
    assert "def load_config" in path.read_text() and path.stat().st_mode & 0o222 == 0
    request = {"path": hit["ref"], "root": hit["root"]}
    assert "def load_config" in client.request("packhound/read_node", request)["text"]
    assert not [h for h in client.search("load_config") if h.endswith(" load_config")]
    message_id = client.send_request("packhound/search", {"query": "rev:nowhere load_config"})
    assert "is no branch, tag or commit" in client.response(message_id)["error"]["message"]


def test_a_former_name_of_a_setting_is_honoured_and_logged(start_server, folder):
    client = start_server()
    options = {"packhound": {"limit": 1, "search": {"limit": 10, "fuser": "rrf"}}}
    client.initialize(folder, initializationOptions=options)
    client.wait_for_notification(
        "window/logMessage", lambda p: "is now 'search.limit'" in p["message"]
    )
    client.settle()
    assert len(client.search("load_config Circle area")) == 1


def test_symbols_by_name_for_one_editor_and_by_meaning_for_others(start_server, folder):
    resolve = {"workspace": {"symbol": {"resolveSupport": {"properties": ["location.range"]}}}}
    for capabilities, expected in (({}, True), (resolve, False)):
        client = start_server()
        client.initialize(folder, capabilities=capabilities)
        client.settle()
        names = [s["name"] for s in client.request("workspace/symbol", {"query": "read settings"})]
        assert ("load_config" in names) == expected
        assert client.request("workspace/symbol", {"query": "  "}) == []
        (symbol,) = client.request("workspace/symbol", {"query": "Circle"})[:1]
        assert symbol["kind"] == 5
        assert ("range" in symbol["location"]) == expected
        client.open_document(folder / "shapes.py", "\n# A shape.\n@round\nclass Circle: pass\n")
        assert client.search("Circle", mode="symbol")
        resolved = client.request("workspaceSymbol/resolve", symbol)
        assert resolved["location"]["range"]["start"] == {"line": 3, "character": 6}
        assert resolved["location"]["range"]["end"] == {"line": 3, "character": 12}


def test_a_symbol_that_is_not_ours_is_resolved_to_nowhere(client):
    for data in (None, {}, 5, {"node": ["x"], "line": 1}, {"node": [1, 2, 3, 4]}):
        symbol = {"name": "x", "kind": 99, "location": {"uri": "file:///x"}, "data": data}
        answer = client.request("workspaceSymbol/resolve", symbol)
        assert answer["location"]["range"]["start"] == {"line": 0, "character": 0}


def test_a_pack_holds_the_code_that_is_on_screen(client, folder):
    text = "def zebra_crossing():\n    return load_config(1)\n"
    document = client.open_document(folder / "crossing.py", text)
    focus = {**document, "position": {"line": 1, "character": 0}}
    params = {"prompt": "change zebra_crossing", "budget": 2_000, "focus": focus}
    for pack in (
        client.request("packhound/pack", params),
        client.request(
            "workspace/executeCommand", {"command": "packhound.server.pack", "arguments": [params]}
        ),
    ):
        assert "zebra_crossing" in pack["text"]
        assert pack["tokens"] <= pack["budget"] == 2_000
        assert pack["items"][0]["path"] == "crossing.py"


def test_grep_sees_unsaved_text_and_says_where_it_is(client, folder):
    client.open_document(folder / "zoo.py", "def okapi():\n    return 'stripes'\n")
    params = {"pattern": "'str[a-z]+'", "context": 1}
    for answer in (
        client.request("packhound/grep", params),
        client.request(
            "workspace/executeCommand", {"command": "packhound.server.grep", "arguments": [params]}
        ),
    ):
        (group,) = answer["groups"]
        assert (answer["total_lines"], group["qualname"]) == (1, "okapi")
        assert group["uri"] == (folder / "zoo.py").as_uri()
        assert [(row["line"], row["match"]) for row in group["lines"]] == [(1, False), (2, True)]


def test_neighbors_of_the_node_at_the_cursor(client, folder):
    params = {"uri": (folder / "shapes.py").as_uri(), "position": {"line": 0, "character": 0}}
    (area,) = client.request("packhound/neighbors", params)["neighbors"]
    assert (area["edge"], area["qualname"], area["start_line"]) == ("contains", "Circle.area", 2)
    assert area["uri"] == (folder / "shapes.py").as_uri()


def test_neighbors_of_what_everything_uses_are_limited(client, folder):
    users = "from shapes import Circle\n"
    users += "".join(f"def user_{n}(): return Circle\n" for n in range(9))
    client.open_document(folder / "users.py", users)
    place = {"uri": (folder / "shapes.py").as_uri(), "position": {"line": 0, "character": 0}}
    for limit in (2, 100):
        actual = client.request("packhound/neighbors", {**place, "limit": limit})["neighbors"]
        edges = [row["edge"] for row in actual]
        assert (edges.count("referenced-by"), edges.count("contains")) == (min(limit, 10), 1)
