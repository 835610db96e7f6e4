"""The connection to a store: what it has that the user may read, and what he pushes.

All errors are StoreErrors of one line, which never has the password or a row.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

import numpy as np

from packhound.core.errors import StoreError
from packhound.redact import visible_line
from packhound.team.schema import VERSION

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
    from psycopg.types.string import BytesBinaryDumper
except ImportError as _problem:
    raise StoreError(f"it needs psycopg ({_problem}): pip install 'packhound[team]'") from None

if TYPE_CHECKING:
    from typing_extensions import Self

    from packhound.core.arrays import Floats

_CONNECT_S = 3
_MAX_NOTES, _MAX_NOTE_BYTES = 10_000, 1 << 20
"""Of a repository, and of a note, which one of 100,000 characters fits into."""
_STATEMENT_MS, _PUSH_MS = 15_000, 120_000
_LOCAL = ("", "localhost", "127.0.0.1", "::1")


class Row(NamedTuple):
    """A file; `analysis` and `text` are compressed, `digest` is that of the text.

    `origin` stands for what it was made of, before secrets were taken out.
    """

    key: bytes
    origin: bytes
    path: str
    digest: bytes
    nodes: int
    analysis: bytes
    text: bytes


class NoteEntry(NamedTuple):
    """A note of a repository: its id, whose and of which machine of his it is, digest and size."""

    id: str
    owner: str
    device: str
    digest: bytes
    n_bytes: int


class Branch(NamedTuple):
    """A branch that the user may read, and the commit that was pushed to it last."""

    id: UUID
    repository: str
    name: str
    commit: str
    pushed_at: datetime


class _Octets(bytes):
    """A value as the server reads it."""


class Store:
    """One connection; for one thread at a time."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    @classmethod
    @contextmanager
    def open(cls, url: str, *, for_push: bool = False, any_version: bool = False) -> Iterator[Self]:
        """Connect within seconds; raises StoreError, also for a store of another version."""
        timeout_ms = _PUSH_MS if for_push else _STATEMENT_MS
        with _as_store_errors(), _connect(url, timeout_ms) as connection:
            store = cls(connection)
            if not any_version:
                store.check_version()
            yield store

    def known_keys(self, repositories: Sequence[str]) -> dict[bytes, UUID]:
        """Return the files of some repositories that the user may read, by their keys.

        What he asks for tells no server what he has: the keys are compared here.
        """
        query = "SELECT key, id FROM packhound.files WHERE repository = ANY(%s)"
        return dict(self._connection.execute(query, [[*repositories]], binary=True))

    def known_origins(self, repository: str) -> dict[bytes, UUID]:
        """Return the files of a repository that the user has pushed, by their origins."""
        query = (
            "SELECT origin, id FROM packhound.files"
            " WHERE repository = %s AND owner = current_user AND origin <> ''"
        )
        return dict(self._connection.execute(query, [repository], binary=True))

    def set_origins(self, origins: Mapping[UUID, bytes]) -> None:
        """Note what some files of the user's are made of now; those of others stay."""
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.executemany(
                "UPDATE packhound.files SET origin = %s WHERE id = %s AND origin <> %s",
                [(origin, file, origin) for file, origin in origins.items()],
            )

    def analyses(self, files: Sequence[UUID]) -> dict[UUID, bytes]:
        """Return those of some files that are still there."""
        query = "SELECT id, analysis FROM packhound.files WHERE id = ANY(%s)"
        return dict(self._connection.execute(query, [[*files]], binary=True))

    def branches(self) -> list[Branch]:
        """Return all branches that the user may read, the one pushed last first."""
        query = (
            "SELECT id, repository, name, commit, pushed_at FROM packhound.branches"
            " ORDER BY pushed_at DESC, repository, name"
        )
        return [Branch(*row) for row in self._connection.execute(query)]

    def texts(self, branch: Branch) -> Iterator[tuple[str, bytes]]:
        """Yield path and compressed text of the files of a branch, as of one moment."""
        with self._connection.cursor("packhound_texts", withhold=True) as cursor:
            yield from cursor.execute(
                "SELECT f.path, f.text FROM packhound.contents c"
                " JOIN packhound.files f ON f.id = c.file WHERE c.branch = %s",
                [branch.id],
            )

    @property
    def user(self) -> str:
        """Name of the user in the database."""
        row = self._connection.execute("SELECT current_user").fetchone()
        return str(row[0]) if row else ""

    def note_entries(self, repository: str) -> list[NoteEntry]:
        """Return the notes of a repository that the user may read: his own, then the newest."""
        query = (
            "SELECT id, owner, device, digest, length(note) FROM packhound.notes"
            " WHERE repository = %s ORDER BY owner <> current_user, pushed_at DESC, id LIMIT %s"
        )
        rows = self._connection.execute(query, [repository, _MAX_NOTES], binary=True)
        return [NoteEntry(*row) for row in rows]

    def note_texts(
        self, repository: str, digests: Sequence[bytes]
    ) -> dict[tuple[str, bytes], bytes]:
        """Return the notes of a repository that have some digests, by owner and digest."""
        query = (
            "SELECT owner, digest, note FROM packhound.notes WHERE repository = %s"
            " AND digest = ANY(%s) AND length(note) <= %s"
        )
        values = [repository, [*digests], _MAX_NOTE_BYTES]
        rows = self._connection.execute(query, values, binary=True)
        return {(owner, digest): note for owner, digest, note in rows}

    def put_notes(
        self, repository: str, device: str, notes: Sequence[tuple[str, bytes, bytes]]
    ) -> None:
        """Add notes of the user's, each an id, a digest and a text, or replace those there."""
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO packhound.notes (repository, device, id, digest, note)"
                " VALUES (%s, %s, %s, %s, %s) ON CONFLICT (repository, owner, device, id)"
                " DO UPDATE SET digest = excluded.digest, note = excluded.note, pushed_at = now()",
                [(repository, device, *note) for note in notes],
            )

    def delete_notes(self, repository: str, device: str, ids: Sequence[str]) -> None:
        """Delete notes of the user's."""
        self._connection.execute(
            "DELETE FROM packhound.notes WHERE repository = %s AND owner = current_user"
            " AND device = %s AND id = ANY(%s)",
            [repository, device, [*ids]],
        )

    def may_push(self, repository: str, branch: str) -> bool:
        """Return True if a grant lets the user push to a branch, be it there or not."""
        query = (
            "SELECT FROM packhound.grants g WHERE packhound.matches(g.repository, %s)"
            " AND packhound.matches(g.branch, %s) AND g.may_push LIMIT 1"
        )
        is_superuser = "SELECT FROM pg_roles WHERE rolname = current_user AND rolsuper"
        is_granted = self._connection.execute(query, [repository, branch]).rowcount
        return bool(is_granted or self._connection.execute(is_superuser).rowcount)

    def copy_known(self, repository: str, keys: Sequence[bytes]) -> dict[bytes, UUID]:
        """Add to a repository what others that the user may read have of some keys, as a fork.

        Returns the files added, by key.
        """
        columns = "key, origin, path, digest, nodes, analysis, text"
        return dict(
            self._connection.execute(
                f"INSERT INTO packhound.files (repository, {columns})"
                f" SELECT DISTINCT ON (key) %s, {columns}"
                " FROM packhound.files WHERE key = ANY(%s) AND repository <> %s"
                " ON CONFLICT DO NOTHING RETURNING key, id",
                [repository, [*keys], repository],
                binary=True,
            )
        )

    def add(self, repository: str, rows: Sequence[Row]) -> dict[bytes, UUID]:
        """Add files that no branch has yet; return those of the user's, by key."""
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO packhound.files"
                " (repository, key, origin, path, digest, nodes, analysis, text)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                [(repository, *row) for row in rows],
            )
            return dict(
                cursor.execute(
                    "SELECT key, id FROM packhound.files"
                    " WHERE repository = %s AND key = ANY(%s) AND owner = current_user",
                    [repository, [row.key for row in rows]],
                    binary=True,
                )
            )

    def words(self, branch: UUID) -> dict[int, bytes]:
        """Return all parts of the inverted table of a branch."""
        query = "SELECT part, packed FROM packhound.words WHERE branch = %s"
        return dict(self._connection.execute(query, [branch], binary=True))

    def words_of(
        self, branches: Sequence[UUID], parts: Sequence[int]
    ) -> dict[UUID, dict[int, bytes]]:
        """Return some parts of the inverted tables of some branches."""
        query = (
            "SELECT branch, part, packed FROM packhound.words"
            " WHERE branch = ANY(%s) AND part = ANY(%s)"
        )
        of: dict[UUID, dict[int, bytes]] = {}
        for branch, part, packed in self._connection.execute(
            query, [[*branches], [*parts]], binary=True
        ):
            of.setdefault(branch, {})[part] = packed
        return of

    @property
    def has_vectors(self) -> bool:
        """True if the store keeps vectors, which takes pgvector."""
        row = self._connection.execute("SELECT to_regclass('packhound.vectors')").fetchone()
        return row != (None,)

    def n_nodes(self, repository: str) -> int:
        """Return how many nodes the files of a repository have."""
        query = "SELECT coalesce(sum(nodes), 0) FROM packhound.files WHERE repository = %s"
        row = self._connection.execute(query, [repository]).fetchone()
        return int(row[0]) if row else 0

    def without_vectors(self, repository: str, branch: str, encoder: str) -> dict[UUID, int]:
        """Return the files of a branch that an encoder has made no vectors of, with their nodes."""
        query = (
            "SELECT f.id, f.nodes FROM packhound.contents c JOIN packhound.files f ON f.id = c.file"
            " JOIN packhound.branches b ON b.id = c.branch"
            " WHERE b.repository = %s AND b.name = %s AND f.nodes > 0 AND NOT EXISTS ("
            "SELECT FROM packhound.vectors v WHERE v.repository = %s AND v.file = f.id"
            " AND v.encoder = %s)"
        )
        return dict(self._connection.execute(query, [repository, branch, repository, encoder]))

    def put_vectors(
        self, repository: str, encoder: str, vectors: Mapping[UUID, Floats], *, indexed: bool
    ) -> None:
        """Add the vectors of the nodes of some files, in place of those of other encoders."""
        files = [file for file, rows in vectors.items() for _ in rows]
        nodes = [node for rows in vectors.values() for node in range(len(rows))]
        embeddings = self._halfvecs([*vectors.values()])
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM packhound.vectors WHERE repository = %s AND file = ANY(%s)",
                [repository, [*vectors]],
            )
            cursor.execute(
                "INSERT INTO packhound.vectors SELECT %s, file, node, %s, embedding, %s"
                " FROM unnest(%b::uuid[], %b::int[], %b) AS x(file, node, embedding)"
                " ON CONFLICT DO NOTHING",
                [repository, encoder, indexed, files, nodes, embeddings],
            )

    def _halfvecs(self, vectors: Sequence[Floats]) -> _Octets:
        """Return rows as an array of pgvector's type, whose numbers differ from server to server.

        As text they would take most of the time of a push.
        """
        query = (
            "SELECT t.oid::int8, t.typarray::int8 FROM pg_attribute a JOIN pg_type t"
            " ON t.oid = a.atttypid WHERE attrelid = to_regclass('packhound.vectors')"
            " AND attname = 'embedding'"
        )
        row = self._connection.execute(query).fetchone()
        assert row is not None
        dumper = type("OctetsDumper", (BytesBinaryDumper,), {"oid": int(row[1])})
        self._connection.adapters.register_dumper(_Octets, dumper)
        rows = np.concatenate(vectors)
        dim = rows.shape[1]
        items = np.zeros(
            len(rows), [("size", ">i4"), ("dim", ">i2"), ("unused", ">i2"), ("row", ">f2", dim)]
        )
        items["size"], items["dim"], items["row"] = items.itemsize - 4, dim, rows
        head = np.array([1, 0, int(row[0]), len(rows), 1], ">i4")
        return _Octets(head.tobytes() + items.tobytes())

    def nearest(
        self, branches: Sequence[Branch], encoder: str, vector: list[float], n: int
    ) -> list[UUID]:
        """Return the files of the nearest `n` nodes of some branches, the nearest first."""
        query = "SELECT packhound.nearest(%s, %s, %s, %s::real[], %s)"
        repositories = [*{branch.repository for branch in branches}]
        values = [repositories, [branch.id for branch in branches], encoder, vector, n]
        rows = self._connection.execute(query, values)
        return [*dict.fromkeys(file for (file,) in rows)]

    def texts_of(self, branch: Branch, files: Sequence[UUID]) -> dict[str, bytes]:
        """Return the compressed texts of some files of a branch by path."""
        query = (
            "SELECT f.path, f.text FROM packhound.contents c"
            " JOIN packhound.files f ON f.id = c.file WHERE c.branch = %s AND c.file = ANY(%s)"
        )
        return dict(self._connection.execute(query, [branch.id, [*files]], binary=True))

    def set_branch(
        self,
        repository: str,
        name: str,
        commit: str,
        files: set[UUID],
        words: Mapping[int, bytes] | None = None,
    ) -> None:
        """Have a branch consist of files, in one transaction: others see all of it or nothing.

        `words` are parts of its inverted table that change with that.
        """
        execute = self._connection.execute
        with self._connection.transaction():
            row = execute(
                "INSERT INTO packhound.branches (repository, name, commit) VALUES (%s, %s, %s)"
                " ON CONFLICT (repository, name) DO UPDATE SET commit = excluded.commit,"
                " pushed_by = excluded.pushed_by, pushed_at = now() RETURNING id",
                [repository, name, commit],
            ).fetchone()
            assert row is not None
            before = execute("SELECT file FROM packhound.contents WHERE branch = %s", row)
            had = {file for (file,) in before}
            removed, new = [*had - files], [*files - had]
            execute(
                "DELETE FROM packhound.contents WHERE branch = %s AND file = ANY(%s)",
                [*row, removed],
            )
            execute("INSERT INTO packhound.contents SELECT %s, unnest(%s::uuid[])", [*row, new])
            with self._connection.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO packhound.words VALUES (%s, %s, %s)"
                    " ON CONFLICT (branch, part) DO UPDATE SET packed = excluded.packed",
                    [(*row, *part) for part in (words or {}).items()],
                )

    def remove_branch(self, repository: str, name: str) -> bool:
        """Delete a branch, then the files that no other one has; False if there was none."""
        removed = self._connection.execute(
            "DELETE FROM packhound.branches WHERE repository = %s AND name = %s",
            [repository, name],
        ).rowcount
        self.prune(repository)
        return bool(removed)

    def prune(self, repository: str) -> None:
        """Delete files of a repository that no branch has, unless they are of a push of today."""
        self._connection.execute("SELECT packhound.prune(%s)", [repository])

    def _version(self) -> int:
        """Return the version of the tables, 0 where there are none."""
        named = self._connection.execute("SELECT to_regclass('packhound.version')").fetchone()
        if named == (None,):
            return 0
        row = self._connection.execute("SELECT version FROM packhound.version").fetchone()
        return int(row[0]) if row else 0

    def check_version(self) -> None:
        """Raise StoreError if the tables are of another version."""
        version = self._version()
        if version == 0:
            raise StoreError("it has no tables of Packhound; run 'packhound team setup' once")
        if version > VERSION:
            raise StoreError(
                f"its tables have version {version}, this Packhound knows {VERSION}: update it"
            )
        if version < VERSION:
            raise StoreError(
                f"its tables have version {version}, this Packhound needs {VERSION}: its"
                " administrator runs 'packhound team setup'"
            )


def _connect(url: str, timeout_ms: int) -> psycopg.Connection:
    """Connect; a server elsewhere must show a certificate of its name, unless the URL says else."""
    parameters = conninfo_to_dict(url)
    if parameters.get("password"):
        raise StoreError("its URL has a password; put that into ~/.pgpass or PGPASSWORD")
    host = str(parameters.get("host") or os.environ.get("PGHOST") or "")
    options: dict[str, str | int | None] = {
        "application_name": "packhound",
        "connect_timeout": _CONNECT_S,
        "keepalives_idle": 5,
        "tcp_user_timeout": timeout_ms,
        "options": f"-c statement_timeout={timeout_ms} -c search_path=pg_catalog -c jit=off",
    }
    is_elsewhere = host not in _LOCAL and not host.startswith(("/", "@"))
    if is_elsewhere and "sslmode" not in parameters and "PGSSLMODE" not in os.environ:
        options["sslmode"] = "verify-full"
        if "sslrootcert" not in parameters and "PGSSLROOTCERT" not in os.environ:
            options["sslrootcert"] = "system"
    return psycopg.connect(make_conninfo(url, **{**options, **parameters}), autocommit=True)


@contextmanager
def _as_store_errors() -> Iterator[None]:
    """Raise what goes wrong as a StoreError of one line."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege:
        raise StoreError(_REFUSED) from None
    except (psycopg.Error, OSError) as error:
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise StoreError(visible_line(first[:300])) from None


_REFUSED = "it lets you do no such thing there; its administrator grants that"
"""The same for what is not there and for what the user may not see."""
