"""Typed requests to the process that serves a folder, for the command line and agents."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from packhound.api.json_codec import Json, query_json, results_of
from packhound.api.pack_codec import pack_of, pack_request_json
from packhound.api.schema import grep_request_json
from packhound.api.socket_requests import (
    CONFIG,
    EXPLAIN,
    FORGET,
    GREP,
    MEMORY,
    PACK,
    REBUILD,
    RELATED,
    SEARCH,
    STATUS,
)
from packhound.core.status import Drift, Rebuilt, SourceRow, Status
from packhound.core.types import Hit, Query, Results
from packhound.grep import GrepRequest
from packhound.pack import Pack, PackRequest
from packhound.relay import Connection as AnyConnection
from packhound.relay import relaying_editors

_TAKEOVER_S = 5.0
"""Time for a process that takes over a folder to listen."""
_POLL_S = 0.02


class Connection(AnyConnection):
    """Connection to the process that serves a folder; its answers are made from unsaved text too.

    Methods raise as `call` does.
    """

    def search(self, query: Query) -> Json:
        """Return the results object of a query."""
        return self.call(SEARCH, query_json(query))

    def pack(self, request: PackRequest) -> Pack:
        """Return a pack."""
        return pack_of(self.call(PACK, pack_request_json(request)))

    def explain(self, query: Query, path: str, line: int) -> Hit | None:
        """Return the node at a 0-based line, scored for a query; None if there is none."""
        answer = self.call(EXPLAIN, {**query_json(query), "path": path, "line": line})
        return next(iter(results_of(answer).hits), None)

    def related(self, path: str, line: int, limit: int) -> Results:
        """Return nodes like the one at a 0-based line."""
        return results_of(self.call(RELATED, {"path": path, "line": line, "limit": limit}))

    def status(self) -> Status:
        """Return the state and health of the index."""
        fields: dict[str, Any] = self.call(STATUS, {})
        drift = Drift(**fields.pop("drift"))
        rows = tuple(
            SourceRow(*row)._replace(problems=tuple(row[-1])) for row in fields.pop("sources")
        )
        notes = tuple(fields["notes"])
        return Status(**{**fields, "drift": drift, "notes": notes, "sources": rows})

    def rebuild_sources(self, names: Sequence[str], *, regenerate: bool) -> list[Rebuilt]:
        """Index sources beside code anew. Raises as `call` does."""
        answer: Any = self.call(REBUILD, {"sources": [*names], "regenerate": regenerate})
        return [Rebuilt(*row) for row in answer["rebuilt"]]

    def grep(self, request: GrepRequest) -> Json:
        """Return the answer to a grep, unsaved text included. Raises as `call` does."""
        return self.call(GREP, grep_request_json(request))

    def config(self) -> Json:
        """Return the settings object of the folder."""
        return self.call(CONFIG, {})

    def memory(self, name: str, values: Mapping[str, object]) -> Json:
        """Return the answer to a request on notes."""
        return self.call(f"{MEMORY}{name}", values)

    def forget(self) -> None:
        """Delete the record of what the user opened, edited and picked."""
        self.call(FORGET, {})


def connect(folder: Path) -> Connection | None:
    """Return a connection to the server whose index folder this is; None if none is running.

    Where an editor relays, the server was killed a moment ago: the next one is waited for. Raises
    StoreError if one is running and accepts no connection.
    """
    deadline = time.monotonic() + _TAKEOVER_S
    while (connection := Connection.open(folder)) is None and relaying_editors(folder):
        if time.monotonic() > deadline:
            break
        time.sleep(_POLL_S)
    return connection
