"""Where the bytes of the protocol come from and go to."""

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
    """`read` returns the next bytes, nothing at the end; `write` writes all or raises OSError."""

    read: Callable[[], bytes]
    write: Callable[[bytes], None]


def take_stdio() -> Stream:
    """Standard input and output, for the protocol alone.

    Whoever prints from now on prints to standard error, and child processes inherit neither pipe.
    """
    received, sent = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (received, sent):
            msvcrt.setmode(descriptor, os.O_BINARY)

    def read() -> bytes:
        try:
            return os.read(received, CHUNK)
        except OSError:
            return b""

    def write(frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:
            rest = rest[os.write(sent, rest) :]

    return Stream(read, write)


def accept_one(host: str, port: int) -> Stream:
    """The first client that connects; port 0 takes a free one. The address goes to stderr."""
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
        f"address '{host}:{port}' is not on this machine alone; legal: 127.0.0.1, localhost,"
        " with a port from 0 to 65535"
    )
