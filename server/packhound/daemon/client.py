"""The command line's connection to the daemon."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from packhound import __version__, relay
from packhound.core.errors import PackhoundError, SettingsError, StoreError
from packhound.core.user_folders import cache_folder
from packhound.relay import Connection as AnyConnection
from packhound.rpc import LINES, RpcError, Service, Session

SESSION = "folders"
"""Name of the command line's sessions on the daemon's socket; their argument is `roots`."""
SERVED = "served"
"""Request for which of the folders are open."""
PROGRESS = "progress"
"""Notification of what a long operation knows before its answer."""
_ANSWER_S = 120.0
_TAKEOVER_S = 5.0
"""Time for an editor whose daemon has ended to start the next one."""
_POLL_S = 0.02


class Connection:
    """The daemon, asked about some folders; its answers are made from unsaved text too."""

    def __init__(self, connection: AnyConnection, roots: Sequence[Path], listener: Service) -> None:
        """Begin a session, with what takes its notifications of progress. Raises StoreError."""
        self._connection = connection
        session = connection.begin_session(SESSION, {"roots": [str(root) for root in roots]})
        self._rpc = Session(LINES, relay.SocketStream(session), listener)
        threading.Thread(target=self._rpc.run, daemon=True).start()

    @property
    def serves_any(self) -> bool:
        """True if one of the folders is open. Raises as `answer` does."""
        return bool(self.answer(SERVED, {})["roots"])

    def answer(self, name: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        """Return the answer of an operation.

        Raises:
            SettingsError: the operation refused its arguments.
            StoreError: the daemon gives no sign of life, does not answer in time or has ended.
            PackhoundError: it has ended, and may have written what must not be written twice.
        """
        response = self._rpc.request(name, dict(arguments))
        deadline = time.monotonic() + _ANSWER_S
        try:
            while True:
                try:
                    result: dict[str, Any] = response.result(relay.SILENCE_S)
                    return result
                except FutureTimeout:
                    self._connection.require_life()
                    # What may not be asked twice is waited for as long as the process lives.
                    if name not in relay.WRITING and time.monotonic() > deadline:
                        problem = f"the engine has not answered within {_ANSWER_S:.0f} s"
                        raise StoreError(problem) from None
        except RpcError as refusal:
            raise SettingsError(str(refusal)) from None
        except StoreError:
            if name in relay.WRITING:
                raise PackhoundError(relay.UNKNOWN_OUTCOME) from None
            raise

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def connect(roots: Sequence[Path], listener: Service | None = None) -> Connection | None:
    """Return a connection to the daemon if it has one of some folders open, else None.

    Where an editor relays to a daemon that was killed, or ended here since it gave no sign of life,
    the next one is waited for. Raises StoreError if one is running and does not answer, or is of
    another version, whose answers may have other fields.
    """
    cache, problem = cache_folder(), None
    deadline = time.monotonic() + _TAKEOVER_S
    while True:
        try:
            if found := AnyConnection.open(cache):
                with ExitStack() as opened:
                    connection = opened.enter_context(
                        closing(Connection(found, roots, listener or Service()))
                    )
                    if not connection.serves_any:
                        return None
                    if found.server.version == __version__:
                        opened.pop_all()
                        return connection
                problem = StoreError(
                    f"the engine of this folder is Packhound {found.server.version}"
                )
                break
        except StoreError as error:
            if problem is None:
                problem, deadline = error, time.monotonic() + _TAKEOVER_S
        if not relay.relaying_editors(cache) or time.monotonic() > deadline:
            break
        time.sleep(_POLL_S)
    if problem:
        raise problem
    return None
