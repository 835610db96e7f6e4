"""Folders that may be indexed, and the cache folder of each."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path, PurePath
from typing import TypeVar

from packhound.core.errors import RootError
from packhound.core.file_lock import FileLock
from packhound.core.private_file import size_of
from packhound.core.settings import Settings
from packhound.core.user_folders import cache_folder

P = TypeVar("P", bound=PurePath)

REVISIONS = "revisions"
"""Folder beside an index: files of other commits of the same folder."""

_NAME_BYTES = 200
"""Of the folder's name in that of its cache: with the key, names may have 255 bytes."""


def check_root(root: Path, settings: Settings) -> Path:
    """Return the real path of a folder that may be indexed.

    Raises:
        RootError: it is no folder, or a home directory or file system root not asked for.
    """
    try:
        real = root.expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise RootError(f"folder '{root}' does not exist") from None
    if not real.is_dir():
        raise RootError(f"'{root}' is not a folder")
    if real in (Path.home(), Path(real.anchor)) and not settings.index.allow_home:
        raise RootError(f"'{root}' is not indexed unless the setting 'index.allowHome' is true")
    return real


def real_path(path: Path) -> Path:
    """Resolve links and `~`; as far as possible where links go in circles."""
    # What pathlib has for this raises on such links, and where nobody has that name.
    return Path(os.path.realpath(os.path.expanduser(path)))  # noqa: PTH111


def innermost_root(roots: Iterable[P], path: P) -> tuple[P, str] | None:
    """Return the innermost of `roots` that holds `path`, and the path below it with `/`; pure."""
    holders = [root for root in roots if path.is_relative_to(root)]
    if not holders:
        return None
    root = max(holders, key=lambda holder: len(holder.parts))
    return root, path.relative_to(root).as_posix()


def root_path(written: str) -> Path:
    """Return the path of a folder as people and clients write it, such as a `file` URI."""
    if not written.startswith("file:"):
        return Path(written)
    from urllib.parse import urlparse  # Slow to import, for few.
    from urllib.request import url2pathname

    return Path(url2pathname(urlparse(written).path))


def index_folder(root: Path) -> Path:
    """Return the folder that the index of `root` (a real path) is saved in."""
    key = hashlib.blake2b(str(root).encode("utf-8", "surrogatepass"), digest_size=8)
    name = root.name.encode("utf-8", "ignore")[:_NAME_BYTES].decode("utf-8", "ignore")
    return cache_folder() / f"{name or 'root'}-{key.hexdigest()}"


def clear_index(root: Path | None) -> int:
    """Delete the index of one folder, or of all (None); return the bytes freed.

    Only folders that hold an index are deleted, whatever else the cache folder holds. Where a
    running server has an index, its lock and its socket stay.
    """
    folders = list(cache_folder().glob("*"))
    if root is not None:
        folders = [*_with_revisions(index_folder(real_path(root)))]
    return sum(_clear(folder) for folder in folders if _is_index(folder))


def _with_revisions(folder: Path) -> Iterator[Path]:
    """Yield the folder of an index, and those of the commits that are read beside it."""
    yield folder
    for revision in (folder / REVISIONS).glob("*"):
        yield from _with_revisions(index_folder(revision))


def _is_index(folder: Path) -> bool:
    return (folder / "index.sqlite").is_file() or (folder / REVISIONS).is_dir()


def _clear(folder: Path) -> int:
    lock = FileLock(folder / "lock")
    unused = lock.acquire()
    ours = ("*",) if unused else ("*.sqlite*", "rows-*.bin")
    found = chain(*map(folder.rglob, ours), (folder / REVISIONS).rglob("*"))
    files = {file for file in found if file.is_file()}
    n_bytes = sum(map(size_of, files))
    shutil.rmtree(folder / REVISIONS, ignore_errors=True)
    if unused:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        for file in files:
            with suppress(PermissionError):  # Windows deletes nothing that is mapped.
                file.unlink(missing_ok=True)
    lock.release()
    return n_bytes
