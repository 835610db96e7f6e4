"""A client that can send anything, to see what a polite one never would."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from queue import Empty, SimpleQueue

# Long enough for a loaded machine; what passes takes milliseconds.
PATIENCE_S = 30.0
COMMAND = [sys.executable, "-m", "packhound", "lsp"]


def frame(message: object) -> bytes:
    """A message as the bytes that a well-behaved client sends."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class RawClient:
    """One server process, byte by byte."""

    def __init__(self, cache: Path, command: list[str] | None = None) -> None:
        environment = {**os.environ, "PACKHOUND_CACHE_DIR": str(cache)}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command or COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, env=environment
        )
        self.notices: list[dict] = []
        self.asked: list[dict] = []
        self.settings: dict | None = None
        self._replies: dict[object, SimpleQueue] = {}
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def send(self, data: bytes) -> None:
        """Bytes, as they are."""
        # When the server has ended, the test finds out by itself.
        with contextlib.suppress(BrokenPipeError, ValueError):
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def notify(self, method: str, params: object = None) -> None:
        self.send(frame({"jsonrpc": "2.0", "method": method, "params": params}))

    def ask(self, method: str, params: object = None) -> int:
        """Send a request without waiting; returns its id."""
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method}
        self.send(frame(message if params is None else {**message, "params": params}))
        return message["id"]

    def reply(self, message_id: object) -> dict | None:
        """The answer to a request; None when the server ended instead."""
        for _ in range(int(PATIENCE_S * 20)):
            try:
                return self._queue(message_id).get(timeout=0.05)
            except Empty:
                if not self._thread.is_alive() and self._queue(message_id).empty():
                    return None
        raise AssertionError(f"alive, but request {message_id} was never answered")

    def call(self, method: str, params: object = None) -> dict | None:
        return self.reply(self.ask(method, params))

    def result(self, method: str, params: object = None) -> object:
        answer = self.call(method, params)
        assert answer is not None and "error" not in answer, answer
        return answer["result"]

    def initialize(self, *folders: Path, **params: object) -> dict:
        listed = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
        defaults = {"processId": None, "rootUri": None, "workspaceFolders": listed}
        found = self.result("initialize", {**defaults, "capabilities": {}, **params})
        self.notify("initialized", {})
        return found

    def wait_for_notice(self, method: str, wanted=lambda params: True) -> dict:
        for _ in range(int(PATIENCE_S * 100)):
            for notice in list(self.notices):
                if notice["method"] == method and wanted(notice.get("params")):
                    return notice["params"]
            self._thread.join(0.01)
        raise AssertionError(f"{method} never came; there were {self.notices}")

    def end(self) -> int:
        """The exit code, of a process that ends by itself."""
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stderr):
            with contextlib.suppress(OSError):
                stream.close()
        self._thread.join()
        self.process.stdout.close()

    def _queue(self, message_id: object) -> SimpleQueue:
        with self._lock:
            return self._replies.setdefault(message_id, SimpleQueue())

    def _read(self) -> None:
        stream = self.process.stdout
        while header := stream.readline():
            assert header.startswith(b"Content-Length: "), f"not the protocol: {header!r}"
            assert stream.readline() == b"\r\n"
            message = json.loads(stream.read(int(header[16:])))
            if "method" not in message:
                self._queue(message["id"]).put(message)
            elif "id" in message:
                self.asked.append(message)
                self._answer(message)
            else:
                self.notices.append(message)

    def _answer(self, message: dict) -> None:
        result = [self.settings] if message["method"] == "workspace/configuration" else None
        self.send(frame({"jsonrpc": "2.0", "id": message["id"], "result": result}))
