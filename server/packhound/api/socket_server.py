"""A running language server answers other processes of its user on a local socket.

So the command line and MCP see the text of open editors. `socket_address` says where it listens.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packhound.api.json_codec import Json, query_of, results_json, settings_json
from packhound.api.pack_codec import pack_json
from packhound.api.schema import pack_request_from
from packhound.api.socket_address import (
    ACCEPTED,
    CONFIG,
    FORGET,
    PACK,
    RESULTS,
    ServerAddress,
    bind_listener,
    read_address,
    remove_address,
    write_address,
)
from packhound.api.tools.registry import call
from packhound.core.errors import PackhoundError, StoreError
from packhound.service import Engine

log = logging.getLogger("packhound")

_MAX_FRAME_BYTES = 4_000_000
_MAX_CONNECTIONS = 64
"""Each takes a thread and a file handle; people run a handful of agents."""
_BACKLOG = 128
_ACCEPT_BACKOFF_S = 0.1
"""Below the time that a client waits for its request to be accepted."""


class SocketServer:
    """Answers for one engine until it is closed; each connection has its own thread."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine = engine
        self._folder = folder
        self._listener, address = bind_listener(folder)
        self._listener.listen(_BACKLOG)
        self._address = ServerAddress(address, secrets.token_hex(32), os.getpid())
        # The file comes last, so that what it names is there.
        write_address(folder, self._address)
        self._closed = threading.Event()
        self._connections: set[socket.socket] = set()
        self._thread = threading.Thread(target=self._accept, name="packhound-socket", daemon=True)
        self._thread.start()

    @property
    def reachable(self) -> bool:
        """Return True if the address file names this server; False once the cache was deleted."""
        return read_address(self._folder) == self._address

    def close(self) -> None:
        """Stop answering and remove the socket."""
        if self._closed.is_set():
            return
        self._closed.set()
        for open_socket in (self._listener, *self._connections):
            # Closing a socket does not wake a thread that waits for it.
            with contextlib.suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        if self.reachable:
            remove_address(self._folder)

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError as error:
                # Such as no file handles left, for now.
                if not self._closed.wait(_ACCEPT_BACKOFF_S):
                    log.warning("a connection from another process failed: %s", error)
            else:
                self._start(connection)

    def _start(self, connection: socket.socket) -> None:
        """Serve a connection in a thread of its own, up to `_MAX_CONNECTIONS`."""
        self._connections.add(connection)
        name = "packhound-connection"
        thread = threading.Thread(target=self._serve, args=(connection,), name=name, daemon=True)
        try:
            if len(self._connections) > _MAX_CONNECTIONS or self._closed.is_set():
                raise RuntimeError(f"more than {_MAX_CONNECTIONS} connections are open")
            thread.start()
        except RuntimeError as error:
            log.warning("a connection from another process is refused: %s", error)
            self._connections.discard(connection)
            connection.close()

    def _serve(self, connection: socket.socket) -> None:
        # A client may hang up at any moment, before the answer too.
        try:
            with contextlib.suppress(OSError), connection, connection.makefile("rwb") as stream:
                while line := stream.readline(_MAX_FRAME_BYTES):
                    for frame in self._answer(line):
                        stream.write(json.dumps(frame).encode() + b"\n")
                        stream.flush()
        finally:
            self._connections.discard(connection)

    def _answer(self, line: bytes) -> Iterator[Json]:
        """Yield the frames that answer a request: its acceptance at once, then its result."""
        try:
            request = json.loads(line)
            token, tool, arguments = request["token"], request["tool"], request["arguments"]
            if not secrets.compare_digest(str(token), self._address.token):
                yield {"error": "not allowed"}
                return
            yield {ACCEPTED: True}
            yield {"result": self._run(str(tool), dict(arguments))}
        except PackhoundError as problem:
            yield {"error": str(problem)}
        except (ValueError, KeyError, TypeError, RecursionError) as problem:
            yield {"error": f"not a request: {type(problem).__name__}"}

    def _run(self, tool: str, arguments: dict[str, Any]) -> Json:
        if tool == RESULTS:
            return results_json(self._engine.search(query_of(arguments)))
        if tool == PACK:
            return pack_json(self._engine.pack(pack_request_from(arguments)))
        if tool == CONFIG:
            return settings_json(self._engine.follow_settings())
        if tool == FORGET:
            self._engine.forget()
            return {}
        return call(self._engine, tool, arguments)


def serve_socket(engine: Engine) -> SocketServer | None:
    """Start answering other processes for a folder; None if no socket can be bound."""
    try:
        return SocketServer(engine, engine.folder)
    except (OSError, StoreError) as problem:
        log.info("no local socket for %s: %s", engine.root, problem)
        return None
