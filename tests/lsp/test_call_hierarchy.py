"""Callers and callees through the protocol's own call hierarchy, in positions of the client."""

from __future__ import annotations

import pytest

from tests.support.lsp_client import write_files

NET = """def connect(host):
    return host


def dial(host):
    é = 'é'; return connect(host)
"""
APP = """from net import dial


def main():
    dial('a')
    print(1)
"""
TEST = """from net import connect


def test_connects():
    assert connect('a')
"""
TILL = "const é = '𝄞'; class Till { open() { return 1 } shut() { return 2 } }\n"
FILES = {
    "till.js": TILL,
    "net.py": NET,
    "app.py": APP,
    "tests/test_net.py": TEST,
    "notes.md": "# Notes\n\nNothing is called here.\n",
}


@pytest.fixture
def client(start_server, tmp_path):
    folder = write_files(tmp_path / "phones", {})
    (folder / "tests").mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    client = start_server()
    client.initialize(folder)
    client.settle()
    client.folder = folder
    return client


def prepare(client, path: str, line: int, character: int) -> list[dict] | None:
    params = {
        "textDocument": {"uri": (client.folder / path).as_uri()},
        "position": {"line": line, "character": character},
    }
    return client.request("textDocument/prepareCallHierarchy", params)


def calls(client, direction: str, item: dict) -> list[tuple]:
    end = "from" if direction == "incoming" else "to"
    return [
        (call[end]["name"], call[end]["detail"], [at["start"] for at in call["fromRanges"]])
        for call in client.request(f"callHierarchy/{direction}Calls", {"item": item})
    ]


def test_the_character_chooses_among_definitions_of_one_line(client):
    for name in ("Till", "open", "shut"):
        place = {"line": 0, "character": len(TILL.partition(name)[0].encode("utf-16-le")) // 2}
        [item] = prepare(client, "till.js", *place.values())
        assert item["name"].endswith(name)
        uri = (client.folder / "till.js").as_uri()
        answer = client.request("packhound/symbol", {"uri": uri, "position": place})
        assert answer["name"] == name


def test_the_capability_leaves_the_first_word_to_providers_of_a_language(start_server, tmp_path):
    answer = start_server().initialize(tmp_path)
    provider = answer["capabilities"]["callHierarchyProvider"]
    assert provider == {"documentSelector": [{"language": "*"}]}


def test_callers_are_in_the_calling_file_and_tests_come_last(client):
    [item] = prepare(client, "net.py", 0, 5)
    assert item["name"] == "connect"
    assert item["selectionRange"]["start"] == {"line": 0, "character": 4}
    assert calls(client, "incoming", item) == [
        ("dial", "net.py", [{"line": 5, "character": 20}]),
        ("test_connects", "tests/test_net.py", [{"line": 4, "character": 11}]),
    ]


def test_callees_are_where_they_are_called(client):
    [item] = prepare(client, "app.py", 3, 5)
    assert calls(client, "outgoing", item) == [("dial", "net.py", [{"line": 4, "character": 4}])]
    assert calls(client, "incoming", item) == []


def test_the_name_under_the_cursor_comes_before_the_definition_around_it(client):
    assert prepare(client, "app.py", 4, 6)[0]["name"] == "dial"
    assert prepare(client, "app.py", 5, 6)[0]["name"] == "main"


@pytest.mark.parametrize(("path", "line"), [("notes.md", 2), ("nowhere.py", 0), ("app.py", 99)])
def test_where_nothing_is_called_there_is_no_hierarchy(client, path, line):
    assert prepare(client, path, line, 0) is None


def test_where_nothing_calls_it_the_lines_with_its_name_are_shown(start_server, tmp_path):
    source = "class A:\n    def get(self, a):\n        return a\n"
    folder = write_files(tmp_path / "shop", {})
    (folder / "a.py").write_text(source)
    (folder / "b.py").write_text("def run(a):\n    return a.get(1, 2)\n")
    client = start_server()
    client.initialize(folder)
    client.settle()
    client.folder = folder
    [item] = prepare(client, "a.py", 1, 10)
    at = {"line": 1, "character": 13}
    assert calls(client, "incoming", item) == [("run", "b.py · uses this name", [at])]
