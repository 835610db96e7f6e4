"""The client's end of a language server's local socket, for the command line and MCP."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packhound.api.json_codec import Json, pack_of, pack_request_json, query_json
from packhound.api.socket_address import FORGET, PACK, RESULTS, ServerAddress, read_address
from packhound.core.errors import SettingsError, StoreError
from packhound.core.types import Query
from packhound.pack.request import Pack, PackRequest

_TIMEOUT_S = 120.0
_CONNECT_S = 0.5


class Connection:
    """Thread-safe connection to a running server. Raises OSError if nobody listens."""

    def __init__(self, server: ServerAddress) -> None:
        self._token = server.token
        self._lock = threading.Lock()
        self._socket = socket.socket(server.family, socket.SOCK_STREAM)
        self._socket.settimeout(_CONNECT_S)
        try:
            self._socket.connect(server.address)
        except OSError:
            self._socket.close()
            raise
        self._socket.settimeout(_TIMEOUT_S)
        self._stream = self._socket.makefile("rwb")

    def call(self, tool: str, arguments: Mapping[str, object]) -> Json:
        """Run a tool in the server.

        Raises:
            SettingsError: the tool refused its arguments.
            StoreError: the server has ended.
        """
        request = {"token": self._token, "tool": tool, "arguments": dict(arguments)}
        with self._lock:
            try:
                self._stream.write(json.dumps(request).encode() + b"\n")
                self._stream.flush()
                answer: dict[str, Any] = json.loads(self._stream.readline() or b"null") or {}
            except (OSError, ValueError) as problem:
                raise StoreError(f"the language server has ended: {problem}") from None
        if "result" not in answer and "error" not in answer:
            raise StoreError("the language server has ended")
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

    def forget(self) -> None:
        """Delete the record of what the user opened, edited and picked. Raises as `call` does."""
        self.call(FORGET, {})

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError):
            self._stream.close()
        self._socket.close()


def connect(folder: Path) -> Connection | None:
    """Return a connection to the server whose index folder this is; None if none is running."""
    address = read_address(folder)
    try:
        return Connection(address) if address else None
    except (OSError, ValueError, OverflowError, AttributeError):
        return None
