"""The client's end of a local socket: requests of one JSON object a line, or a whole session.

{"token", "tool", "arguments"} is answered by {"accepted": true} at once and by {"result"} or
{"error"} when the work is done, or by {"error"} alone. {"token", "session", "arguments"} is
answered by {"accepted": true} or {"error"}; from then on the connection is that session's.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Mapping
from pathlib import Path

from packhound.core.errors import PackhoundError, SettingsError, StoreError
from packhound.relay.address import SERVER, ServerAddress, read_address

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
_TIMEOUT_S = 120.0
_ACCEPT_S = 2.0
"""A stopped process still has its backlog and its socket buffers, but it accepts nothing; one on a
busy machine may need a second."""


class Connection:
    """Thread-safe connection to a serving process; of no use after a StoreError.

    Raises OSError if nobody listens, TimeoutError or BlockingIOError if nobody accepts.
    """

    def __init__(self, server: ServerAddress) -> None:
        self.pid = server.pid
        self._token = server.token
        self._lock = threading.Lock()
        self._is_accepted = False
        self._socket = socket.socket(server.family, socket.SOCK_STREAM)
        self._socket.settimeout(_ACCEPT_S)
        try:
            self._socket.connect(server.address)
        except OSError:
            self._socket.close()
            raise
        self._stream = self._socket.makefile("rwb")

    @classmethod
    def open(cls: type[C], folder: Path, name: str = SERVER) -> C | None:
        """Connect to the server whose address is in a folder; None if none is running.

        Raises StoreError if one is running and accepts no connection.
        """
        address = read_address(folder, name)
        try:
            return cls(address) if address else None
        except (TimeoutError, BlockingIOError):
            raise StoreError("the engine of this folder does not answer") from None
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
        frame = json.dumps({"token": self._token, **request}).encode() + b"\n"
        try:
            self._socket.settimeout(_ACCEPT_S)
            self._stream.write(frame)
            self._stream.flush()
            answer = self._read_frame()
            if ACCEPTED in answer and "tool" in request:
                self._is_accepted = True
                self._socket.settimeout(_TIMEOUT_S)
                answer = self._read_frame()
                if not answer:
                    raise StoreError(_ENDED)
        except TimeoutError:
            raise StoreError("the engine of this folder does not answer") from None
        except (OSError, ValueError) as problem:
            raise StoreError(f"the engine of this folder has ended: {problem}") from None
        # Another server has taken the socket since its address was read.
        return {} if answer == NOT_ALLOWED else answer

    def _read_frame(self) -> dict[str, Any]:
        answer = json.loads(self._stream.readline() or b"{}")
        if not isinstance(answer, dict):
            raise ValueError("its answer is no object")
        return answer

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError):
            self._stream.close()
        self._socket.close()
