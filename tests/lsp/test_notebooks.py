"""Notebooks: cells are found, from disk and while they are edited, and open where they are."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.service.engine import Engine
from tests.support.agent import kill_engine
from tests.support.lsp_client import RELAYED, LspClient, wait_until
from tests.support.notebooks import CAPABILITIES, LiveNotebook, notebook_json, write_notebook

CELLS = [
    ("markdown", "# Accidents\nWe load the data of the city."),
    ("python", "import pandas\n%matplotlib inline\nframe = pandas.read_csv('accidents.csv')"),
    ("python", 'def count_by_hour(frame):\n    """Count accidents."""\n    return 24\n'),
]


@pytest.fixture
def notebook(folder) -> Path:
    return write_notebook(folder / "analysis.ipynb", CELLS)


def wait_for_names(client: LspClient, name: str) -> list[str]:
    """Return the definitions of a name as soon as there are some."""
    hits: list[str] = []
    wait_until(lambda: hits.extend(client.search(name, mode="symbol")) or hits)
    return hits


def test_cells_on_disk_are_found_at_their_lines_in_the_file(start_server, folder, notebook):
    client = start_server()
    assert "notebookDocumentSync" not in client.initialize(folder)["capabilities"]
    client.settle()
    hit = client.request("packhound/search", {"query": "count_by_hour"})["hits"][0]
    assert (hit["name"], hit["cell"]) == ("count_by_hour", {"number": 3, "line": 1})
    assert hit["uri"] == notebook.as_uri()
    line = notebook.read_text().splitlines()[hit["selectionRange"]["start"]["line"]]
    assert "def count_by_hour" in line


def test_open_cells_are_found_as_they_are_edited(start_server, folder, notebook):
    client = start_server()
    result = client.initialize(folder, capabilities=CAPABILITIES)
    sync = result["capabilities"]["notebookDocumentSync"]
    assert sync == {"notebookSelector": [{"notebook": "*"}], "save": True}
    live = LiveNotebook(client, notebook, CELLS)
    live.edit(2, (0, 4, 17, "count_by_zebra"))
    hit = client.request("packhound/search", {"query": "count_by_zebra"})["hits"][0]
    assert (hit["name"], hit["uri"]) == ("count_by_zebra", live.uris[2])
    assert hit["selectionRange"]["start"] == {"line": 0, "character": 4}
    live.insert(1, "python", "def inserted_horse():\n    pass")
    hit = client.request("packhound/search", {"query": "inserted_horse"})["hits"][0]
    assert (hit["uri"], hit["cell"]["number"]) == (live.uris[1], 2)
    live.delete(1)
    assert "inserted_horse" not in client.search("inserted_horse")[0]
    position = {"line": 0, "character": 4}
    explained = client.request(
        "packhound/explain",
        {"query": "count", "uri": live.uris[2], "position": position},
    )
    assert explained["hit"]["name"] == "count_by_zebra"
    live.close()
    assert wait_for_names(client, "count_by_hour") == ["analysis.ipynb count_by_hour"]


def test_lines_of_grep_open_in_the_file_and_in_open_cells(start_server, folder, notebook):
    def lines_of(pattern: str) -> list[dict]:
        groups = client.request("packhound/grep", {"pattern": pattern})["groups"]
        return [line for group in groups for line in group["lines"]]

    client = start_server()
    client.initialize(folder, capabilities=CAPABILITIES)
    client.settle()
    file = notebook.read_text().splitlines()
    for pattern, cell in (("read_csv", (2, 3)), ("return 24", (3, 3)), ("data of the", (1, 2))):
        (line,) = lines_of(pattern)
        assert (line["uri"], tuple(line["cell"].values())) == (notebook.as_uri(), cell)
        assert pattern in file[line["range"]["start"]["line"]]
    assert lines_of("cell 1 .markdown")[0]["cell"] == {"number": 1, "line": 1}
    (hit,) = client.request("packhound/search", {"query": "/return 24/"})["hits"]
    assert "def count_by_hour" in file[hit["selectionRange"]["start"]["line"]]
    live = LiveNotebook(client, notebook, CELLS)
    live.edit(2, (0, 4, 17, "count_by_zebra"))
    (line,) = lines_of("return 24")
    edges = {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 13}}
    assert (line["uri"], line["range"]) == (live.uris[2], edges)


def test_an_edit_of_a_cell_that_is_not_there_leaves_the_file(start_server, folder, notebook):
    client = start_server()
    client.initialize(folder, capabilities=CAPABILITIES)
    live = LiveNotebook(client, notebook, CELLS)
    live.edit(2, (0, 4, 17, "count_by_zebra"))
    live.change({"textContent": [{"document": {"uri": "nowhere:1"}, "changes": []}]})
    assert client.search("count_by_zebra", mode="symbol") == []
    assert wait_for_names(client, "count_by_hour") == ["analysis.ipynb count_by_hour"]


def test_an_untitled_notebook_is_searched_in_memory(start_server, folder):
    client = start_server()
    client.initialize(capabilities=CAPABILITIES)
    LiveNotebook(client, "untitled:Untitled-1.ipynb", CELLS)
    assert wait_for_names(client, "count_by_hour") == ["Untitled-1.ipynb count_by_hour"]


def test_a_broken_notebook_is_text_with_a_note(start_server, folder):
    broken = '{"cells": [{"cell_type": "code", "source": "def lost_zebra(): pass"'
    (folder / "broken.ipynb").write_text(broken)
    client = start_server()
    client.initialize(folder)
    state = client.settle()
    assert any("broken.ipynb is searched as plain text: not a note" in n for n in state["notes"])
    assert "broken.ipynb" in client.search("lost_zebra")[0]
    # An editor without notebooks mends it.
    mended = notebook_json([("python", "def mended_zebra():\n    pass")])
    client.open_document(folder / "broken.ipynb", mended)
    assert client.search("mended_zebra", mode="symbol") == ["broken.ipynb mended_zebra"]
    assert not client.settle()["notes"]


def random_edit(live: LiveNotebook, chance: random.Random) -> None:
    """Change a notebook in some way that an editor can."""
    number = chance.randrange(len(live.uris)) if live.uris else 0
    text = chance.choice([text for _, text in CELLS] + ["", "x = 1\n", "%%bash\nf() {\n  ls\n}"])
    language = chance.choice(["python", "markdown", "r"])
    if not live.uris or chance.random() < 0.4:
        live.insert(chance.randint(0, len(live.uris)), language, text)
    elif chance.random() < 0.3:
        live.delete(number)
    elif chance.random() < 0.3:
        live.move(number, chance.randrange(len(live.uris)))
    else:
        live.edit(number, (0, 0, 0, chance.choice(["# ", "é", "\n", "def f(): pass\n"])))


@pytest.mark.parametrize("seed", range(3))
def test_random_edits_equal_a_rebuild(start_server, folder, notebook, tmp_path, seed):
    client, chance = start_server(), random.Random(seed)
    client.initialize(folder, capabilities=CAPABILITIES)
    live = LiveNotebook(client, notebook, CELLS)
    for _ in range(25):
        random_edit(live, chance)
    client.settle()
    saved = tmp_path / "saved"
    saved.mkdir()
    write_notebook(saved / "analysis.ipynb", live.cells)
    rebuilt = Engine.open(saved, settings_from({"index.workers": 1, "index.persist": False}))
    assert rebuilt.settled(60)
    for query in ("accidents", "def f", "count", "ls bash", "frame pandas"):
        params = {"query": query, "paths": ["analysis.ipynb"]}
        hits = client.request("packhound/search", params)["hits"]
        expected = rebuilt.search(Query(query, paths=("analysis.ipynb",))).hits
        places = [(hit["name"], hit["start_line"], hit["kind"]) for hit in hits]
        assert sorted(places) == sorted(
            (hit.node.name, hit.node.span.start_line + 1, hit.node.kind) for hit in expected
        )
    rebuilt.close()


@pytest.mark.slow
def test_a_notebook_outlives_the_daemon(start_server, folder, notebook, tmp_path):
    serving, editor = start_server(command=RELAYED), start_server(command=RELAYED)
    serving.initialize(folder)
    serving.settle()
    editor.initialize(folder, capabilities=CAPABILITIES)
    live = LiveNotebook(editor, notebook, CELLS)
    # More changes than are repeated one by one.
    for number in range(600):
        live.edit(2, (0, 4, 5, "xyq"[number % 3]))
    live.edit(2, (0, 4, 5, "z"))
    assert wait_for_names(serving, "zount_by_hour") == ["analysis.ipynb zount_by_hour"]
    kill_engine(tmp_path / "cache")
    assert wait_for_names(editor, "zount_by_hour") == ["analysis.ipynb zount_by_hour"]
    live.insert(0, "python", "def inserted_horse():\n    pass")
    assert wait_for_names(editor, "inserted_horse") == ["analysis.ipynb inserted_horse"]


def test_calls_are_found_in_open_cells(start_server, folder, notebook):
    client = start_server()
    client.initialize(folder, capabilities=CAPABILITIES)
    live = LiveNotebook(client, notebook, [*CELLS, ("python", "def main():\n    count_by_hour(1)")])
    client.settle()
    params = {
        "textDocument": {"uri": live.uris[3]},
        "position": {"line": 1, "character": 6},
    }
    [item] = client.request("textDocument/prepareCallHierarchy", params)
    assert (item["name"], item["uri"]) == ("count_by_hour", live.uris[2])
    [call] = client.request("callHierarchy/incomingCalls", {"item": item})
    assert (call["from"]["name"], call["from"]["uri"]) == ("main", live.uris[3])
    assert call["fromRanges"][0]["start"] == {"line": 1, "character": 4}
