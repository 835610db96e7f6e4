"""The client's end of a language server's local socket, for the command line and MCP."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packhound.api.json_codec import Json, query_json
from packhound.api.pack_codec import pack_of, pack_request_json
from packhound.api.socket_address import (
    ACCEPTED,
    CONFIG,
    FORGET,
    PACK,
    RESULTS,
    ServerAddress,
    read_address,
)
from packhound.core.errors import SettingsError, StoreError
from packhound.core.types import Query
from packhound.pack import Pack, PackRequest

_TIMEOUT_S = 120.0
_ACCEPT_S = 0.5
"""A stopped process still has its backlog and its socket buffers, but it accepts nothing."""


class Connection:
    """Thread-safe connection to a running server; of no use after a StoreError.

    Raises OSError if nobody listens, TimeoutError or BlockingIOError if nobody accepts.
    """

    def __init__(self, server: ServerAddress) -> None:
        self._token = server.token
        self._lock = threading.Lock()
        self._socket = socket.socket(server.family, socket.SOCK_STREAM)
        self._socket.settimeout(_ACCEPT_S)
        try:
            self._socket.connect(server.address)
        except OSError:
            self._socket.close()
            raise
        self._stream = self._socket.makefile("rwb")

    def call(self, tool: str, arguments: Mapping[str, object]) -> Json:
        """Run a tool in the server.

        Raises:
            SettingsError: the tool refused its arguments.
            StoreError: the server did not accept the request in time, refused it or has ended.
        """
        request = {"token": self._token, "tool": tool, "arguments": dict(arguments)}
        with self._lock:
            answer = self._exchange(json.dumps(request).encode() + b"\n")
        if "result" not in answer and "error" not in answer:
            raise StoreError("the language server has ended or takes no more connections")
        if "error" in answer:
            raise SettingsError(str(answer["error"]))
        result: Json = answer["result"]
        return result

    def search(self, query: Query) -> Json:
        """Return the results object of a query, unsaved text included. Raises as `call` does."""
        return self.call(RESULTS, query_json(query))

    def pack(self, request: PackRequest) -> Pack:
        """Return a pack, unsaved text included. Raises as `call` does."""
        return pack_of(self.call(PACK, pack_request_json(request)))

    def config(self) -> Json:
        """Return the settings object of the folder. Raises as `call` does."""
        return self.call(CONFIG, {})

    def forget(self) -> None:
        """Delete the record of what the user opened, edited and picked. Raises as `call` does."""
        self.call(FORGET, {})

    def _exchange(self, frame: bytes) -> dict[str, Any]:
        """Return the answer to a request, empty if the server hung up. Raises StoreError."""
        try:
            self._socket.settimeout(_ACCEPT_S)
            self._stream.write(frame)
            self._stream.flush()
            answer = self._read_frame()
            if ACCEPTED in answer:
                self._socket.settimeout(_TIMEOUT_S)
                answer = self._read_frame()
        except TimeoutError:
            raise StoreError("the language server does not answer") from None
        except (OSError, ValueError) as problem:
            raise StoreError(f"the language server has ended: {problem}") from None
        return answer

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


def connect(folder: Path) -> Connection | None:
    """Return a connection to the server whose index folder this is; None if none is running.

    Raises StoreError if one is running and accepts no connection.
    """
    address = read_address(folder)
    try:
        return Connection(address) if address else None
    except (TimeoutError, BlockingIOError):
        raise StoreError("the language server does not answer") from None
    except (OSError, ValueError, OverflowError, AttributeError):
        return None
