"""Work of the owner of a store: grants, figures, and erasing what should not have been pushed."""

from __future__ import annotations

import json
import zlib
from typing import NamedTuple

import psycopg
from psycopg import sql
from psycopg.rows import namedtuple_row

from packhound.core.errors import SettingsError
from packhound.team.row import inflate
from packhound.team.schema import MEMBER, VERSION, member_role, migrations, vectors_table
from packhound.team.store import Store

_LOCK = 0x7061636B
"""Number of the lock that migrations take, so that two administrators do not run them at once."""


class Grant(NamedTuple):
    """Right of a user or group of the database to some branches of some repositories."""

    grantee: str
    repository: str
    branch: str
    may_push: bool


class Usage(NamedTuple):
    """Content of a store of one repository; sizes are in bytes, compressed."""

    repository: str
    files: int
    nodes: int
    analysis_bytes: int
    text_bytes: int
    branches: int
    last_pushed: object


class Administration(Store):
    """A connection of the owner of the tables, whom no policy binds."""

    def setup(self) -> int:
        """Bring the tables to this version, in one transaction; return the version before.

        The table of vectors is made where the server has pgvector, if need be later.
        """
        with self._connection.transaction():
            self._connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
            before = self._version()
            self._connection.execute(member_role())
            for statements in migrations(before):
                self._connection.execute(statements)
            if not self.has_vectors and (schema := self._vector_schema()):
                self._connection.execute(vectors_table(schema))
            if before < VERSION:
                self._connection.execute("UPDATE packhound.version SET version = %s", [VERSION])
        return before

    def _vector_schema(self) -> str:
        """Return the schema of pgvector, "" where there is none that has iterative scans."""
        available = (
            "SELECT FROM pg_available_extensions WHERE name = 'vector' AND string_to_array("
            "coalesce(installed_version, default_version), '.')::int[] >= ARRAY[0, 8]"
        )
        if not self._connection.execute(available).rowcount:
            return ""
        try:
            with self._connection.transaction():
                create = "CREATE EXTENSION IF NOT EXISTS vector SCHEMA packhound"
                self._connection.execute(create)
        except psycopg.errors.InsufficientPrivilege:
            return ""
        query = "SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector'"
        row = self._connection.execute(query).fetchone()
        return str(row[0]) if row else ""

    def grant(self, grant: Grant) -> None:
        """Add or replace a grant; its grantee may use the store from now on.

        Raises SettingsError: the database has no such user or group.
        """
        n_roles = self._connection.execute(
            "SELECT FROM pg_roles WHERE rolname = %s", [grant.grantee]
        ).rowcount
        if not n_roles:
            raise SettingsError(
                f"the database has no user or group '{grant.grantee}'; make it with CREATE ROLE"
            )
        with self._connection.transaction():
            member, grantee = sql.Identifier(MEMBER), sql.Identifier(grant.grantee)
            self._connection.execute(sql.SQL("GRANT {} TO {}").format(member, grantee))
            self._connection.execute(
                "INSERT INTO packhound.grants VALUES (%s, %s, %s, %s)"
                " ON CONFLICT (grantee, repository, branch)"
                " DO UPDATE SET may_push = excluded.may_push",
                grant,
            )

    def revoke(self, grantee: str, repository: str, branch: str) -> bool:
        """Delete a grant; return False if there was none like it."""
        return bool(
            self._connection.execute(
                "DELETE FROM packhound.grants"
                " WHERE grantee = %s AND repository = %s AND branch = %s",
                [grantee, repository, branch],
            ).rowcount
        )

    def grants(self) -> list[Grant]:
        """Return all grants that the asker may see: the owner all, others their own."""
        query = "SELECT * FROM packhound.grants ORDER BY repository, branch, grantee"
        return [Grant(*row) for row in self._connection.execute(query)]

    def usage(self) -> list[Usage]:
        """Return the figures of each repository."""
        query = "SELECT * FROM packhound.usage ORDER BY repository"
        with self._connection.cursor(row_factory=namedtuple_row) as cursor:
            return [Usage(**row._asdict()) for row in cursor.execute(query)]

    def erase(self, secret: bytes) -> int:
        """Delete every file and note whose text has a secret, from all branches and repositories.

        Texts like them are not taken again. Returns the number of files and notes, once their
        bytes are gone from the tables too; backups have them still.
        """
        json_text = json.dumps(secret.decode("utf-8", "replace"))[1:-1].encode()
        with self._connection.cursor("packhound_erase", withhold=True) as cursor:
            cursor.execute("SELECT id, digest, text FROM packhound.files")
            rows = [(id_, digest) for id_, digest, text in cursor if secret in _text(text)]
        files = [id_ for id_, _ in rows]
        is_in_note = "position(%s::bytea IN note) > 0"
        with self._connection.transaction():
            self._connection.execute(
                "INSERT INTO packhound.erased SELECT unnest(%s::bytea[]) ON CONFLICT DO NOTHING",
                [[digest for _, digest in rows]],
            )
            self._connection.execute(
                "INSERT INTO packhound.erased SELECT DISTINCT digest FROM packhound.notes"
                f" WHERE {is_in_note} ON CONFLICT DO NOTHING",
                [json_text],
            )
            n_notes = self._connection.execute(
                f"DELETE FROM packhound.notes WHERE {is_in_note}", [json_text]
            ).rowcount
            # Words of what is erased; the next push counts those of the branch anew.
            self._connection.execute(
                "DELETE FROM packhound.words WHERE branch IN"
                " (SELECT branch FROM packhound.contents WHERE file = ANY(%s))",
                [files],
            )
            for table, column in (("contents", "file"), ("files", "id")):
                delete = sql.SQL("DELETE FROM packhound.{} WHERE {} = ANY(%s)")
                names = sql.Identifier(table), sql.Identifier(column)
                self._connection.execute(delete.format(*names), [files])
        self._connection.execute("VACUUM FULL packhound.files, packhound.notes, packhound.words")
        if self.has_vectors:
            self._connection.execute("VACUUM packhound.vectors")
        return len(files) + n_notes


def _text(compressed: bytes) -> bytes:
    try:
        return inflate(compressed)
    except (ValueError, zlib.error):
        return b""
