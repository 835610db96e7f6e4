"""The sending half of a relay's connection to a server."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from queue import SimpleQueue


class Sender:
    """Sends to a server in a thread of its own, since it may answer before it reads all."""

    def __init__(self, server: socket.socket) -> None:
        self._server = server
        self._wires = SimpleQueue[bytes]()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def send(self, wire: bytes) -> None:
        """Send a message soon; never blocks."""
        self._wires.put(wire)

    def end(self) -> None:
        """Send no more; the server may still answer."""
        self._wires.put(b"")

    def close(self) -> None:
        """Close the socket."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self.end()
        self._thread.join()
        self._server.close()

    def _run(self) -> None:
        with suppress(OSError):  # Who reads from the server sees its end as well.
            while wire := self._wires.get():
                self._server.sendall(wire)
            self._server.shutdown(socket.SHUT_WR)
