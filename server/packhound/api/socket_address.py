"""The address file of a running language server: how other processes of its user reach it.

It lies in the index folder of the workspace, which only its owner may enter. Where there are no
Unix sockets (Windows) or their path would be too long it names a loopback port. Frames are one JSON
object a line: {"token", "tool", "arguments"} is answered by {"accepted": true} at once and by
{"result"} or {"error"} when the work is done, or by {"error"} alone.
"""

from __future__ import annotations

import json
import os
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from packhound.core.errors import StoreError
from packhound.core.private_file import make_private_folder, read_private, write_private_atomic

Address: TypeAlias = str | tuple[str, int]
"""Path of a Unix socket, or loopback host and port."""

# Requests of the command line, which are no tools of agents.
RESULTS, PACK, FORGET, CONFIG = "results", "packed", "forget", "config"

ACCEPTED = "accepted"

_SOCKET, _ADDRESS = "server.sock", "server.json"
_MAX_PATH = 100
"""Longer paths do not fit into a socket address."""
_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Address of a server, and the token that every request must carry."""

    address: Address
    token: str
    pid: int

    @property
    def family(self) -> socket.AddressFamily:
        """The family of its socket."""
        return socket.AF_UNIX if isinstance(self.address, str) else socket.AF_INET


def read_address(folder: Path) -> ServerAddress | None:
    """Return the address in an index folder; None if there is none of this user on this machine."""
    try:
        stored = json.loads(read_private(folder / _ADDRESS) or b"null")
        address = stored["address"]
        if not isinstance(address, str):
            address = str(address[0]), int(address[1])
            if address[0] != _LOOPBACK:
                return None
        return ServerAddress(address, str(stored["token"]), int(stored.get("pid", 0)))
    except (StoreError, ValueError, LookupError, TypeError, AttributeError):
        return None


def write_address(folder: Path, address: ServerAddress) -> None:
    """Make a server reachable. Raises OSError."""
    write_private_atomic(folder / _ADDRESS, json.dumps(asdict(address)).encode())


def remove_address(folder: Path) -> None:
    """Make a server unreachable again. Raises OSError."""
    for name in (_ADDRESS, _SOCKET):
        (folder / name).unlink(missing_ok=True)


def bind_listener(folder: Path) -> tuple[socket.socket, Address]:
    """Return a bound socket in an index folder, which is created. Raises OSError or StoreError."""
    make_private_folder(folder)
    path = folder / _SOCKET
    if hasattr(socket, "AF_UNIX") and len(os.fsencode(path)) <= _MAX_PATH:
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(path))
        path.chmod(0o600)
        return listener, str(path)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind((_LOOPBACK, 0))
    return listener, listener.getsockname()
