"""The outline of a document is that of the text in the editor."""

from __future__ import annotations

from tests.support.notebooks import CAPABILITIES, LiveNotebook, write_notebook

TREE = {"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}}
CODE = (
    "class Circle:\n    def area(self):\n        return 3\n"
    "\n    def length(self):\n        return 6\n"
)


def outline(client, uri: str) -> list:
    """Return names and children of an outline."""
    params = {"textDocument": {"uri": uri}}
    return [row(symbol) for symbol in client.request("textDocument/documentSymbol", params)]


def row(symbol: dict) -> object:
    children = [row(child) for child in symbol.get("children", ())]
    return (symbol["name"], children) if children else symbol["name"]


def test_definitions_are_nested_as_they_are_typed(start_server, folder):
    client = start_server()
    assert client.initialize(folder, capabilities=TREE)["capabilities"]["documentSymbolProvider"]
    document = client.open_document(folder / "shapes.py", CODE)
    client.settle()
    assert outline(client, document["uri"]) == [("Circle", ["area", "length"])]
    client.change_document(document, 2, (4, 8, 14, "girth"))
    assert outline(client, document["uri"]) == [("Circle", ["area", "girth"])]
    [circle] = client.request("textDocument/documentSymbol", {"textDocument": document})
    assert circle["range"]["start"] == {"line": 0, "character": 0}
    assert circle["selectionRange"]["start"] == {"line": 0, "character": 6}
    client.change_document(document, 3, ("x = (",))
    assert outline(client, document["uri"]) == []


def test_clients_without_trees_get_a_list(start_server, folder):
    client = start_server()
    client.initialize(folder)
    client.settle()
    uri = (folder / "shapes.py").as_uri()
    symbols = client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert [(s["name"], s["location"]["uri"]) for s in symbols] == [("Circle", uri), ("area", uri)]
    assert outline(client, "file:///nowhere/x.py") == []


def test_a_cell_has_an_outline_of_its_own(start_server, folder):
    cells = [
        ("python", "def first():\n    pass"),
        ("markdown", "# Title\n## Part"),
        ("python", CODE),
    ]
    notebook = write_notebook(folder / "shapes.ipynb", cells)
    client = start_server()
    client.initialize(folder, capabilities={**TREE, **CAPABILITIES})
    live = LiveNotebook(client, notebook, cells)
    client.settle()
    assert outline(client, live.uris[0]) == ["first"]
    assert outline(client, live.uris[1]) == [("Title", ["Part"])]
    assert outline(client, live.uris[2]) == [("Circle", ["area", "length"])]
    params = {"textDocument": {"uri": live.uris[2]}}
    [circle] = client.request("textDocument/documentSymbol", params)
    assert circle["selectionRange"]["start"] == {"line": 0, "character": 6}


def test_vs_code_has_outlines_of_its_own(start_server, folder):
    client = start_server()
    code = {"name": "Visual Studio Code", "version": "1.100"}
    capabilities = client.initialize(folder, clientInfo=code)["capabilities"]
    assert "documentSymbolProvider" not in capabilities
