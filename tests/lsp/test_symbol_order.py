"""The order of `workspace/symbol`, as people expect it of a search by name."""

from __future__ import annotations

import pytest

from tests.support.lsp_client import LspClient, write_files

FILES = {
    "pool.py": "def steal_work(): pass\n\n\ndef stop_worker(): pass\n\n\nclass HashMap: pass\n",
    "case.py": "class Handle: pass\n\n\ndef handle(): pass\n\n\nclass Handler: pass\n",
    "aaa_last_word_ork.py": "def s_t_w_o_r_k_y(): pass\n\n\ndef fastworks(): pass\n",
    "vendor.py": "",
}
COPIES = ["a.py", "m.py", "z.py", "third_party/b.py", "gen/c.py"]


@pytest.fixture
def client(start_server, tmp_path) -> LspClient:
    folder = write_files(tmp_path / "names", FILES)
    for path in COPIES:
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text("def refresh_token(): pass\n")
    client = start_server()
    client.initialize(folder)
    client.settle()
    client.folder = folder
    return client


def symbols(client: LspClient, query: str) -> list[str]:
    return [symbol["name"] for symbol in client.request("workspace/symbol", {"query": query})]


def paths(client: LspClient, query: str) -> list[str]:
    symbols = client.request("workspace/symbol", {"query": query})
    prefix = client.folder.as_uri() + "/"
    return [symbol["location"]["uri"].removeprefix(prefix) for symbol in symbols]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("stwork", "steal_work"),
        ("stwo", "steal_work"),
        ("hm", "HashMap"),
        ("HM", "HashMap"),
        ("handle", "handle"),
        ("Handle", "Handle"),
    ],
)
def test_beginnings_of_words_and_the_exact_case_come_first(client, query, first):
    assert symbols(client, query)[0] == first


def test_generated_code_and_dependencies_come_last(client):
    order = paths(client, "refresh_token")
    assert sorted(order) == sorted(COPIES)
    assert set(order[-2:]) == {"third_party/b.py", "gen/c.py"}


def test_the_file_that_is_open_comes_first_among_equals(client):
    assert paths(client, "refresh_token")[0] == "a.py"
    text = (client.folder / "m.py").read_text()
    document = client.open_document(client.folder / "m.py", text)
    assert paths(client, "refresh_token")[:2] == ["m.py", "a.py"]
    client.open_document(client.folder / "z.py", text)
    assert paths(client, "refresh_token")[0] == "z.py"
    client.change_document(document, 2, (text + "\n# edited\n",))
    assert paths(client, "refresh_token")[0] == "m.py"
    assert symbols(client, "handle")[0] == "handle"
