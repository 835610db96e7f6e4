"""The background engine: one process per user, which relays start on demand.

Whoever finds none takes a lock, looks again, starts it and waits until it listens. It holds a lock
of its own, so a second one ends at once. One of an older version is asked to end; the relays of its
sessions, which wait for the lock meanwhile, go on with the next.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from packhound.core.errors import PackhoundError, StoreError
from packhound.core.file_lock import FileLock
from packhound.core.private_file import make_private_folder
from packhound.relay.address import ENGINE, ServerAddress, read_address
from packhound.relay.connection import Connection
from packhound.relay.liveness import end_if_hung

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    import subprocess

RETIRE = "retire"
"""Name of the session that ends an engine, in favour of one of a newer version."""

RESUMED = "resumed"
"""Argument of a session that has begun with an engine which has ended."""

MCP_RELAY = Path(__file__).with_name("mcp.py")
"""Script to run without `site`; its arguments are cache folder, session and command as JSON."""

_START_S = 10.0
"""Time that the process may take to listen; two seconds is usual on a busy machine."""
_NOT_STARTED = f"the background engine did not start within {_START_S:.0f} s"
_POLL_S = 0.01
_ATTEMPTS = 4
"""The engine may end between two steps of connecting to it."""


class EngineSessions:
    """Sessions with the background engine of this user, which is started if there is none."""

    def __init__(self, cache: Path, name: str, arguments: Mapping[str, object]) -> None:
        """`name` is that of the protocol; `arguments` are those that each session begins with."""
        self._cache, self._name, self._arguments = cache, name, arguments
        self._server: ServerAddress | None = None

    def begin(self) -> socket.socket:
        """Begin a session, and return its socket.

        Raises StoreError where no process or no socket can be had, SettingsError where it refuses.
        """
        for attempt in range(_ATTEMPTS):
            connection = _connect_engine(self._cache)
            try:
                arguments = {**self._arguments, RESUMED: self._server is not None}
                session = connection.begin_session(self._name, arguments)
            except StoreError:
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                self._server = connection.server
                return session
        raise AssertionError("the last attempt returns or raises")

    def end_if_hung(self) -> bool:
        """End the engine of the last session if it gives no sign of life; True if it gives none."""
        return bool(self._server and end_if_hung(self._cache, self._server))


def _connect_engine(cache: Path) -> Connection:
    make_private_folder(cache)
    lock = FileLock(cache / "start.lock")
    deadline = time.monotonic() + _START_S
    try:
        while time.monotonic() < deadline:
            if connection := _try_connect(cache):
                return connection
            if lock.acquire():
                # Another process may have started it between the two.
                return _try_connect(cache) or _start(cache, deadline)
            time.sleep(_POLL_S)
    finally:
        lock.release()
    raise StoreError(_NOT_STARTED)


def command_line() -> list[str]:
    """Return the start of a command of Packhound that imports nothing from the current folder."""
    code = "import sys; sys.path[:] = filter(None, sys.path); from packhound.cli import run; run()"
    return [sys.executable, "-c", code]


def _try_connect(cache: Path) -> Connection | None:
    """Connect to the engine, if it is as new as this process."""
    address = read_address(cache)
    if address is None or address.is_older:
        return None
    with suppress(StoreError):
        return Connection.open(cache)
    return None


def _retire_older(cache: Path) -> None:
    """Ask an engine to end that cannot be used since it is older; it saves its folders first."""
    with suppress(PackhoundError):
        if connection := Connection.open(cache):
            if connection.server.is_older:
                connection.begin_session(RETIRE, {}).close()
            connection.close()


def _start(cache: Path, deadline: float) -> Connection:
    """Start the engine and connect to it; one that does not listen in time is ended."""
    _retire_older(cache)
    while time.monotonic() < deadline:
        process = _spawn(cache)
        while (code := process.poll()) is None and time.monotonic() < deadline:
            if connection := _try_connect(cache):
                return connection
            time.sleep(_POLL_S)
        if code is None:
            process.kill()
            process.wait()
        elif code:
            raise StoreError(f"the background engine ended with exit code {code}; see engine.log")
        # Another one has its lock: it was killed a moment ago and has not quite ended.
        time.sleep(_POLL_S)
    raise StoreError(_NOT_STARTED)


def _spawn(cache: Path) -> subprocess.Popen[bytes]:
    """Start the process, detached from this one."""
    import subprocess

    environment = {**os.environ, "PACKHOUND_CACHE_DIR": str(cache.absolute())}
    # It runs in another folder, from which a relative path leads elsewhere.
    paths = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    environment["PYTHONPATH"] = os.pathsep.join(str(Path(path).absolute()) for path in paths)
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    try:
        return subprocess.Popen(
            [*command_line(), ENGINE],
            cwd=cache,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=flags,
        )
    except OSError as problem:
        raise StoreError(f"the background engine cannot be started: {problem}") from None
