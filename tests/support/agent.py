"""An agent: `packhound mcp` as a process, asked line by line; and the engine behind it."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from packhound.core.parent_process import is_alive
from tests.support.program import start_program

TIMEOUT_S = 30.0


class Agent:
    """One `packhound mcp` process whose index cache is the folder `cache`."""

    def __init__(self, cache: Path, *roots: Path, options: tuple[str, ...] = ()) -> None:
        env = {**os.environ, "PACKHOUND_CACHE_DIR": str(cache), "PACKHOUND_IDLE_SECONDS": "3"}
        start_engine(cache, env)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "packhound", "mcp", *options, *map(str, roots)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
        )
        self.notifications: list[dict] = []
        self._ids = itertools.count(1)
        client = {"name": "agent", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.request("initialize", params)
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict) -> dict:
        """Return the result of a request; `notifications` has what comes before it."""
        message_id = next(self._ids)
        self.send({"id": message_id, "method": method, "params": params})
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == message_id:
                return message["result"]
            self.notifications.append(message)
        raise AssertionError("the agent's server has ended")

    def tool(self, name: str, /, **arguments: object) -> str:
        """Return the text of a tool's answer."""
        result = self.request("tools/call", {"name": name, "arguments": arguments})
        return "\n".join(part["text"] for part in result["content"])

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(TIMEOUT_S)
        self.process.stdout.close()


def start_engine(cache: Path, environment: Mapping[str, str]) -> None:
    """Fork the background engine, which a relay would start anew, unless there is one.

    Where `PYTHONPATH` is set, a test is about what an engine's own Python reads.
    """
    if engine_id(cache) is None and "PYTHONPATH" not in environment:
        env = {**environment, "PACKHOUND_CACHE_DIR": str(cache)}
        deadline = time.monotonic() + TIMEOUT_S
        with Path(os.devnull).open("r+b") as null:
            engine = start_program(["engine"], env, null, null, null)
        with contextlib.closing(engine):
            while engine_id(cache) is None and engine.poll() is None:
                assert time.monotonic() < deadline, "the engine does not start"
                time.sleep(0.02)


def engine_id(cache: Path) -> int | None:
    """Return the process id of the background engine, None if there is none."""
    try:
        process_id = json.loads((cache / "engine.json").read_text())["pid"]
    except OSError:
        return None
    return process_id if is_alive(process_id) else None


def kill_engine(cache: Path) -> None:
    """Kill the background engine, if there is one."""
    if process_id := engine_id(cache):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process_id, signal.SIGKILL)
        wait_for_end_of(process_id)


def wait_for_end_of(process_id: int) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while is_alive(process_id):
        assert time.monotonic() < deadline, "it is still there"
        time.sleep(0.02)
