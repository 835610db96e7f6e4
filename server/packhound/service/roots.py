"""Which folders may be indexed, and where the index of each is kept."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import TypeVar

from packhound.core.errors import RootError
from packhound.core.settings import Settings, cache_folder
from packhound.storage.writer_lock import WriterLock

P = TypeVar("P", bound=PurePath)

_NAME_BYTES = 200
"""What the name of an index has of its folder's: with the key, names may have 255 bytes."""


def check_root(root: Path, settings: Settings) -> Path:
    """The real path of a folder that may be indexed.

    Raises:
        RootError: it is no folder, or a home directory or file system root not asked for.
    """
    try:
        real = root.expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise RootError(f"folder '{root}' does not exist") from None
    if not real.is_dir():
        raise RootError(f"'{root}' is not a folder")
    if real in (Path.home(), Path(real.anchor)) and not settings.index_home:
        raise RootError(f"'{root}' is not indexed unless the setting 'index.allowHome' is true")
    return real


def real_path(path: Path) -> Path:
    """`path` without links and `~`; as far as it can be followed, where links go in circles."""
    # What pathlib has for this raises on such links, and where nobody has that name.
    return Path(os.path.realpath(os.path.expanduser(path)))  # noqa: PTH111


def place_in(roots: Iterable[P], path: P) -> tuple[P, str] | None:
    """The innermost of `roots` that holds `path`, and the path there with `/`; pure."""
    holders = [root for root in roots if path.is_relative_to(root)]
    if not holders:
        return None
    root = max(holders, key=lambda holder: len(holder.parts))
    return root, path.relative_to(root).as_posix()


def index_folder(root: Path) -> Path:
    """Where the index of the folder `root` (a real path) is kept."""
    key = hashlib.blake2b(str(root).encode("utf-8", "surrogatepass"), digest_size=8)
    name = root.name.encode("utf-8", "ignore")[:_NAME_BYTES].decode("utf-8", "ignore")
    return cache_folder() / f"{name or 'root'}-{key.hexdigest()}"


def clear_index(root: Path | None) -> int:
    """Delete the index of one folder, or of all (None); returns the bytes freed.

    Only folders that hold an index are deleted, whatever else the cache folder holds. Where a
    running server keeps an index, its lock and its socket stay.
    """
    one = None if root is None else index_folder(real_path(root))
    marks = cache_folder().glob("*/lock") if one is None else one.glob("lock")
    folders = [mark.parent for mark in marks if (mark.parent / "index.sqlite").is_file()]
    return sum(map(_clear, folders))


def _clear(folder: Path) -> int:
    lock = WriterLock(folder / "lock")
    free = lock.acquire()
    gone = [file for file in folder.rglob("*" if free else "index.sqlite*") if file.is_file()]
    freed = sum(file.stat().st_size for file in gone)
    if free:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        for file in gone:
            file.unlink(missing_ok=True)
    lock.release()
    return freed
