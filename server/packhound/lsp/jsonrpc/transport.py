"""Byte streams of the protocol: standard input and output, or one TCP client."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address

from packhound.core.errors import SettingsError

CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Stream:
    """`read` returns the next bytes, b"" at the end; `write` writes all or raises OSError."""

    read: Callable[[], bytes]
    write: Callable[[bytes], None]


def take_stdio() -> Stream:
    """Reserve standard input and output for the protocol.

    Prints go to standard error from then on, and child processes inherit neither pipe.
    """
    input_fd, output_fd = os.dup(0), os.dup(1)
    null_fd = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_fd, 0)
    os.close(null_fd)
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (input_fd, output_fd):
            msvcrt.setmode(descriptor, os.O_BINARY)

    def read() -> bytes:
        try:
            return os.read(input_fd, CHUNK)
        except OSError:
            return b""

    def write(frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:
            rest = rest[os.write(output_fd, rest) :]

    return Stream(read, write)


def accept_one(host: str, port: int) -> Stream:
    """Accept the first client; port 0 picks a free one. The address is printed to stderr."""
    with socket.create_server(_loopback(host, port)) as listening:
        address = listening.getsockname()
        sys.stderr.write(f"packhound: listening on {address[0]}:{address[1]}\n")
        sys.stderr.flush()
        client, _ = listening.accept()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read() -> bytes:
        try:
            return client.recv(CHUNK)
        except OSError:
            return b""

    return Stream(read, client.sendall)


def _loopback(host: str, port: int) -> tuple[str, int]:
    name = "127.0.0.1" if host == "localhost" else host
    try:
        if ip_address(name).is_loopback and 0 <= port < 65_536:
            return name, port
    except ValueError:
        pass
    raise SettingsError(
        f"address '{host}:{port}' is not on this machine alone; expected one of: 127.0.0.1,"
        " localhost, with a port between 0 and 65535"
    )
