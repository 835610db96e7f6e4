"""From a didChange to a search that contains it, over a real server's standard input and output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

_LOOKS_S = 0.2
"""Between opening a file and the first key; nobody types sooner."""


class Client:
    """The least of a language client: blocking requests, answers to the server's own requests."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "packhound", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | environment,
        )
        self._last_id = 0

    @property
    def pid(self) -> int:
        """The process of the server."""
        return self._process.pid

    def notify(self, method: str, params: dict) -> None:
        """Send and go on."""
        self._send({"method": method, "params": params})

    def request(self, method: str, params: dict | None) -> dict:
        """Send and wait for the answer."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self._last_id and "method" not in message:
                if "error" in message:
                    raise SystemExit(f"{method} {str(params)[:200]}: {message['error']}")
                return message["result"]
            if "id" in message and "method" in message:
                self._send({"id": message["id"], "result": None})

    def ask_and_cancel(self, method: str, params: dict) -> None:
        """Send a request and its cancellation; the answer is passed over when it comes."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        self.notify("$/cancelRequest", {"id": self._last_id})

    def close(self) -> None:
        """End the server as an editor does."""
        self.request("shutdown", None)
        self.notify("exit", {})
        self._process.wait(timeout=20)

    def _send(self, message: dict) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _receive(self) -> dict:
        length = 0
        while (line := self._process.stdout.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self._process.stdout.read(length))


def edit_to_search_ms(folder: Path, edits: int, environment: dict[str, str]) -> list[float]:
    """Milliseconds of each of `edits` one-line edits, spread over the files of `folder`.

    The clock starts before didChange is written and stops when a search answers with the edit.
    """
    client = Client(environment)
    root = folder.resolve()
    capabilities: dict = {}
    client.request(
        "initialize",
        {
            "processId": os.getpid(),
            "rootUri": root.as_uri(),
            "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
            "capabilities": capabilities,
        },
    )
    client.notify("initialized", {})
    client.request("packhound/status", {"wait": True})
    files = sorted(p for p in root.rglob("*") if p.suffix in (".py", ".rs", ".ts") and p.is_file())
    spent = []
    for number in range(edits):
        path = files[number * len(files) // edits]
        text = path.read_text("utf-8", "replace")
        document = {"uri": path.as_uri(), "version": 1}
        client.notify(
            "textDocument/didOpen",
            {"textDocument": {**document, "languageId": path.suffix[1:], "text": text}},
        )
        client.request("packhound/search", {"query": "settle", "limit": 1})
        time.sleep(_LOOKS_S)
        word = f"packhoundprobe{'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10 % 10]}"
        mark = "#" if path.suffix == ".py" else "//"
        line = text.count("\n") + 1  # below everything, licences included
        place = {"line": line, "character": 0}
        began = time.perf_counter()
        client.notify(
            "textDocument/didChange",
            {
                "textDocument": {**document, "version": 2},
                "contentChanges": [
                    {"range": {"start": place, "end": place}, "text": f"{mark} {word}\n"}
                ],
            },
        )
        found = client.request("packhound/search", {"query": word, "limit": 3})
        spent.append((time.perf_counter() - began) * 1e3)
        if not found["hits"] or found["hits"][0]["path"] != path.relative_to(root).as_posix():
            raise SystemExit(f"the edit of {path.relative_to(root)} was not found first: {found}")
        client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    client.close()
    return spent
