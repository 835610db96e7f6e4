"""The client's end of a local socket: one line each way, and from then on it is a session's.

{"token", "session", "arguments"} is answered by {"accepted": true} or {"error"}.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from packhound.core.errors import SettingsError, StoreError
from packhound.relay.address import ServerAddress, read_address
from packhound.relay.liveness import SILENCE_S, end_if_hung

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ACCEPTED = "accepted"
NOT_ALLOWED = {"error": "not allowed"}
"""Answer to a request with a token that is not the server's."""

WRITING = frozenset(
    {"remember", "decide", "stash", "record_skill", "record_episode"}
    | {"memory/add", "memory/episode", "accept", "check", "reject"}
)
"""Tools and requests that would write, or run, twice if they were sent twice."""
UNKNOWN_OUTCOME = (
    "the engine ended before it answered, so it may have written this or not; look with recall,"
    " search or list, and write it again if it is not there"
)

ENDED = "the engine of this folder has ended or takes no more connections"
NO_SIGN_OF_LIFE = "the engine of this folder gives no sign of life"
_SEND_S = 10.0


class Connection:
    """Connection to a serving process; of no use after a StoreError.

    A process that gives no sign of life is ended, so that another can take its place.
    """

    def __init__(self, folder: Path, server: ServerAddress) -> None:
        """Connect to a server whose address is in a folder. Raises OSError."""
        self.server, self._folder = server, folder
        self._socket = socket.socket(server.family, socket.SOCK_STREAM)
        self._socket.settimeout(SILENCE_S)
        try:
            self._socket.connect(server.address)
        except OSError:
            self._socket.close()
            raise

    @classmethod
    def open(cls, folder: Path) -> Connection | None:
        """Connect to the server whose address is in a folder; None if none is running.

        Raises StoreError if one is running and accepts no connection.
        """
        address = read_address(folder)
        if address is None:
            return None
        try:
            return cls(folder, address)
        except (TimeoutError, BlockingIOError):
            end_if_hung(folder, address)
            raise StoreError(NO_SIGN_OF_LIFE) from None
        except (OSError, ValueError, OverflowError, AttributeError):
            return None

    def begin_session(self, name: str, arguments: Mapping[str, object]) -> socket.socket:
        """Begin a session and return its socket, which belongs to the caller from then on.

        Where that fails the connection is closed.

        Raises:
            SettingsError: the server refused the arguments.
            StoreError: it did not accept the session, refused it or has ended.
        """
        request = {"token": self.server.token, "session": name, "arguments": dict(arguments)}
        try:
            answer = self._shake_hands(request)
            # Another server may have taken the socket since its address was read.
            if "error" in answer and answer != NOT_ALLOWED:
                raise SettingsError(str(answer["error"]))
            if ACCEPTED not in answer:
                raise StoreError(ENDED)
        except (SettingsError, StoreError):
            self.close()
            raise
        self._socket.settimeout(None)
        return self._socket

    def require_life(self) -> None:
        """End a server that gives no sign of life, and raise StoreError then."""
        if end_if_hung(self._folder, self.server):
            raise StoreError(NO_SIGN_OF_LIFE)

    def close(self) -> None:
        """Close the connection; a thread that reads from it sees its end."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _shake_hands(self, request: Mapping[str, object]) -> dict[str, Any]:
        try:
            self._socket.settimeout(_SEND_S)
            self._socket.sendall(json.dumps(request).encode() + b"\n")
            self._socket.settimeout(SILENCE_S)
            return self._read_line()
        except TimeoutError:
            self.require_life()
            raise StoreError(NO_SIGN_OF_LIFE) from None
        except (OSError, ValueError) as problem:
            raise StoreError(f"the engine of this folder has ended: {problem}") from None

    def _read_line(self) -> dict[str, Any]:
        """Return the next object, empty at the end; what follows it is left on the socket."""
        line = bytearray()
        while not line.endswith(b"\n"):
            try:
                data = self._socket.recv(1)
            except TimeoutError:
                self.require_life()
                continue
            if not data:
                return {}
            line += data
        answer = json.loads(line)
        if not isinstance(answer, dict):
            raise ValueError("its answer is no object")
        return answer
