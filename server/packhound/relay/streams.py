"""Streams of bytes: standard input and output, and sockets. `dialect` has their protocol class."""

from __future__ import annotations

import os
import socket
from contextlib import suppress

_CHUNK = 1 << 16


class Stdio:
    """Two file descriptors of this process."""

    def __init__(self, input_fd: int = 0, output_fd: int = 1) -> None:
        self._input, self._output = input_fd, output_fd

    def read(self) -> bytes:
        """Return the next bytes, b"" at the end."""
        try:
            return os.read(self._input, _CHUNK)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        """Write all. Raises OSError."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._output, rest) :]

    def hang_up(self) -> None:
        """End the process: whoever started it reads no more, or gets nothing more."""
        os._exit(1)


class SocketStream:
    """A connected socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def read(self) -> bytes:
        """Return the next bytes, b"" at the end."""
        try:
            return self._connection.recv(_CHUNK)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        """Write all. Raises OSError."""
        self._connection.sendall(data)

    def hang_up(self) -> None:
        """End the connection; a thread that reads from it sees that."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
