"""The command line's connection to the daemon."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from packhound.core.errors import StoreError
from packhound.core.user_folders import cache_folder
from packhound.relay import ENGINE, relaying_editors
from packhound.relay import Connection as AnyConnection

_SERVED = "daemon/served"
_TAKEOVER_S = 5.0
"""Time for an editor whose daemon has ended to start the next one."""
_POLL_S = 0.02


class Connection:
    """The daemon, asked about some folders; its answers are made from unsaved text too."""

    def __init__(self, connection: AnyConnection, roots: Sequence[Path]) -> None:
        self._connection, self._roots = connection, [str(root) for root in roots]

    @property
    def serves_any(self) -> bool:
        """True if one of the folders is open. Raises as `answer` does."""
        return bool(self._call(_SERVED, {})["roots"])

    def answer(self, name: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        """Return the answer of an operation.

        Raises:
            SettingsError: the operation refused its arguments.
            StoreError: the daemon did not accept the request in time, refused it or has ended.
            PackhoundError: it has ended, and may have written what must not be written twice.
        """
        return self._call(name, arguments)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _call(self, name: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        return self._connection.call(name, {"roots": self._roots, "arguments": dict(arguments)})


def connect(roots: Sequence[Path]) -> Connection | None:
    """Return a connection to the daemon if it has one of some folders open, else None.

    Where an editor relays to a daemon that was killed, or ended here since it gave no sign of life,
    the next one is waited for. Raises StoreError if one is running and does not answer.
    """
    cache, problem = cache_folder(), None
    deadline = time.monotonic() + _TAKEOVER_S
    while True:
        try:
            if found := AnyConnection.open(cache, ENGINE):
                connection = Connection(found, roots)
                if connection.serves_any:
                    return connection
                connection.close()
                return None
        except StoreError as error:
            problem, deadline = error, time.monotonic() + _TAKEOVER_S
        if not relaying_editors(cache) or time.monotonic() > deadline:
            break
        time.sleep(_POLL_S)
    if problem:
        raise problem
    return None
