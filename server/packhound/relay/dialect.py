"""Protocol classes of streams and of what a relay can carry; for type checkers alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from packhound.relay.relay import Message


class Stream(Protocol):
    """Bytes from and to a peer."""

    def read(self) -> bytes:
        """Return the next bytes, b"" at the end."""

    def write(self, data: bytes) -> None:
        """Write all. Raises OSError."""

    def hang_up(self) -> None:
        """End the stream, and with it perhaps the process."""


class Dialect(Protocol):
    """Framing of a protocol, and the messages that a new server has to be sent."""

    def read(self, stream: Stream) -> Iterator[Message]:
        """Yield the messages of a stream until it ends."""

    def encode(self, value: dict[str, object]) -> bytes:
        """Return the bytes of a message."""

    def note(self, message: Message) -> None:
        """Remember what a notification of the client changes in the session."""

    def cancelled(self, value: dict[str, object]) -> object:
        """Return the id of a request that a notification cancels and that gets no response."""

    def writes(self, value: dict[str, object]) -> bool:
        """Return True if a request would write twice if it were sent twice."""

    def answer_again(self, method: str) -> bool:
        """Return True if the client has answered such a request of an earlier server for good."""

    def initialized(self, result: dict[str, object]) -> None:
        """Take the result of `initialize`."""

    def state(self) -> Iterable[bytes]:
        """Return the messages that follow a repeated `initialize`."""
