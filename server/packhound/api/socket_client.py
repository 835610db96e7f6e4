"""Typed requests to the process that serves a folder, for the command line and agents."""

from __future__ import annotations

from pathlib import Path

from packhound.api.json_codec import Json, query_json
from packhound.api.pack_codec import pack_of, pack_request_json
from packhound.api.socket_requests import CONFIG, FORGET, PACK, RESULTS
from packhound.core.types import Query
from packhound.pack import Pack, PackRequest
from packhound.relay import Connection as AnyConnection


class Connection(AnyConnection):
    """Connection to the process that serves a folder; its answers are made from unsaved text too.

    Methods raise as `call` does.
    """

    def search(self, query: Query) -> Json:
        """Return the results object of a query."""
        return self.call(RESULTS, query_json(query))

    def pack(self, request: PackRequest) -> Pack:
        """Return a pack."""
        return pack_of(self.call(PACK, pack_request_json(request)))

    def config(self) -> Json:
        """Return the settings object of the folder."""
        return self.call(CONFIG, {})

    def forget(self) -> None:
        """Delete the record of what the user opened, edited and picked."""
        self.call(FORGET, {})


def connect(folder: Path) -> Connection | None:
    """Return a connection to the server whose index folder this is; None if none is running.

    Raises StoreError if one is running and accepts no connection.
    """
    return Connection.open(folder)
