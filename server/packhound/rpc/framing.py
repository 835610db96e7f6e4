"""Framings of JSON-RPC: bytes to messages and back, whatever the peer sends.

MCP and our own sockets have one message a line. In LSP's base protocol a frame is a few header
lines, an empty line and a body of `Content-Length` bytes. Line ends inside JSON texts are always
escaped, so a raw header inside a body proves that a length was wrong: the reader resumes at that
header. After any input the next valid frame is therefore read, or `WireError` says that the stream
cannot be resynchronized; it never waits for bytes that belong to another message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from packhound.core.errors import PackhoundError

if TYPE_CHECKING:
    from packhound.relay import Stream

Params: TypeAlias = Mapping[str, object]
"""The `params` of a message as they came."""

# Editors send two short header lines; anything longer is not a header.
HEADER_BYTES = 8_192
# The largest file that is indexed is far below this, even with every character escaped.
BODY_BYTES = 64 * 1024 * 1024
# Parameters of the protocol nest less than twenty deep.
DEPTH = 512

_HEADER = re.compile(
    rb"content-length[ \t]*:[ \t]*(\d{1,20})[ \t]*\r?\n"
    rb"(?:(?![^\r\n]*content-length)[!-9;-~]+[ \t]*:[^\r\n]*\r?\n)*\r?\n",
    re.IGNORECASE,
)


class WireError(PackhoundError):
    """The stream cannot be resynchronized; the only safe reaction is to end the process."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """A frame without a message, and the reason."""

    reason: str


class FrameReader:
    """Iterator over the messages of a stream of frames, as LSP's base protocol has them."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._buffer = bytearray()

    def __iter__(self) -> Iterator[object | Malformed]:
        """Yield each message until the stream ends; raises WireError."""
        while (length := self._header()) is not None and (body := self._body(length)) is not None:
            yield self._message(body)

    def _header(self) -> int | None:
        """Skip to the end of the next header; bytes before it belong to a broken frame."""
        while not (match := _HEADER.search(self._buffer)):
            if len(self._buffer) > HEADER_BYTES:
                raise WireError(f"no message header in {HEADER_BYTES} bytes")
            if not self._receive():
                return None
        length = int(match[1])
        if match.end() - match.start() > HEADER_BYTES:
            raise WireError(f"a message header is longer than {HEADER_BYTES} bytes")
        if length > BODY_BYTES:
            raise WireError(f"a message is {length} bytes long; at most {BODY_BYTES} are accepted")
        del self._buffer[: match.end()]
        return length

    def _body(self, length: int) -> bytes | None:
        scanned = 0
        while True:
            if self._buffer.find(b"\n", scanned) >= 0:
                match = _HEADER.search(self._buffer, max(scanned - HEADER_BYTES, 0))
                if match and match.start() < length:
                    return self._take(match.start())
            if len(self._buffer) >= length:
                return self._take(length)
            scanned = len(self._buffer)
            if not self._receive():
                return None

    def _message(self, body: bytes) -> object | Malformed:
        try:
            text = body.decode("utf-8")
            message, end = _DECODER.raw_decode(text, len(text) - len(text.lstrip(_SPACE)))
            rest = text[end:].lstrip(_SPACE)
        except (ValueError, RecursionError) as error:
            # The length may have been too small for garbage, and cut the next header in two.
            self._buffer[:0] = body[-_CUT_HEADER:]
            return Malformed(f"not JSON: {error}")
        if rest:
            # The length was too large: what follows the message is the start of the next frame.
            self._buffer[:0] = rest.encode("utf-8")
        return message if _is_shallow(message) else Malformed(f"nested deeper than {DEPTH}")

    def _take(self, length: int) -> bytes:
        head = bytes(self._buffer[:length])
        del self._buffer[:length]
        return head

    def _receive(self) -> bool:
        received = self._stream.read()
        self._buffer += received
        return bool(received)


def encode(message: object) -> bytes:
    """Encode a message as a frame; raises ValueError or TypeError for what JSON cannot express."""
    body = json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def read_lines(stream: Stream) -> Iterator[object | Malformed]:
    """Yield the messages of a stream that has one a line, blank lines aside; raises WireError."""
    rest = bytearray()
    while data := stream.read():
        rest += data
        if b"\n" in data:
            *lines, rest = rest.split(b"\n")
            yield from map(_line_message, filter(bytes.strip, map(bytes, lines)))
        if len(rest) > BODY_BYTES:
            raise WireError(f"a line is longer than {BODY_BYTES} bytes")
    if rest.strip():
        yield _line_message(bytes(rest))


def encode_line(message: object) -> bytes:
    """Encode a message as a line; raises ValueError or TypeError for what JSON cannot express."""
    return json.dumps(message).encode("ascii") + b"\n"


class Framing(NamedTuple):
    """The way in which messages are told from each other on a stream."""

    read: Callable[[Stream], Iterable[object | Malformed]]
    encode: Callable[[object], bytes]


FRAMES, LINES = Framing(FrameReader, encode), Framing(read_lines, encode_line)
"""LSP's base protocol, and one message a line."""


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


def _line_message(line: bytes) -> object | Malformed:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Malformed(f"not JSON: {error}")
    return message if _is_shallow(message) else Malformed(f"nested deeper than {DEPTH}")


_CUT_HEADER = 256
_SPACE = " \t\r\n"
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _is_shallow(message: object) -> bool:
    layer = [message]
    for _ in range(DEPTH + 1):
        layer = [
            item for value in layer if isinstance(value, dict | list) for item in _items(value)
        ]
        if not layer:
            return True
    return False


def _items(value: dict[str, object] | list[object]) -> list[object]:
    items = value.values() if isinstance(value, dict) else value
    return [item for item in items if isinstance(item, dict | list)]
