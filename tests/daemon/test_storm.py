"""One server for all, killed and stopped again and again while agents and an editor work: no answer
is lost or given twice, no note is lost or written twice, unsaved text counts, nothing stays behind.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
import uuid
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from packhound.memory import NoteStore
from packhound.service import notes_folder
from tests.daemon.test_versions import other_version
from tests.support.agent import Agent, engine_id, kill_engine
from tests.support.lsp_client import LspClient, wait_until, write_files
from tests.support.processes import MARK, processes_of
from tests.support.release import seed, size

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

PATIENCE_S = 120.0
STOPPED_OF = 4
"""Each fourth, from the second on, is stopped, not killed, and has to be found out."""
TROUBLES = {
    "a clock ten years behind": "time.time = lambda: real() - 3.2e8",
    "a full disk": "resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, 9_000))",
}
IN_THE_ENGINE = """
import resource, signal, sys, time
real = time.time
if "engine" in sys.orig_argv:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    {}
"""


class Worker(threading.Thread):
    """An agent that searches and writes notes, several requests at a time, until it is over."""

    def __init__(self, agent: Agent, name: str, over: threading.Event) -> None:
        super().__init__(name=name)
        self.agent, self.over = agent, over
        self.rounds = 0
        self.written, self.unknown = list[str](), list[str]()
        self.refused = list[str]()
        self.fault: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.over.is_set():
                self._round()
                self.rounds += 1
        except BaseException as fault:
            self.fault = fault

    def _round(self) -> None:
        content = f"{self.name} {self.rounds}"
        calls = [
            ("search", {"query": "unsaved_zebra"}),
            ("remember", {"content": content}),
            ("search", {"query": "load config"}),
        ]
        waiting = {}
        for number, (tool, arguments) in enumerate(calls):
            message_id = f"{self.rounds}-{number}"
            waiting[message_id] = tool
            params = {"name": tool, "arguments": arguments}
            self.agent.send({"id": message_id, "method": "tools/call", "params": params})
        answers = []
        while waiting:
            message = json.loads(self.agent.process.stdout.readline())
            if "id" in message:
                # What is answered twice is not waited for any more.
                answers.append((waiting.pop(message["id"]), message))
        for tool, message in answers:
            if tool == "remember":
                self._noted(content, message)
            else:
                text = message["result"]["content"][0]["text"]
                assert "unsaved_zebra" in text or "load_config" in text, text

    def _noted(self, content: str, message: dict) -> None:
        if "error" in message:
            assert "may have written this or not" in message["error"]["message"], message
            self.unknown.append(content)
        elif message["result"].get("isError"):
            self.refused.append(content)
        else:
            self.written.append(content)


def worked(workers: list[Worker]) -> list[int]:
    """Return how many rounds each has done; raises what a worker has raised."""
    for worker in workers:
        if worker.fault:
            raise worker.fault
    return [worker.rounds for worker in workers]


def wait_for_answers(workers: list[Worker]) -> None:
    """Wait until each has done a round that it began after this moment."""
    before = worked(workers)
    wait_until(
        lambda: all(now > then + 1 for now, then in zip(worked(workers), before, strict=True)),
        PATIENCE_S,
    )


def storm(cache: Path, workers: list[Worker], editor: LspClient, rounds: int) -> None:
    """Kill or stop the server again and again, each time when all have had an answer since."""
    draw = random.Random(seed(rounds))
    wait_for_answers(workers)
    for number in range(rounds):
        threading.Event().wait(draw.uniform(0, 0.3))
        is_stopped = number % STOPPED_OF == 1
        process_id = engine_id(cache)
        if process_id is not None:
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGSTOP if is_stopped else signal.SIGKILL)
        wait_for_answers(workers)
        assert "config.py unsaved_zebra" in editor.search("unsaved_zebra")


@pytest.mark.parametrize(
    ("trouble", "rounds"),
    [
        pytest.param("", 2, marks=pytest.mark.slow),
        *(pytest.param(trouble, 1, marks=pytest.mark.slow) for trouble in TROUBLES),
        pytest.param("", size(100), marks=pytest.mark.release),
    ],
)
def test_a_server_that_is_killed_again_and_again(tmp_path, monkeypatch, trouble, rounds) -> None:
    cache, trial = tmp_path / "cache", str(uuid.uuid4())
    for name in ("cache", "data", "state"):
        monkeypatch.setenv(f"PACKHOUND_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.setenv(MARK, trial)
    # Of whoever starts the server anew, editor or agent.
    monkeypatch.setenv("PACKHOUND_IDLE_SECONDS", "3")
    if trouble:
        (tmp_path / "site").mkdir()
        (tmp_path / "site" / "sitecustomize.py").write_text(IN_THE_ENGINE.format(TROUBLES[trouble]))
        monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    root = write_files(tmp_path / "workspace")
    editor = LspClient(cache, other_version("0.0.1", "lsp"), timeout_s=PATIENCE_S)
    options = ("--set", 'mcp.tools=["default", "memory"]')
    over, workers, deaf = threading.Event(), list[Worker](), None
    try:
        editor.initialize(root)
        editor.settle()
        editor.open_document(root / "config.py", "def unsaved_zebra(): pass\n")
        agents = [Agent(cache, root, options=options) for _ in range(4)]
        *agents, deaf = agents
        for number in range(100):
            params = {"name": "search", "arguments": {"query": "load config"}}
            deaf.send({"id": f"deaf-{number}", "method": "tools/call", "params": params})
        workers = [Worker(agent, f"agent {n}", over) for n, agent in enumerate(agents)]
        for worker in workers:
            worker.start()
        storm(cache, workers, editor, rounds)
        over.set()
        for worker in workers:
            worker.join(PATIENCE_S)
            assert not worker.is_alive()
        assert all(worked(workers))
        for agent in agents:
            agent.close()
        assert editor.shut_down() == 0
    finally:
        over.set()
        editor.kill()
        if deaf:
            deaf.process.kill()
            deaf.close()
        for worker in workers:
            worker.agent.process.kill()
        try:
            wait_until(lambda: not processes_of(trial))
        finally:
            kill_engine(cache)
    notes = Counter(note.fields["content"] for note in NoteStore(notes_folder(root)).all())
    written = {content for worker in workers for content in worker.written}
    unknown = {content for worker in workers for content in worker.unknown}
    assert set(notes.values()) <= {1}
    assert written <= notes.keys() <= written | unknown
    assert any(worker.refused for worker in workers) == (trouble == "a full disk")
