"""While a folder is read for the first time agents are answered with what is there."""

from __future__ import annotations

import json
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_files import Overrides
from packhound.core.settings_reader import settings_from
from packhound.mcp import folders as mcp_folders
from packhound.operations import as_text
from packhound.service.engine import Engine
from tests.support.agent import Agent, kill_engine
from tests.support.git_repository import git
from tests.support.operations import call
from tests.support.project import wait_until

N_FILES = 600
NOTE = re.compile(r"(\d+) of 600 files read so far")
NOT_READ = re.compile(r"(\d+ of )?\d+ files read so far")


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
    monkeypatch.setattr(mcp_folders, "_INDEXING_S", 0.0)
    overrides = Overrides.of_command_line({"ranking.gitHistory": False, "index.workers": 1})
    folders = mcp_folders.Folders([large], overrides)
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


def test_no_answer_claims_more_than_was_read(large, monkeypatch):
    """Of names that are there none is denied, and no hit is sure, before all files are read."""
    monkeypatch.setattr(mcp_folders, "_INDEXING_S", 0.0)
    folders = mcp_folders.Folders([large], Overrides.of_command_line({"index.workers": 1}))
    names = (f"canary_{n % N_FILES}_{n % 20}" for n in count(7, 211))
    n_incomplete = n_refused = 0
    for name in names:
        answer = folders.call("search", {"query": name})
        if answer["complete"]:
            break
        n_incomplete += 1
        hits, text = answer["hits"], as_text("search", answer)
        assert answer["confidence_word"] is None and "confidence" not in text
        assert all(hit["confidence_word"] is None for hit in hits)
        reasons = [reason for hit in hits for reason in hit["reasons"]]
        assert not any(reason.startswith(("the only", "one of")) for reason in reasons)
        assert NOT_READ.match(text) and "is not in this folder" not in text
        assert name in {hit["name"] for hit in hits} or "no word of the query" not in text
        try:
            folders.call("symbol", {"name": f"nowhere_{name}"})
        except SettingsError as problem:
            n_refused += 1
            assert "files read so far" in str(problem) or folders.reading.is_complete
    assert n_incomplete and n_refused
    assert answer["hits"][0]["name"] == name
    assert answer["confidence_word"] == "exact" and "reading" not in answer
    folders.close()


@pytest.mark.slow
def test_a_pack_says_once_that_it_is_of_what_was_read_so_far(large):
    engine = Engine.open(large, settings_from({"index.workers": 1, "index.persist": False}))
    assert engine.settled(60)
    engine.index.queue.cancel()  # What was read stays, and nobody knows if it is all.
    for form in ("markdown", "json", "xml"):
        arguments = {"prompt": "fix `canary_7_7`", "budget": 500, "format": form}
        answer = call(engine, "pack", arguments)
        text = as_text("pack", answer, arguments)
        assert answer["complete"] is False
        assert answer["reading"] == f"{N_FILES} files read so far; there may be more"
        assert text.count("read so far") == 1 and answer["notes"].count(answer["reading"]) == 1
        assert "the only place" not in str(answer).replace("so far the only place", "")
        if form == "json":
            assert json.loads(text)["reading"] == answer["reading"]
    engine.close()


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.slow
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


@pytest.mark.slow
def test_progress_is_that_of_another_commit_while_it_is_read(large):
    git(large, "init", "-q")
    git(large, "add", ".")
    git(large, "commit", "-qm", "Begin")
    for path in large.glob("*.py"):
        path.write_text(path.read_text().replace("canary", "sparrow"))
    git(large, "commit", "-qam", "Go on")
    overrides = Overrides.of_command_line({"index.workers": 1})
    with closing(mcp_folders.Folders([large], overrides)) as folders:
        folders.call("search", {"query": "sparrow"})
        assert folders.reading == (N_FILES, N_FILES, True)
        with ThreadPoolExecutor(1) as other:
            found = other.submit(folders.call, "search", {"query": "rev:HEAD~1 canary_1_1"})
            wait_until(lambda: folders.reading.n_files > N_FILES)
            status = folders.call("status", {})
            assert (status["state"], status["pending"] > 0) == ("indexing", True)
            assert found.result()["hits"][0]["name"] == "canary_1_1"
        wait_until(lambda: not folders.call("status", {})["pending"])
        assert folders.reading == (N_FILES, N_FILES, True)
