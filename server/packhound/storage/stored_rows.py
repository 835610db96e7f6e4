"""All rows of a save, checked: those of the database, and those of its files of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from packhound.core.array_codec import Buffer
from packhound.storage.row import ABSENT, END, MANIFEST, ROW_FILE, row_sum, seal
from packhound.storage.row_files import MappedRows, map_rows

DatabaseRow = tuple[int, bytes, bytes, bytes]


@dataclass(frozen=True, slots=True, eq=False)
class StoredRows:
    """Rows by key; a body is in memory or mapped, its head always in memory.

    `database` has the size of the body of each row of the database. It hides the row that a file
    has of the same key, and one without a checksum that there is none.
    """

    heads: Mapping[int, bytes]
    bodies: Mapping[int, Buffer]
    sums: Mapping[int, bytes]
    database: dict[int, int]
    files: Mapping[int, MappedRows]

    def of_kind(self, first: int, end: int) -> list[int]:
        """Return the keys between two, ascending."""
        return sorted(key for key in self.sums if first <= key < end)

    def joined(self, first: int, n: int) -> memoryview | None:
        """Return the bodies of `n` keys from `first` on, if a file has them side by side."""
        if any(key in self.database for key in range(first, first + n)):
            return None
        # Of a key that several files have, the last counts.
        for _, mapped in sorted(self.files.items(), reverse=True):
            keys = mapped.file.keys
            if keys.searchsorted(first) < keys.searchsorted(first + n):
                return mapped.joined(first, n)
        return None


def read_rows(rows: Iterable[DatabaseRow], folder: Path) -> StoredRows | None:
    """Return what a database has, with the files of rows in `folder`; None for one without rows.

    Raises ValueError where these are not exactly the rows of one save, and OSError.
    """
    database = {key: (head, body, stored) for key, head, body, stored in rows}
    if not database:
        return None
    for key, (head, body, stored) in database.items():
        if not 0 <= key < END:
            raise ValueError("a row has an unknown key")
        if stored and row_sum(key, head, body) != stored:
            raise ValueError("a row is damaged")
    files = _map_files(database, folder)
    heads, bodies, sums = dict[int, bytes](), dict[int, Buffer](), dict[int, bytes]()
    for _, mapped in sorted(files.items()):
        keys = mapped.file.keys.tolist()
        heads.update(zip(keys, mapped.heads, strict=True))
        bodies.update(zip(keys, mapped.bodies(), strict=True))
        sums.update(zip(keys, mapped.sums, strict=True))
    for key, (head, body, stored) in database.items():
        heads[key], bodies[key], sums[key] = head, body, stored
        if not stored:
            del heads[key], bodies[key], sums[key]
    if bodies[MANIFEST] != seal({key: stored for key, stored in sums.items() if key != MANIFEST}):
        raise ValueError("rows are missing or of different generations")
    sizes = {key: len(body) if stored else ABSENT for key, (_, body, stored) in database.items()}
    return StoredRows(heads, bodies, sums, sizes, files)


def _map_files(
    database: Mapping[int, tuple[bytes, bytes, bytes]], folder: Path
) -> dict[int, MappedRows]:
    keys = [key for key in database if key >= ROW_FILE]
    with ThreadPoolExecutor(2) as pool:
        # Digests are computed without the GIL.
        mapped = pool.map(lambda key: map_rows(folder, *database[key][:2]), keys)
        return dict(zip(keys, mapped, strict=True))
