"""The frame reader, fed from memory: whatever came before, the next valid message is read."""

from __future__ import annotations

import contextlib
import json
import threading

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from packhound.rpc import BODY_BYTES, FrameReader, Malformed, WireError, WriteQueue
from tests.support.streams import Chunks

NEXT = {"jsonrpc": "2.0", "id": 7, "method": "next"}


def framed(message: object, header: str = "Content-Length: {}\r\n\r\n") -> bytes:
    body = json.dumps(message).encode()
    return header.format(len(body)).encode() + body


def check(stream: bytes, chunk: int = 1 << 16) -> list[object]:
    """The messages of a stream that arrives in chunks; bad ones as their reason."""
    return list(FrameReader(Chunks(stream[n : n + chunk] for n in range(0, len(stream), chunk))))


@pytest.mark.parametrize(
    "header",
    [
        "Content-Length: {}\r\n\r\n",
        "content-length:{}\n\n",
        "CONTENT-LENGTH:   {}  \r\n\r\n",
        "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
        "Content-Length: {}\r\nX-Other: yes\r\nContent-Type: a/b\n\r\n",
    ],
)
@pytest.mark.parametrize("chunk", [1, 7, 1 << 16])
def test_headers_as_clients_write_them(header, chunk):
    assert check(framed(NEXT, header) * 3, chunk) == [NEXT] * 3


PIECES = st.sampled_from(
    [
        b"Content-Length: 3\r\n\r\n",
        b"Content-Length: 5",
        b"content-length: 400\r\n\r\n{",
        b"Content-Length: 12\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"\r\n\r\n",
        b"\n",
        b"abc",
        b'{"a": 1}',
        b'"',
        b"\xff\x00",
        b"[" * 600,
        framed({"jsonrpc": "2.0"}),
        framed({"a": 1})[:-3],
    ]
)


@settings(max_examples=300)
@given(garbage=st.lists(PIECES | st.binary(max_size=12), max_size=8), chunk=st.integers(1, 90))
@example(garbage=[b"Content-Length: 12\r\n", b"abc"], chunk=1)
@example(garbage=[b"Content-Length: 3\r\n\r\n"], chunk=24)
@example(garbage=[b"Content-Length: 7000000\r\n\r\n{}"], chunk=1)
def test_after_any_garbage_the_next_message_is_read(garbage, chunk):
    # A stream that cannot be followed ends the process, and the editor starts another.
    with contextlib.suppress(WireError):
        assert check(b"".join(garbage) + framed(NEXT), chunk)[-1] == NEXT


@settings(max_examples=60)
@given(
    messages=st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=40)), max_size=5),
    chunk=st.integers(1, 40),
)
def test_any_messages_in_any_chunks(messages, chunk):
    assert check(b"".join(map(framed, messages)), chunk) == messages


@pytest.mark.parametrize("wrong", [-30, -1, 1, 3, 30, 5_000])
def test_a_wrong_length_costs_one_message_at_most(wrong):
    body = json.dumps({"jsonrpc": "2.0", "method": "first"}).encode()
    broken = b"Content-Length: %d\r\n\r\n%b" % (len(body) + wrong, body)
    for chunk in (1, 20, 1 << 16):
        actual = check(broken + framed(NEXT), chunk)
        assert actual[-1] == NEXT
        assert all(isinstance(message, dict | Malformed) for message in actual)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"{'a': 1}",
        b'{"a": NaN}',
        b'{"a": "\xff"}',
        b'{"a": "\n"}',
        b"[" * 100_000,
        b"[" * 600 + b"]" * 600,
        b'{"a": ' + b"9" * 5_000 + b"}",
        '{"a": 1}'.encode("utf-16"),
    ],
)
def test_bad_json_is_a_value(body):
    first, *rest = check(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) + framed(NEXT))
    assert isinstance(first, Malformed)
    assert rest == [NEXT]


def test_deep_but_legal():
    deep: object = []
    for _ in range(500):
        deep = [deep]
    assert check(framed(deep)) == [deep]


@pytest.mark.parametrize(
    "stream",
    [
        b"Content-Length: %d\r\n\r\n" % (BODY_BYTES + 1),
        b"Content-Length: 99999999999999999999\r\n\r\n",
        b"x" * 9_000,
        b"Content-Length: 2\r\n" + b"X-Long: %b\r\n" % (b"y" * 9_000) + b"\r\n{}",
    ],
)
def test_what_cannot_be_followed_ends(stream):
    with pytest.raises(WireError):
        check(stream)


def test_a_client_that_does_not_read_is_lost_in_the_end():
    reads, written = threading.Event(), []

    def write(frame: bytes) -> None:
        reads.wait()
        written.append(frame)

    client = Chunks(write=write)
    writer = WriteQueue(client, backlog_bytes=1_000)
    for _ in range(10):
        writer.write(b"x" * 100)
    assert not client.is_hung_up
    reads.set()
    while len(written) < 10:
        pass
    reads.clear()
    for _ in range(13):
        writer.write(b"y" * 100)
    assert client.is_hung_up
    reads.set()
    writer.close(30)
    assert written[10:] == [b"y" * 100] * 13
