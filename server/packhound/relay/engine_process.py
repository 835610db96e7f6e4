"""The background engine: one process per user and version, which relays start on demand.

Whoever finds none takes a lock, looks again, starts it and waits until it listens. It holds a lock
of its own, so a second one ends at once.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from packhound.core.errors import StoreError
from packhound.core.file_lock import FileLock
from packhound.core.private_file import make_private_folder
from packhound.relay.address import address_file
from packhound.relay.connection import Connection

ENGINE = "engine"
"""Name of its address in the cache folder of the user, and of the command that runs it."""

MCP_RELAY = Path(__file__).with_name("mcp.py")
"""Script to run without `site`; its arguments are cache folder, session and command as JSON."""

_START_S = 30.0
"""Time that the process may take to listen; two seconds is usual on a busy machine."""
_POLL_S = 0.01


def connect_engine(cache: Path) -> Connection:
    """Return a connection to the background engine of this user, started if there is none.

    Raises StoreError where no process or no socket can be had.
    """
    make_private_folder(cache)
    lock = FileLock(address_file(cache, "start", "lock"))
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
    raise StoreError(f"the background engine did not start within {_START_S:.0f} s")


def command_line() -> list[str]:
    """Return the start of a command of Packhound that imports nothing from the current folder."""
    code = (
        "import sys; sys.path[:] = filter(None, sys.path); from packhound.cli import main; main()"
    )
    return [sys.executable, "-c", code]


def _try_connect(cache: Path) -> Connection | None:
    with suppress(StoreError):
        return Connection.open(cache, ENGINE)
    return None


def _start(cache: Path, deadline: float) -> Connection:
    exit_code = _spawn(cache)
    while time.monotonic() < deadline:
        if connection := _try_connect(cache):
            return connection
        if (code := exit_code()) is not None:
            raise StoreError(f"the background engine ended with exit code {code}; see engine.log")
        time.sleep(_POLL_S)
    raise StoreError(f"the background engine did not listen within {_START_S:.0f} s")


def _spawn(cache: Path) -> Callable[[], int | None]:
    """Start the process, detached from this one; return a function for its exit code."""
    import subprocess

    environment = {**os.environ, "PACKHOUND_CACHE_DIR": str(cache.absolute())}
    # It runs in another folder, from which a relative path leads elsewhere.
    paths = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    environment["PYTHONPATH"] = os.pathsep.join(str(Path(path).absolute()) for path in paths)
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    try:
        process = subprocess.Popen(
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
    return process.poll
