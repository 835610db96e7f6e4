"""Lines above definitions that count their callers, tests and notes; none unless switched on."""

from __future__ import annotations

import pytest

from tests.support.lsp_client import wait_until, write_files

NET = "def connect(host):\n    return host\n\n\ndef unused():\n    pass\n"
APP = "from net import connect\n\n\ndef main():\n    connect('a')\n"
TEST = "from net import connect\n\n\ndef test_connects():\n    assert connect('a')\n"
ON = {"search": {"codeLens": True}}


@pytest.fixture
def folder(tmp_path):
    folder = write_files(tmp_path / "phones", {"net.py": NET, "app.py": APP})
    (folder / "tests").mkdir()
    (folder / "tests" / "test_net.py").write_text(TEST)
    return folder


def lenses(client, folder) -> list[dict]:
    document = {"uri": (folder / "net.py").as_uri()}
    return client.request("textDocument/codeLens", {"textDocument": document})


def titles(client, folder) -> list[tuple[int, str]]:
    resolved = [client.request("codeLens/resolve", lens) for lens in lenses(client, folder)]
    return [(lens["range"]["start"]["line"], lens["command"]["title"]) for lens in resolved]


def test_a_lens_counts_callers_tests_and_notes(start_server, folder):
    client = start_server()
    answer = client.initialize(folder, initializationOptions=ON)
    assert answer["capabilities"]["codeLensProvider"]["resolveProvider"]
    client.settle()
    assert titles(client, folder) == [(0, "1 caller · 1 test"), (4, "no known caller")]
    place = {"uri": (folder / "net.py").as_uri(), "position": {"line": 0, "character": 4}}
    note = {"type": "insight", "content": "Hosts are not checked.", **place}
    client.request("packhound/memory/add", note)
    assert titles(client, folder)[0] == (0, "1 caller · 1 test · 1 note")
    lens = client.request("codeLens/resolve", lenses(client, folder)[0])
    assert lens["command"]["command"] == "packhound.calls"
    assert lens["command"]["arguments"] == [place]


def test_there_is_none_unless_switched_on_and_the_client_is_told_to_ask_again(start_server, folder):
    client = start_server()
    capabilities = {"workspace": {"codeLens": {"refreshSupport": True}}}
    client.initialize(folder, capabilities=capabilities)
    client.settle()
    assert lenses(client, folder) == []
    client.notify("workspace/didChangeConfiguration", {"settings": {"packhound": ON}})
    refresh = "workspace/codeLens/refresh"
    wait_until(lambda: refresh in [each["method"] for each in client.server_requests])
    assert len(lenses(client, folder)) == 2
