"""The address file of a serving process: how other processes of its user reach it.

It lies in a folder of the user's cache, which only its owner may enter, and bears the version of
Packhound, so that another version never reads it. Where there are no Unix sockets (Windows) or
their path would be too long it names a loopback port.
"""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

from packhound import __version__
from packhound.core.errors import StoreError
from packhound.core.private_file import make_private_folder, read_private, write_private_atomic

Address = str | tuple[str, int]
"""Path of a Unix socket, or loopback host and port."""

SERVER = "server"
"""Name of the address of the process that serves a folder, in the folder's cache."""

_MAX_PATH = 100
"""Longer paths do not fit into a socket address."""
_LOOPBACK = "127.0.0.1"


class ServerAddress:
    """Address of a server, and the token that every request must carry."""

    def __init__(self, address: Address, token: str, pid: int) -> None:
        self.address, self.token, self.pid = address, token, pid

    @property
    def family(self) -> socket.AddressFamily:
        """The family of its socket."""
        return socket.AF_UNIX if isinstance(self.address, str) else socket.AF_INET


def address_file(folder: Path, name: str = SERVER, suffix: str = "json") -> Path:
    """Return the path of the address, socket or lock of a server of this version."""
    return folder / f"{name}-{__version__}.{suffix}"


def read_address(folder: Path, name: str = SERVER) -> ServerAddress | None:
    """Return an address in a folder; None if there is none of this user on this machine."""
    try:
        stored = json.loads(read_private(address_file(folder, name)) or b"null")
        address = stored["address"]
        if not isinstance(address, str):
            address = str(address[0]), int(address[1])
            if address[0] != _LOOPBACK:
                return None
        return ServerAddress(address, str(stored["token"]), int(stored.get("pid", 0)))
    except (StoreError, ValueError, LookupError, TypeError, AttributeError):
        return None


def write_address(folder: Path, address: ServerAddress, name: str = SERVER) -> None:
    """Make a server reachable. Raises OSError."""
    write_private_atomic(address_file(folder, name), json.dumps(vars(address)).encode())


def remove_address(folder: Path, name: str = SERVER) -> None:
    """Make a server unreachable again. Raises OSError."""
    for suffix in ("json", "sock"):
        address_file(folder, name, suffix).unlink(missing_ok=True)


def bind_listener(folder: Path, name: str = SERVER) -> tuple[socket.socket, Address]:
    """Return a bound socket in a folder, which is created. Raises OSError or StoreError."""
    make_private_folder(folder)
    path = address_file(folder, name, "sock")
    if hasattr(socket, "AF_UNIX") and len(os.fsencode(path)) <= _MAX_PATH:
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(path))
        path.chmod(0o600)
        return listener, str(path)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind((_LOOPBACK, 0))
    return listener, listener.getsockname()
