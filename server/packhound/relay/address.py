"""The address file of the daemon: how other processes of its user reach it.

It lies in the user's cache folder, which only its owner may enter, and names the version of the
daemon: a relay of a newer one has it ended and starts its own, one of an older one joins it. So
whatever the arguments of a session come to have is optional. Where there are no Unix sockets
(Windows) or their path would be too long the file names a loopback port.
"""

from __future__ import annotations

import json
import os
import re
import socket
from pathlib import Path

from packhound import __version__
from packhound.core.errors import StoreError
from packhound.core.private_file import make_private_folder, read_private, write_private_atomic

Address = str | tuple[str, int]
"""Path of a Unix socket, or loopback host and port."""

ENGINE = "engine"
"""Name of the daemon's files in the cache folder of the user, and of the command that runs it."""

_MAX_PATH = 100
"""Longer paths do not fit into a socket address."""
_LOOPBACK = "127.0.0.1"


class ServerAddress:
    """Address and version of the daemon, and the token that every session must begin with."""

    def __init__(self, address: Address, token: str, pid: int, version: str = __version__) -> None:
        self.address, self.token, self.pid, self.version = address, token, pid, version

    @property
    def family(self) -> socket.AddressFamily:
        """The family of its socket."""
        return socket.AF_UNIX if isinstance(self.address, str) else socket.AF_INET

    @property
    def is_older(self) -> bool:
        """True if this process has a newer version; pre-releases of one version are equal."""
        return _order(self.version) < _order(__version__)


def address_file(folder: Path, suffix: str = "json") -> Path:
    """Return the path of the address, socket or lock of the daemon."""
    return folder / f"{ENGINE}.{suffix}"


def read_address(folder: Path) -> ServerAddress | None:
    """Return the address in a folder; None if there is none of this user on this machine."""
    try:
        stored = json.loads(read_private(address_file(folder)) or b"null")
        address = stored["address"]
        if not isinstance(address, str):
            address = str(address[0]), int(address[1])
            if address[0] != _LOOPBACK:
                return None
        pid, version = int(stored.get("pid", 0)), str(stored["version"])
        return ServerAddress(address, str(stored["token"]), pid, version)
    except (StoreError, ValueError, LookupError, TypeError, AttributeError):
        return None


def write_address(folder: Path, address: ServerAddress) -> None:
    """Make a daemon reachable. Raises OSError."""
    write_private_atomic(address_file(folder), json.dumps(vars(address)).encode())


def remove_address(folder: Path) -> None:
    """Make a daemon unreachable again. Raises OSError."""
    for suffix in ("json", "sock"):
        address_file(folder, suffix).unlink(missing_ok=True)


def bind_listener(folder: Path) -> tuple[socket.socket, Address]:
    """Return a bound socket in a folder, which is created. Raises OSError or StoreError."""
    make_private_folder(folder)
    path = address_file(folder, "sock")
    if hasattr(socket, "AF_UNIX") and len(os.fsencode(path)) <= _MAX_PATH:
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(path))
        path.chmod(0o600)
        return listener, str(path)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind((_LOOPBACK, 0))
    return listener, listener.getsockname()


def _order(version: str) -> tuple[tuple[int, ...], bool]:
    """Return what versions are compared by: numbers of a release, and if it is final."""
    numbers, rest = re.match(r"([0-9.]*)(.*)", version, re.DOTALL).groups()  # type: ignore[union-attr]
    release = tuple(int(number) for number in numbers.split(".") if number)
    return release, not re.search("a|b|rc|dev", rest)
