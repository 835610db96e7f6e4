"""The client's end of a local socket: requests of one JSON object a line, or a whole session.

{"token", "tool", "arguments"} is answered by {"accepted": true} at once and by {"result"} or
{"error"} when the work is done, or by {"error"} alone. {"token", "session", "arguments"} is
answered by {"accepted": true} or {"error"}; from then on the connection is that session's.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from packhound.core.errors import PackhoundError, SettingsError, StoreError
from packhound.relay.address import SERVER, ServerAddress, read_address
from packhound.relay.liveness import end_if_hung

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    C = TypeVar("C", bound="Connection")

ACCEPTED = "accepted"
NOT_ALLOWED = {"error": "not allowed"}
"""Answer to a request with a token that is not the server's."""

WRITING = frozenset(
    {"remember", "decide", "stash", "record_skill", "record_episode"}
    | {"memory/add", "memory/episode"}
)
"""Tools and requests that would write twice if they were sent twice."""
UNKNOWN_OUTCOME = (
    "the engine ended before it answered, so it may have written this or not; look with recall,"
    " search or list, and write it again if it is not there"
)

_ENDED = "the engine of this folder has ended or takes no more connections"
_NO_SIGN_OF_LIFE = "the engine of this folder gives no sign of life"
_TIMEOUT_S = 120.0
_TOO_SLOW = f"the engine of this folder has not answered within {_TIMEOUT_S:.0f} s"
_SEND_S = 10.0
_SILENCE_S = 1.0
"""Time without an answer after which a sign of life is asked for."""


class Connection:
    """Thread-safe connection to a serving process; of no use after a StoreError.

    A process that gives no sign of life is ended, so that another can take its place.
    """

    def __init__(self, folder: Path, name: str, server: ServerAddress) -> None:
        """Connect to a server whose address is in a folder. Raises OSError."""
        self.server = server
        self._folder, self._name = folder, name
        self._lock = threading.Lock()
        self._is_accepted = False
        self._received = bytearray()
        self._socket = socket.socket(server.family, socket.SOCK_STREAM)
        self._socket.settimeout(_SILENCE_S)
        try:
            self._socket.connect(server.address)
        except OSError:
            self._socket.close()
            raise

    @classmethod
    def open(cls: type[C], folder: Path, name: str = SERVER) -> C | None:
        """Connect to the server whose address is in a folder; None if none is running.

        Raises StoreError if one is running and accepts no connection.
        """
        address = read_address(folder, name)
        if address is None:
            return None
        try:
            return cls(folder, name, address)
        except (TimeoutError, BlockingIOError):
            end_if_hung(folder, name, address)
            raise StoreError(_NO_SIGN_OF_LIFE) from None
        except (OSError, ValueError, OverflowError, AttributeError):
            return None

    def call(self, tool: str, arguments: Mapping[str, object]) -> dict[str, object]:
        """Run a tool in the server.

        Raises:
            SettingsError: the tool refused its arguments.
            StoreError: the server did not accept the request in time, refused it or has ended.
            PackhoundError: it has ended, and may have written what must not be written twice.
        """
        with self._lock:
            self._is_accepted = False
            try:
                answer = self._exchange({"tool": tool, "arguments": dict(arguments)})
            except StoreError:
                if self._is_accepted and tool in WRITING:
                    raise PackhoundError(UNKNOWN_OUTCOME) from None
                raise
        if "result" not in answer and "error" not in answer:
            raise StoreError(_ENDED)
        if "error" in answer:
            raise SettingsError(str(answer["error"]))
        result: dict[str, object] = answer["result"]
        return result

    def begin_session(self, name: str, arguments: Mapping[str, object]) -> socket.socket:
        """Begin a session and return its socket, which belongs to the caller from then on.

        Raises as `call` does.
        """
        with self._lock:
            answer = self._exchange({"session": name, "arguments": dict(arguments)})
        if "error" in answer:
            raise SettingsError(str(answer["error"]))
        if ACCEPTED not in answer:
            raise StoreError(_ENDED)
        self._socket.settimeout(None)
        return self._socket

    def _exchange(self, request: dict[str, object]) -> dict[str, Any]:
        """Return the answer to a request, empty if the server hung up. Raises StoreError."""
        frame = json.dumps({"token": self.server.token, **request}).encode() + b"\n"
        deadline = time.monotonic() + _TIMEOUT_S
        try:
            self._socket.settimeout(_SEND_S)
            self._socket.sendall(frame)
            self._socket.settimeout(_SILENCE_S)
            answer = self._read_frame(deadline)
            if ACCEPTED in answer and "tool" in request:
                self._is_accepted = True
                answer = self._read_frame(deadline)
                if not answer:
                    raise StoreError(_ENDED)
        except TimeoutError:
            end_if_hung(self._folder, self._name, self.server)
            raise StoreError(_NO_SIGN_OF_LIFE) from None
        except (OSError, ValueError) as problem:
            raise StoreError(f"the engine of this folder has ended: {problem}") from None
        # Another server has taken the socket since its address was read.
        return {} if answer == NOT_ALLOWED else answer

    def _read_frame(self, deadline: float) -> dict[str, Any]:
        """Return the next object, empty at the end. Raises OSError, ValueError or StoreError."""
        while b"\n" not in self._received:
            try:
                data = self._socket.recv(1 << 16)
            except TimeoutError:
                if end_if_hung(self._folder, self._name, self.server):
                    raise StoreError(_NO_SIGN_OF_LIFE) from None
                if time.monotonic() > deadline:
                    raise StoreError(_TOO_SLOW) from None
                continue
            if not data:
                return {}
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        answer = json.loads(line)
        if not isinstance(answer, dict):
            raise ValueError("its answer is no object")
        return answer

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()
