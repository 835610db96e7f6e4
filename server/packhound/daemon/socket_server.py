"""A local socket on which other processes of this user begin sessions.

So the command line, agents and editors see the same text. `relay` has the client's end and the
address file.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from packhound import relay
from packhound.core.errors import PackhoundError, SettingsError
from packhound.core.log import log
from packhound.core.types import Json


class Session(Protocol):
    """Serves a client on its socket until it ends."""

    def __call__(self, connection: socket.socket, /, arguments: Mapping[str, Any]) -> None:
        """Serve a session that began with these arguments."""


_MAX_LINE_BYTES = 1_000_000
_MAX_CONNECTIONS = 64
"""Each takes a thread and a file handle; people run a handful of agents."""
_BACKLOG = 128
_ACCEPT_BACKOFF_S = 0.1
"""Below the time that a client waits for its request to be accepted."""


class SocketServer:
    """Serves sessions until it is closed; each connection has its thread."""

    def __init__(self, folder: Path, sessions: Mapping[str, Session]) -> None:
        """Listen, and write the address into `folder`. Raises OSError or StoreError."""
        self._folder, self._sessions = folder, sessions
        self._listener, address = relay.bind_listener(folder)
        self._listener.listen(_BACKLOG)
        self._address = relay.ServerAddress(address, secrets.token_hex(32), os.getpid())
        # The file comes last, so that what it names is there.
        relay.write_address(folder, self._address)
        self._closed = threading.Event()
        self._connections: set[socket.socket] = set()
        # Those that have begun no session, the oldest first.
        self._waiting: dict[socket.socket, None] = {}
        self._thread = threading.Thread(target=self._accept, name="packhound-socket", daemon=True)
        self._thread.start()

    @property
    def reachable(self) -> bool:
        """Return True if the address file names this server; False once the cache was deleted.

        Where there is no handle to read it, its being there has to do.
        """
        stored = relay.read_address(self._folder)
        if stored is None:
            return relay.address_file(self._folder).exists()
        return stored.token == self._address.token

    @property
    def n_connections(self) -> int:
        """Number of open connections."""
        return len(self._connections)

    def close(self) -> None:
        """Stop answering and remove the socket."""
        if self._closed.is_set():
            return
        self._closed.set()
        if self.reachable:
            relay.remove_address(self._folder)
        for open_socket in (self._listener, *self._connections):
            # Closing a socket does not wake a thread that waits for it.
            with contextlib.suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        spare: list[socket.socket] = [socket.socket()]
        while not self._closed.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError as error:
                if not self._closed.is_set() and not self._refuse(spare):
                    # Such as no file handles left, for now.
                    log.warning("a connection from another process failed: %s", error)
                    self._closed.wait(_ACCEPT_BACKOFF_S)
            else:
                self._start(connection)
        for handle in spare:
            handle.close()

    def _refuse(self, spare: list[socket.socket]) -> bool:
        """Close the next connection, by means of a spare handle; return True if that was possible.

        Who gets no sign of life takes this process for one that hangs.
        """
        for handle in spare:
            handle.close()
        spare.clear()
        with contextlib.suppress(OSError):
            self._listener.accept()[0].close()
            spare.append(socket.socket())
        return bool(spare)

    def _start(self, connection: socket.socket) -> None:
        """Serve a connection in a thread of its own, up to `_MAX_CONNECTIONS`.

        Beyond them it takes the place of the oldest one that has asked for nothing yet.
        """
        if len(self._connections) >= _MAX_CONNECTIONS and (waiting := [*self._waiting]):
            self._end(waiting[0])
        self._connections.add(connection)
        self._waiting[connection] = None
        name = "packhound-connection"
        thread = threading.Thread(target=self._serve, args=(connection,), name=name, daemon=True)
        try:
            if len(self._connections) > _MAX_CONNECTIONS or self._closed.is_set():
                raise RuntimeError(f"more than {_MAX_CONNECTIONS} connections are open")
            thread.start()
        except RuntimeError as error:
            log.warning("a connection from another process is refused: %s", error)
            self._forget(connection)
            connection.close()

    def _end(self, connection: socket.socket) -> None:
        """End a connection whose thread waits for its first line."""
        self._forget(connection)
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    def _forget(self, connection: socket.socket) -> None:
        self._connections.discard(connection)
        self._waiting.pop(connection, None)

    def _serve(self, connection: socket.socket) -> None:
        # A client may hang up at any moment, before the answer too.
        try:
            with contextlib.suppress(OSError), connection:
                for line in _lines(connection):
                    begin, answer = self._respond(line)
                    connection.sendall(json.dumps(answer).encode() + b"\n")
                    if begin:
                        self._waiting.pop(connection, None)
                        begin(connection)
                        return
        finally:
            self._forget(connection)

    def _respond(self, line: bytes) -> tuple[Callable[[socket.socket], None] | None, Json]:
        """Return the session that a line begins, if it does, and the answer to it."""
        try:
            request = json.loads(line)
            token, arguments = request["token"], dict(request["arguments"])
            if not secrets.compare_digest(str(token), self._address.token):
                return None, dict(relay.NOT_ALLOWED)
            session = self._session(str(request["session"]))
        except PackhoundError as problem:
            return None, {"error": str(problem)}
        except (ValueError, KeyError, TypeError, RecursionError) as problem:
            return None, {"error": f"not a request: {type(problem).__name__}"}
        return partial(session, arguments=arguments), {relay.ACCEPTED: True}

    def _session(self, name: str) -> Session:
        if name not in self._sessions:
            raise SettingsError(
                f"no session of {name!r:.40} here; expected one of: {', '.join(self._sessions)}"
            )
        return self._sessions[name]


def _lines(connection: socket.socket) -> Iterator[bytes]:
    """Yield lines byte by byte: what follows the one that begins a session is the session's."""
    line = bytearray()
    while len(line) < _MAX_LINE_BYTES and (octet := connection.recv(1)):
        line += octet
        if octet == b"\n":
            yield bytes(line)
            line.clear()
