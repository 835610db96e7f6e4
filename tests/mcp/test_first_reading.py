"""While a folder is read for the first time agents are answered with what is there."""

from __future__ import annotations

import os
import re
import time

import pytest

from packhound.core.settings_reader import settings_from
from packhound.mcp import server
from packhound.operations import as_text
from tests.support.agent import Agent, kill_engine

N_FILES = 600
NOTE = re.compile(r"(\d+) of 600 files read so far")


@pytest.fixture
def large(tmp_path, monkeypatch):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "work"
    root.mkdir()
    for n in range(N_FILES):
        functions = (f"def canary_{n}_{i}(path):\n    return path\n" for i in range(20))
        (root / f"m{n}.py").write_text("\n\n".join(functions))
    return root


def test_every_tool_says_how_much_was_read(large, monkeypatch):
    monkeypatch.setattr(server, "_INDEXING_S", 0.0)
    settings = settings_from({"ranking.gitHistory": False, "index.workers": 1})
    folders = server.Folders([large], settings)
    while folders.reading[1] < N_FILES:
        time.sleep(0.005)
    requests = {"search": {"query": "canary"}, "outline": {}, "status": {}}
    requests["pack"] = {"prompt": "canary"}
    answers = {
        name: (folders.call(name, arguments), arguments) for name, arguments in requests.items()
    }
    for name, (answer, arguments) in answers.items():
        assert NOTE.search(as_text(name, answer, arguments)), name
    while folders.call("status", {})["pending"]:
        time.sleep(0.05)
    settled = folders.call("search", {"query": "canary_5_5"})
    assert "files read" not in as_text("search", settled)
    assert "m5.py" in as_text("search", settled)
    folders.close()


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_progress_is_sent_to_who_asks_for_it(large, tmp_path):
    agent = Agent(tmp_path / "cache", large)
    meta = {"progressToken": "reading"}
    params = {"name": "search", "arguments": {"query": "canary"}, "_meta": meta}
    agent.request("tools/call", params)
    sent = [n["params"] for n in agent.notifications if n["method"] == "notifications/progress"]
    steps = [params["progress"] for params in sent]
    assert steps and steps == sorted(set(steps))
    assert {params["progressToken"] for params in sent} == {"reading"}
    n_before = len(agent.notifications)
    agent.tool("search", query="canary")
    assert len(agent.notifications) == n_before
    agent.close()
    kill_engine(tmp_path / "cache")
