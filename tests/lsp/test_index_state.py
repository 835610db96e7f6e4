"""`packhound/indexState` and the progress bar: both end where the index does."""

from __future__ import annotations

from tests.support.lsp_client import LspClient, wait_until, write_files

MANY = {f"m{n}.py": f"def f_{n}(): pass\n" * 20 for n in range(400)}


def last_state(client: LspClient) -> dict | None:
    states = [n for n in client.notifications if n["method"] == "packhound/indexState"]
    return states[-1]["params"] if states else None


def progress(client: LspClient) -> list[dict]:
    notifications = [n for n in client.notifications if n["method"] == "$/progress"]
    return [notification["params"]["value"] for notification in notifications]


def test_the_last_state_is_that_of_the_status(client, folder):
    wait_until(lambda: last_state(client) == client.request("packhound/status"))
    for n in range(3):
        # Opened as it is on disk: nothing is published, and still work is done.
        document = client.open_document(folder / "config.py", (folder / "config.py").read_text())
        wait_until(lambda: last_state(client) == client.request("packhound/status"))
        client.change_document(document, 2, (f"def zebra_{n}(): pass\n",))
        client.settle()
        wait_until(lambda: last_state(client) == client.request("packhound/status"))
        client.close_document(document)
        wait_until(lambda: last_state(client) == client.request("packhound/status"))
    assert last_state(client)["state"] == "ready" and last_state(client)["pending"] == 0


def test_a_progress_bar_ends(start_server, tmp_path):
    client = start_server()
    client.initialize(
        write_files(tmp_path / "many", MANY), capabilities={"window": {"workDoneProgress": True}}
    )
    client.wait_for_notification("$/progress", lambda p: p["value"]["kind"] == "end")
    assert client.settle()["files"] == 400
    first, *between, last = progress(client)
    assert first["kind"] == "begin" and first["title"] == "Packhound: indexing"
    assert {value["kind"] for value in between} <= {"report"}
    assert last == {"kind": "end", "message": "done"}


def test_a_progress_bar_can_be_cancelled(start_server, tmp_path):
    client = start_server()
    client.initialize(
        write_files(tmp_path / "many", MANY), capabilities={"window": {"workDoneProgress": True}}
    )
    client.wait_for_notification("$/progress")
    token = next(r for r in client.server_requests if "workDoneProgress" in r["method"])
    client.notify("window/workDoneProgress/cancel", {"token": "unknown"})
    client.notify("window/workDoneProgress/cancel", {"token": token["params"]["token"]})
    client.wait_for_notification("$/progress", lambda p: p["value"]["kind"] == "end")
    client.settle()
    assert [value["kind"] for value in progress(client)].count("end") == 1


def test_symbols_that_are_asked_for_before_anything_is_read_are_waited_for(start_server, folder):
    client = start_server()
    client.initialize(folder)
    (symbol,) = client.request("workspace/symbol", {"query": "load_config"})
    assert symbol["name"] == "load_config"


def test_what_is_nowhere_is_not_waited_for_for_long(start_server, folder):
    client = start_server()
    client.initialize(folder)
    assert client.request("workspace/symbol", {"query": "zzqqxx"}) == []
    client.settle()
    assert client.request("workspace/symbol", {"query": "zzqqxx"}) == []
