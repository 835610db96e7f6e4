"""Traces: what each stage of a request took."""

from __future__ import annotations

import json
import os

import pytest

from packhound.core.errors import SettingsError
from tests.support.command_line import make_house, packhound
from tests.support.daemon import served
from tests.support.lsp_client import LspClient
from tests.support.operations import as_text, call

_SEARCH = {"search", "search code", "parse", "encode", "candidates", "by words", "by meaning"}
_PACK = {"pack", "gather", "search code", "graph", "read and redact", "fit", "render"}
_INDEX = {"open index", "list files", "read", "parse files", "postings", "vectors", "save"}


@pytest.mark.parametrize(
    ("name", "arguments", "stages"),
    [
        ("search", {"query": "database connection"}, _SEARCH),
        ("pack", {"prompt": "database connection"}, _PACK),
        ("grep", {"pattern": "def"}, {"grep"}),
    ],
)
def test_an_answer_has_its_stages_only_when_asked(engine, name, arguments, stages) -> None:
    assert "trace" not in call(engine, name, arguments)
    answer = call(engine, name, {**arguments, "trace": "mine"})
    trace = answer["trace"]
    assert trace["id"] == "mine"
    assert trace["stages"][0]["stage"] == name
    assert stages <= {row["stage"] for row in trace["stages"]}
    assert "trace mine: " in as_text(name, answer)
    whole, *within = trace["events"]
    for event in within:
        assert whole["ts"] <= event["ts"]
        assert event["ts"] + event["dur"] <= whole["ts"] + whole["dur"] + 1
    assert sum(row["n"] for row in trace["stages"]) == len(trace["events"])


def test_an_answer_as_if_patched_has_what_the_patch_took(engine) -> None:
    patch = "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+zebra = 1\n"
    answer = call(engine, "grep", {"pattern": "zebra", "patch": patch, "trace": True})
    assert "apply the patch" in {row["stage"] for row in answer["trace"]["stages"]}


def test_an_id_of_a_trace_is_made_where_none_is_given_and_bad_ones_are_refused(engine) -> None:
    assert call(engine, "grep", {"pattern": "def", "trace": True})["trace"]["id"]
    for bad in (7, "x" * 65):
        with pytest.raises(SettingsError, match="argument 'trace'"):
            call(engine, "grep", {"pattern": "def", "trace": bad})


def test_the_command_line_writes_one_trace_of_all_processes(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    root, file = make_house(tmp_path / "house"), tmp_path / "trace.json"
    asked = ("search", "open door", "--root", str(root), "--trace", str(file))
    with served(root):
        assert not packhound(tmp_path, *asked).returncode
    by_daemon = json.loads(file.read_text())["traceEvents"]
    stages = {event["name"] for event in by_daemon if event["pid"] == os.getpid()}
    assert stages >= _SEARCH
    [here] = [event for event in by_daemon if event["pid"] != os.getpid()]
    assert here["name"] == "ask" and here["dur"] >= max(event["dur"] for event in by_daemon)
    assert len({event["args"]["trace"] for event in by_daemon}) == 1


def test_an_editor_gets_a_trace_of_what_it_asks_in_its_own_way(tmp_path) -> None:
    root = make_house(tmp_path / "house")
    place = {"uri": (root / "door.py").as_uri(), "position": {"line": 0, "character": 5}}
    client = LspClient(tmp_path / "cache", forked=True)
    try:
        client.initialize(root)
        client.settle()
        for name, params in (
            ("search", {"query": "open door"}),
            ("explain", {"query": "open door", **place}),
            ("pack", {"prompt": "open door"}),
        ):
            answer = client.request(f"packhound/{name}", {**params, "trace": "mine"})
            assert answer["trace"]["id"] == "mine"
            assert answer["trace"]["stages"][0]["stage"] == name
    finally:
        client.kill()


def test_a_trace_of_a_first_reading_has_its_stages(tmp_path) -> None:
    root, file = make_house(tmp_path / "house"), tmp_path / "trace.json"
    assert not packhound(tmp_path, "index", "--root", str(root), "--trace", str(file)).returncode
    assert {event["name"] for event in json.loads(file.read_text())["traceEvents"]} >= _INDEX


def test_a_trace_that_cannot_be_written_is_said(tmp_path) -> None:
    root = make_house(tmp_path / "house")
    done = packhound(tmp_path, "grep", "def", "--root", str(root), "--trace", str(tmp_path / "a/b"))
    assert (done.returncode, "--trace" in done.stderr) == (2, True)
