"""A running language server answers other processes of the same user on a local socket.

The socket lies in the index folder of the workspace, which only its owner may enter; so the command
line and MCP see the text of open editors. Where there are no such sockets (Windows) or their path
would be too long it is a loopback port, and a token in a file that only the owner can read.
Frames are one JSON object a line: {"token", "tool", "arguments"} and {"result"} or {"error"}.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from packhound.api.json_codec import (
    Json,
    pack_json,
    pack_of,
    query_json,
    query_of,
    request_json,
    request_of,
    results_json,
)
from packhound.api.tools import call
from packhound.core.errors import PackhoundError, SettingsError, StoreError
from packhound.core.private_file import make_private_folder, read_private, write_private_atomic
from packhound.core.types import Query
from packhound.pack.request import Pack, PackRequest
from packhound.service.engine import Engine

log = logging.getLogger("packhound")

_SOCKET, _ADDRESS = "server.sock", "server.json"
_MAX_PATH = 100
"""Longer paths do not fit into a socket address."""
_MAX_FRAME = 4_000_000
_MOST_OPEN = 64
"""Each takes a thread and a file handle; people run a handful of agents."""
_BACKLOG = 128
_AFTER_FAULT_S = 0.5
_TIMEOUT_S = 120.0
_CONNECT_S = 0.5

_RESULTS, _PACKED, _FORGET = "results", "packed", "forget"
"""Not tools of agents: the command line's own requests, answered in full."""

Address: TypeAlias = str | tuple[str, int]


class SocketServer:
    """Answers for one engine until it is closed; each connection has its own thread."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine = engine
        self._folder = folder
        self._token = secrets.token_hex(32)
        self._described = ""
        self._listener = self._listen()
        self._closed = threading.Event()
        self._open: set[socket.socket] = set()
        self._thread = threading.Thread(target=self._accept, name="packhound-socket", daemon=True)
        self._thread.start()

    @property
    def reachable(self) -> bool:
        """Whether others find this server; not so once the cache folder was deleted."""
        try:
            return read_private(self._folder / _ADDRESS) == self._described.encode()
        except StoreError:
            return False

    def close(self) -> None:
        """Stop answering and remove the socket."""
        if self._closed.is_set():
            return
        self._closed.set()
        for ours in (self._listener, *self._open):
            # A thread that waits for a socket is not woken when it is closed.
            with contextlib.suppress(OSError):
                ours.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        if self.reachable:
            for name in (_ADDRESS, _SOCKET):
                (self._folder / name).unlink(missing_ok=True)

    def _listen(self) -> socket.socket:
        """Bind, then tell where; the address file comes last, so what it names is there."""
        make_private_folder(self._folder)
        path = self._folder / _SOCKET
        address: Address
        if hasattr(socket, "AF_UNIX") and len(os.fsencode(path)) <= _MAX_PATH:
            path.unlink(missing_ok=True)
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(str(path))
            path.chmod(0o600)
            address = str(path)
        else:
            listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            listener.bind(("127.0.0.1", 0))
            address = listener.getsockname()
        listener.listen(_BACKLOG)
        described = {"address": address, "token": self._token, "pid": os.getpid()}
        self._described = json.dumps(described)
        write_private_atomic(self._folder / _ADDRESS, self._described.encode())
        return listener

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError as error:
                # Not a reason to be deaf for ever: there are no file handles left, for now.
                if not self._closed.wait(_AFTER_FAULT_S):
                    log.warning("another process could not be answered: %s", error)
            else:
                self._begin(connection)

    def _begin(self, connection: socket.socket) -> None:
        """Give a connection its thread, if there is one left."""
        self._open.add(connection)
        name = "packhound-connection"
        thread = threading.Thread(target=self._serve, args=(connection,), name=name, daemon=True)
        try:
            if len(self._open) > _MOST_OPEN or self._closed.is_set():
                raise RuntimeError(f"more than {_MOST_OPEN} connections are open")
            thread.start()
        except RuntimeError as error:
            log.warning("another process is not answered: %s", error)
            self._open.discard(connection)
            connection.close()

    def _serve(self, connection: socket.socket) -> None:
        # Whoever asks may hang up at any moment, before the answer too.
        try:
            with contextlib.suppress(OSError), connection, connection.makefile("rwb") as stream:
                while line := stream.readline(_MAX_FRAME):
                    stream.write(json.dumps(self._answer(line)).encode() + b"\n")
                    stream.flush()
        finally:
            self._open.discard(connection)

    def _answer(self, line: bytes) -> Json:
        try:
            asked = json.loads(line)
            token, tool, arguments = asked["token"], asked["tool"], asked["arguments"]
            if not secrets.compare_digest(str(token), self._token):
                return {"error": "not allowed"}
            return {"result": self._run(str(tool), dict(arguments))}
        except PackhoundError as problem:
            return {"error": str(problem)}
        except (ValueError, KeyError, TypeError, RecursionError) as problem:
            return {"error": f"not a request: {type(problem).__name__}"}

    def _run(self, tool: str, arguments: dict[str, Any]) -> Json:
        if tool == _RESULTS:
            return results_json(self._engine.search(query_of(arguments)))
        if tool == _PACKED:
            return pack_json(self._engine.pack(request_of(arguments)))
        if tool == _FORGET:
            self._engine.forget()
            return {}
        return call(self._engine, tool, arguments)


class Connection:
    """The client's end."""

    def __init__(self, address: Address, token: str) -> None:
        self._token = token
        self._lock = threading.Lock()
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.settimeout(_CONNECT_S)
        try:
            self._socket.connect(address)
        except OSError:
            self._socket.close()
            raise
        self._socket.settimeout(_TIMEOUT_S)
        self._stream = self._socket.makefile("rwb")

    def call(self, tool: str, arguments: Mapping[str, object]) -> Json:
        """Run a tool there.

        Raises:
            SettingsError: the tool refused its arguments.
            StoreError: the server is gone.
        """
        asked = {"token": self._token, "tool": tool, "arguments": dict(arguments)}
        with self._lock:
            try:
                self._stream.write(json.dumps(asked).encode() + b"\n")
                self._stream.flush()
                answer: dict[str, Any] = json.loads(self._stream.readline() or b"null") or {}
            except (OSError, ValueError) as problem:
                raise StoreError(f"the language server is gone: {problem}") from None
        if "result" not in answer and "error" not in answer:
            raise StoreError("the language server is gone")
        if "error" in answer:
            raise SettingsError(str(answer["error"]))
        result: Json = answer["result"]
        return result

    def search(self, query: Query) -> Json:
        """The results object of a query, over what the editors show. Raises as `call` does."""
        return self.call(_RESULTS, query_json(query))

    def pack(self, request: PackRequest) -> Pack:
        """A pack of what the editors show. Raises as `call` does."""
        return pack_of(self.call(_PACKED, request_json(request)))

    def forget(self) -> None:
        """Forget what the user opened, edited and picked. Raises as `call` does."""
        self.call(_FORGET, {})

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self._stream.close()
        self._socket.close()


def serve_socket(engine: Engine) -> SocketServer | None:
    """Answer other processes for a folder; None where the cache folder cannot hold a socket."""
    try:
        return SocketServer(engine, engine.folder)
    except (OSError, StoreError) as problem:
        log.info("no local socket for %s: %s", engine.root, problem)
        return None


def connect(folder: Path) -> Connection | None:
    """A connection to the server whose index folder this is; None if there is none running."""
    try:
        said = json.loads(read_private(folder / _ADDRESS) or b"null")
        address = said["address"]
        place: Address = address if isinstance(address, str) else (str(address[0]), int(address[1]))
        if isinstance(place, tuple) and place[0] != "127.0.0.1":
            return None
        return Connection(place, str(said["token"]))
    except (OSError, StoreError, ValueError, LookupError, TypeError):
        return None
