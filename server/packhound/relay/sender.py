"""The sending half of a relay's connection to a server."""

from __future__ import annotations

import socket
import threading
from collections import deque
from contextlib import suppress

_MAX_WAITING_BYTES = 16_000_000


class Sender:
    """Sends to a server in a thread of its own, since it may answer before it reads all."""

    def __init__(self, server: socket.socket) -> None:
        self._server = server
        self._wires = deque[bytes]()
        self.n_bytes = 0
        """What waits to be sent."""
        self._ended = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def send(self, wire: bytes) -> None:
        """Send a message soon; never blocks."""
        with self._changed:
            self._wires.append(wire)
            self.n_bytes += len(wire)
            self._changed.notify_all()

    def wait_for_room(self) -> None:
        """Wait until the server has read most; not for the thread that reads from it."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self.n_bytes < _MAX_WAITING_BYTES)

    def end(self) -> None:
        """Send no more; the server may still answer."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def close(self) -> None:
        """Close the socket."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self.end()
        self._thread.join()
        self._server.close()

    def _run(self) -> None:
        with suppress(OSError):  # Who reads from the server sees its end as well.
            while wire := self._next():
                self._server.sendall(wire)
                with self._changed:
                    self.n_bytes -= len(wire)
                    self._changed.notify_all()
            self._server.shutdown(socket.SHUT_WR)
        self.end()

    def _next(self) -> bytes:
        """Return the next message, empty after the last one."""
        with self._changed:
            self._changed.wait_for(lambda: self._wires or self._ended)
            return self._wires.popleft() if self._wires else b""
