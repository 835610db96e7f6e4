"""What strangers send: frames, the messages of a client, the arguments of an agent."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import json
import logging
import shutil
import tempfile
import threading
from functools import lru_cache
from pathlib import Path
from queue import SimpleQueue

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import settings_from
from packhound.operations import schema_of, select_operations
from packhound.rpc import FrameReader, WireError, WriteQueue, encode
from packhound.service import EnginePool
from packhound.service.engine import Engine
from tests.fuzz.draw import Draw
from tests.support.operations import as_text, call
from tests.support.shop import FILES
from tests.support.streams import Chunks

PATIENCE_S = 60.0
INTERNAL_ERROR = -32_603
NEXT = encode({"jsonrpc": "2.0", "id": 7, "method": "next"})
PIECES = (
    *("Content-Length: 3\r\n\r\n", "Content-Length: 5", "content-length: 400\r\n\r\n{", "\r\n\r\n"),
    *("Content-Length: 12\r\n", "Content-Length: -1\r\n\r\n", "\n", "abc", '{"a": 1}', '"'),
    *(
        "Content-Type: x\r\n",
        "X: ",
        "content-length:",
        NEXT.decode(),
        NEXT.decode()[:-3],
        "\0",
        "[" * 600,
    ),
)


def frames(data: bytes) -> None:
    """After anything the next message is read, or the stream is given up."""
    draw = Draw(data)
    chunk = 1 + draw.number(80)
    garbage = draw.spliced(PIECES, 12).encode("utf-8", "surrogateescape") + draw.bytes(200)
    stream = garbage + NEXT
    chunks = [stream[n : n + chunk] for n in range(0, len(stream), chunk)]
    with contextlib.suppress(WireError):
        *_, last = FrameReader(Chunks(chunks))
        assert last == json.loads(NEXT[NEXT.index(b"{") :])


class _Faults(logging.Handler):
    """Whatever the server logs as an error, which only a fault of ours is."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(self.format(record))


class Client:
    """The server of this process, on threads of its own, and what it answers."""

    def __init__(self, root: Path) -> None:
        from packhound.lsp.handlers.registry import create_server

        server = create_server(EnginePool())
        self.root = root
        self._sent: SimpleQueue[bytes] = SimpleQueue()
        self._answers: SimpleQueue[bytes] = SimpleQueue()
        self._ids = itertools.count(1)
        self.faults = _Faults()
        logging.getLogger("packhound").addHandler(self.faults)
        stream = WriteQueue(Chunks(iter(self._sent.get, None), self._answers.put))
        thread = threading.Thread(target=server.protocol.run, args=(stream,), daemon=True)
        thread.start()
        folders = [{"uri": root.as_uri(), "name": "fuzz"}]
        options = {"persist": False, "maxFiles": 50}
        params = {"capabilities": {}, "workspaceFolders": folders, "initializationOptions": options}
        self.talk([("initialize", params), ("packhound/status", {"wait": True})])
        self.methods = sorted({*server.protocol.fm.features} - {"initialize", "shutdown", "exit"})

    def talk(self, requests: list[tuple[str, object]], notices: list[bytes] = ()) -> None:
        """Send all of it; each request is answered once, and none with a fault of ours."""
        waiting = set()
        for notice in notices:
            self._sent.put(notice)
        for method, params in requests:
            message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
            waiting.add(message["id"])
            self._sent.put(encode(message))
        while waiting:
            answer = json.loads(self._answers.get(timeout=PATIENCE_S).partition(b"\r\n\r\n")[2])
            if "method" in answer or answer["id"] is None:
                continue
            assert answer.get("error", {}).get("code") != INTERNAL_ERROR, answer
            waiting.remove(answer["id"])
        seen, self.faults.seen = self.faults.seen, []
        assert not seen, seen[0]


@lru_cache(maxsize=1)
def _client() -> Client:
    return Client(_folder())


@lru_cache(maxsize=1)
def _folder() -> Path:
    root = Path(tempfile.mkdtemp(prefix="packhound-fuzz-")).resolve()
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    for path, text in (FILES | SECRETS).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


TOKEN = "AKIAQ3EGRF7QXW2JD5PA"
SECRETS = {
    "keys/connect.py": f'KEY = "{TOKEN}"\n\n\ndef connect(key="{TOKEN}"):\n    return key\n',
    "keys/access.ts": f'export const access = (key = "{TOKEN}") => {{ return key; }};\n',
    "keys/\n```\nKEYS.md": f"# Access {TOKEN}\n\nConnect with {TOKEN}.\n",
    "keys/key.rs": f'pub const ACCESS: &str = "{TOKEN}";\n',
}
KEYS = (
    *("uri", "textDocument", "position", "line", "character", "contentChanges", "range", "start"),
    *("end", "text", "version", "query", "limit", "mode", "kinds", "languages", "paths", "focus"),
    *("prompt", "budget", "reserve", "format", "tokenizer", "conversation", "pinned", "excluded"),
    *("wait", "command", "arguments", "changes", "type", "name", "kind", "location", "data", "id"),
    *("token", "value", "openPaths", "selection", "settings", "languageId", "model", "reason"),
)
VALUES = (
    *("load session", "class", "kind:test path:*.py x", "hybrid", "symbol", "*.py", "xml"),
    *("shop/session.py", "shop/session.py:2-4", "packhound.server.search", "packhound.server.pack"),
    *("python", "json", "é😀\u2028", "file:///nowhere.py", "untitled:Untitled-1", "gpt-4o"),
)
# Settings and folders would lead out of the folder, and a rebuild with each would be slow.
UNASKED = ("workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders")


def messages(data: bytes) -> None:
    """Any messages with any params: requests are answered, and nothing unforeseen happens."""
    draw, client = Draw(data), _client()
    uris = [(client.root / path).as_uri() for path in FILES]
    requests, notices = [], []
    while not draw.empty and len(requests) + len(notices) < 6:
        method = draw.of([name for name in client.methods if name not in UNASKED])
        document = {"textDocument": {"uri": draw.of(uris), "version": draw.number(9)}}
        place = {"line": draw.number(30), "character": draw.number(90)}
        params = draw.json((*VALUES, *uris), KEYS)
        if isinstance(params, dict) and draw.flag():
            params = {
                **document,
                "position": place,
                "query": draw.text(),
                "prompt": "load",
                **params,
            }
        if draw.flag():
            requests.append((method, params))
        else:
            notice = {"jsonrpc": "2.0", "method": method, "params": params}
            notices.append(encode(notice))
    client.talk([*requests, ("packhound/status", {})], notices)


@lru_cache(maxsize=1)
def _engine() -> Engine:
    engine = Engine.open(_folder(), settings_from({"index.persist": False}))
    assert engine.settled(PATIENCE_S)
    atexit.register(engine.close)
    return engine


def tool_calls(data: bytes) -> None:
    """Any arguments of any tool are refused by name, or answered with what clients can read."""
    draw = Draw(data)
    tool = draw.of(tuple(select_operations(["default", "memory", "skills", "explain", "docs"])))
    schema = schema_of(tool)
    names = tuple(schema["properties"])
    words = (*VALUES, *FILES, *SECRETS, "access key connect", "keys", ".", "..", "")
    arguments = {name: draw.json(words, KEYS, 2) for name in names if draw.number(2) == 0}
    arguments |= {name: draw.of(words) for name in schema["required"] if draw.number(7)}
    if "line" in names and draw.number(7):
        arguments["line"] = draw.number(40)
    try:
        answer = call(_engine(), tool.name, arguments)
    except SettingsError as refusal:
        assert "\n" not in str(refusal)
        return
    encoded = json.dumps(answer, allow_nan=False) + as_text(tool.name, answer)
    assert TOKEN not in encoded.encode("utf-8").decode(), encoded
    assert "\n```\nKEYS" not in as_text(tool.name, answer)
