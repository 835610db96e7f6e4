"""The one LSP client of tests and benchmarks: a real server process, and any bytes to it.

Every wait has a deadline. Requests are answered on a thread, so a test may have several in flight.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import Empty, SimpleQueue

from tests.support.program import start_program

# Enough for a loaded machine; what passes takes milliseconds.
TIMEOUT_S = 30.0
COMMAND = [sys.executable, "-m", "packhound", "lsp", "--alone"]
"""A server of the test's own."""
RELAYED = [sys.executable, "-m", "packhound", "lsp"]
"""A relay to the daemon, as editors start it."""
_POLL_S = 0.01

TWO_FILES = {
    "config.py": "def load_config(path):\n    '''Read the settings file.'''\n    return path\n",
    "shapes.py": "class Circle:\n    def area(self):\n        return 3\n",
}


def frame(message: object) -> bytes:
    """Encode a message as a well-behaved client does."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def write_files(folder: Path, sources: Mapping[str, str] = TWO_FILES) -> Path:
    """Create a folder of source files, byte for byte."""
    folder.mkdir(parents=True)
    for name, text in sources.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder


def wait_until(condition: Callable[[], object], timeout_s: float = TIMEOUT_S) -> None:
    """Poll a condition; raises AssertionError at the deadline."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"still false after {timeout_s} s"
        time.sleep(_POLL_S)


def eventually(ask: Callable[[], object], expected: object, timeout_s: float = TIMEOUT_S) -> object:
    """Poll until `ask()` returns what is expected; return its last value."""
    deadline = time.monotonic() + timeout_s
    while (value := ask()) != expected and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    return value


class ResponseError(AssertionError):
    """The server answered a request with an error."""


class LspClient:
    """One server process whose index cache is the folder `cache`."""

    def __init__(
        self,
        cache: Path,
        command: list[str] | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        timeout_s: float = TIMEOUT_S,
        forked: bool = False,
    ) -> None:
        """Start a command, by default `COMMAND`, which is `forked` sooner than started anew."""
        env = {**os.environ, **(environment or {}), "PACKHOUND_CACHE_DIR": str(cache)}
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process = (
            start_program(COMMAND[3:], env)
            if forked
            else subprocess.Popen(command or COMMAND, env=env, **pipes)
        )
        self.notifications: list[dict] = []
        self.server_requests: list[dict] = []
        self.settings: dict | None = None
        self.edit: Callable[[dict], dict] | None = None
        self.stderr: list[str] = []
        self.may_log_tracebacks = False
        self._timeout_s = timeout_s
        self._responses: dict[object, SimpleQueue] = {}
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._threads = [
            threading.Thread(target=target, daemon=True)
            for target in (self._read_messages, self._read_stderr)
        ]
        for thread in self._threads:
            thread.start()

    def send(self, data: bytes) -> None:
        """Write bytes as they are."""
        # Once the server has ended, the wait for its answer fails.
        with contextlib.suppress(BrokenPipeError, ValueError):
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.send(frame({"jsonrpc": "2.0", "method": method, "params": params}))

    def send_request(self, method: str, params: object = None) -> int:
        """Send a request without waiting; returns its id."""
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method}
        self.send(frame(message if params is None else {**message, "params": params}))
        return message["id"]

    def response(self, message_id: object) -> dict | None:
        """Return the response to a request; None if the server ended instead."""
        responses = self._queue(message_id)
        deadline = time.monotonic() + self._timeout_s
        while True:
            with contextlib.suppress(Empty):
                return responses.get(timeout=0.05)
            if not self._threads[0].is_alive() and responses.empty():
                return None
            assert time.monotonic() < deadline, f"request {message_id} was never answered"

    def call(self, method: str, params: object = None) -> dict | None:
        """Send a request and return its response, error or not."""
        return self.response(self.send_request(method, params))

    def request(self, method: str, params: object = None) -> object:
        """Send a request and return its result; raises ResponseError."""
        response = self.call(method, params)
        if response is None or "error" in response:
            raise ResponseError(f"{method} {str(params)[:200]}: {response}, {self.stderr}")
        return response["result"]

    def cancel(self, message_id: int) -> None:
        """Cancel a request."""
        self.notify("$/cancelRequest", {"id": message_id})

    def initialize(self, *folders: Path, **params: object) -> dict:
        """Open folders; keyword arguments replace members of the params."""
        workspace = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
        defaults = {"processId": None, "rootUri": None, "workspaceFolders": workspace}
        result = self.request("initialize", {**defaults, "capabilities": {}, **params})
        self.notify("initialized", {})
        return result

    def settle(self) -> dict:
        """Return the status once nothing is pending."""
        return self.request("packhound/status", {"wait": True})

    def open_document(self, path: Path, text: str, version: int = 1, uri: str = "") -> dict:
        """Send didOpen; returns the identifier for later notifications."""
        uri = uri or path.as_uri()
        item = {"uri": uri, "languageId": "python", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return {"uri": uri}

    def change_document(self, document: dict, version: int, *edits: tuple) -> None:
        """Send didChange; an edit is (line, start, end, text), or (text,) for the whole text."""
        changes = []
        for *span, text in edits:
            changes.append({"text": text})
            if span:
                line, start, end = span
                edges = [{"line": line, "character": character} for character in (start, end)]
                changes[-1]["range"] = dict(zip(("start", "end"), edges, strict=True))
        item = {"textDocument": {**document, "version": version}, "contentChanges": changes}
        self.notify("textDocument/didChange", item)

    def close_document(self, document: dict) -> None:
        """Send didClose."""
        self.notify("textDocument/didClose", {"textDocument": document})

    def touch(self, *paths: Path) -> None:
        """Report files as changed on disk."""
        changes = [{"uri": path.as_uri(), "type": 2} for path in paths]
        self.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def search(self, query: str, **params: object) -> list[str]:
        """Return `path name` of each hit, best first."""
        hits = self.request("packhound/search", {"query": query, **params})["hits"]
        return [f"{hit['path']} {hit['name']}" for hit in hits]

    def wait_for_notification(
        self, method: str, matches: Callable[[dict], object] = lambda params: True
    ) -> dict:
        """Return the params of the first notification that matches, seen already or to come."""
        deadline = time.monotonic() + self._timeout_s
        while True:
            for notification in list(self.notifications):
                if notification["method"] == method and matches(notification.get("params")):
                    return notification["params"]
            assert time.monotonic() < deadline, f"{method} never came: {self.notifications}"
            time.sleep(_POLL_S)

    def wait_for_exit(self) -> int:
        """Return the exit code of a process that ends by itself."""
        return self.process.wait(self._timeout_s)

    def shut_down(self) -> int:
        """End the session as an editor does; returns the exit code."""
        self.request("shutdown")
        self.notify("exit")
        return self.wait_for_exit()

    def kill(self) -> None:
        """End the process at once and close the pipes."""
        self.process.kill()
        self.process.wait(self._timeout_s)
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        for thread in self._threads:
            thread.join(self._timeout_s)
        self.process.stdout.close()
        self.process.stderr.close()

    def tracebacks(self) -> list[str]:
        """Return what the server logged of exceptions, unless the test provokes them."""
        if self.may_log_tracebacks:
            return []
        logged = [n["params"]["message"] for n in self.notifications if n["method"] == _LOG]
        return [text for text in (*logged, "".join(self.stderr)) if "Traceback (most" in text]

    def _queue(self, message_id: object) -> SimpleQueue:
        with self._lock:
            return self._responses.setdefault(message_id, SimpleQueue())

    def _read_messages(self) -> None:
        stream = self.process.stdout
        while header := stream.readline():
            assert header.startswith(b"Content-Length: "), f"not the protocol: {header!r}"
            assert stream.readline() == b"\r\n"
            message = json.loads(stream.read(int(header[16:])))
            if "method" not in message:
                self._queue(message["id"]).put(message)
            elif "id" in message:
                self.server_requests.append(message)
                self._respond(message)
            else:
                self.notifications.append(message)

    def _read_stderr(self) -> None:
        for line in self.process.stderr:
            self.stderr.append(line.decode("utf-8", "replace"))

    def _respond(self, message: dict) -> None:
        result: object = [self.settings] if message["method"] == "workspace/configuration" else None
        if message["method"] == "workspace/applyEdit" and self.edit:
            result = self.edit(message["params"]["edit"])
        self.send(frame({"jsonrpc": "2.0", "id": message["id"], "result": result}))


_LOG = "window/logMessage"
