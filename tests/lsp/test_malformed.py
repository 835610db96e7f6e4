"""After each kind of malformed input: the next valid request is answered, or the process ends."""

from __future__ import annotations

import json

import pytest

from tests.support.lsp_client import LspClient, frame

STATUS = {"jsonrpc": "2.0", "id": "next", "method": "packhound/status"}
TEXT = json.dumps({"jsonrpc": "2.0", "id": 900, "method": "packhound/status"}).encode()
DOCUMENT = {"uri": "file:///nowhere/a.py", "languageId": "python", "version": 1}
OPEN = {"jsonrpc": "2.0", "method": "textDocument/didOpen"}
CHANGE = {"jsonrpc": "2.0", "method": "textDocument/didChange"}


def with_header(header: str, body: bytes = TEXT) -> bytes:
    return header.format(len(body)).encode() + body


def body(content: bytes) -> bytes:
    return with_header("Content-Length: {}\r\n\r\n", content)


def change(line: int, character: int) -> bytes:
    position = {"line": line, "character": character}
    edit = {"range": {"start": position, "end": position}, "text": "x"}
    opened = frame({**OPEN, "params": {"textDocument": {**DOCUMENT, "text": "abc"}}})
    item = {"textDocument": {**DOCUMENT, "version": 2}, "contentChanges": [edit]}
    return opened + frame({**CHANGE, "params": item})


VARIANTS = {
    "lower-case header": with_header("content-length: {}\r\n\r\n"),
    "no space in header": with_header("Content-Length:{}\r\n\r\n"),
    "only line feeds": with_header("Content-Length: {}\n\n"),
    "length too small": b"Content-Length: %d\r\n\r\n%b" % (len(TEXT) - 20, TEXT),
    "length too large": b"Content-Length: %d\r\n\r\n%b" % (len(TEXT) + 20, TEXT),
    "length far too large": b"Content-Length: 5000000000\r\n\r\n" + TEXT,
    "length zero": b"Content-Length: 0\r\n\r\n",
    "length negative": b"Content-Length: -5\r\n\r\n" + TEXT,
    "length no number": b"Content-Length: many\r\n\r\n" + TEXT,
    "no length": b"Content-Type: application/json\r\n\r\n" + TEXT,
    "a kilobyte of garbage": b"\x00garbage!" * 120,
    "garbage for ever": b"garbage!" * 4_000,
    "no JSON": body(b"{not json"),
    "no UTF-8": body(b'{"jsonrpc": "2.0", "method": "\xff\xfe"}'),
    "a batch": body(b"[" + TEXT + b"]"),
    "a number": body(b"17"),
    "nested deep": body(b"[" * 100_000 + b"]" * 100_000),
    "lone surrogate": frame(
        {**OPEN, "params": {"textDocument": {**DOCUMENT, "text": "a\ud800b", "uri": "file:///q"}}}
    ),
    "change of what is not open": frame(
        {**CHANGE, "params": {"textDocument": {**DOCUMENT, "uri": "file:///z"}}}
    ),
    "negative position": change(-3, -1),
    "enormous position": change(2**40, 2**40),
    "null params": frame(
        {"jsonrpc": "2.0", "id": 901, "method": "packhound/search", "params": None}
    ),
    "null changes": frame({**CHANGE, "params": {"textDocument": None, "contentChanges": None}}),
    "an object as id": frame({"jsonrpc": "2.0", "id": {"a": 1}, "method": "packhound/status"}),
    "no version of JSON-RPC": frame({"id": 902, "method": "packhound/status"}),
    "a method that is a number": frame({"jsonrpc": "2.0", "id": 903, "method": 5}),
    "an answer to nothing": frame({"jsonrpc": "2.0", "id": "packhound-99", "result": 1}),
    "a text as params": frame({"jsonrpc": "2.0", "method": "textDocument/didSave", "params": "x"}),
}


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """A function that returns a running server, the same one as long as it lives."""
    cache = tmp_path_factory.mktemp("cache")
    running: list[LspClient] = []

    def server() -> LspClient:
        if not running or running[-1].process.poll() is not None:
            running.append(LspClient(cache, forked=True))
            running[-1].initialize()
        return running[-1]

    yield server
    for client in running:
        client.kill()


@pytest.mark.parametrize("variant", VARIANTS)
def test_never_alive_and_deaf(servers, variant):
    client = servers()
    client.send(VARIANTS[variant])
    client.send(frame({**STATUS, "id": variant}))
    answer = client.response(variant)
    if answer is None:
        assert client.wait_for_exit() != 0
    else:
        assert answer["result"]["state"] in {"starting", "ready"}


def test_what_is_no_request_is_told_so(start_server):
    messages = {
        b"[]": -32600,
        b"17": -32600,
        b"{": -32700,
        b'{"jsonrpc": "2.0", "id": null, "method": "x"}': -32600,
        b'{"jsonrpc": "2.0", "id": true, "method": "x"}': -32600,
        b'{"jsonrpc": "2.0"}': -32600,
    }
    client = start_server()
    for message in messages:
        client.send(body(message))
    codes = [client.response(None)["error"]["code"] for _ in messages]
    assert codes == list(messages.values())


def test_nothing_but_the_protocol_is_on_stdout(tmp_path):
    # The raw client checks every byte; a debug print in the server would stop it.
    client = LspClient(tmp_path, forked=True)
    client.initialize()
    assert client.shut_down() == 0
    client.kill()
    assert client.stderr == []
