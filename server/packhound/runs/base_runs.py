"""Output of tools for a folder without a patch, kept by a digest of all texts; and their caches."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from packhound.core.errors import StoreError
from packhound.core.private_file import make_private_folder, read_private, write_private_atomic
from packhound.runs.copy import Copy
from packhound.runs.diagnostics import Diagnostic
from packhound.runs.runners import Runner, program_of

_MAX_KEPT, _MAX_CACHE_BYTES = 200, 600_000_000


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One runner, once.

    `reason` is a limit that ended it, `missing` for no such program, `failed` if it failed without
    a word that was understood, `capped` if it said more than is kept, `unread` if it could not
    read a file of tests that it reads without the patch, or that this reaches, or nothing. It
    `tests`, or only looks at the code.
    `coverage` is in percent, by package, or of all with "".
    """

    runner: str
    tests: bool = False
    reason: str = ""
    seconds: float = 0.0
    passed: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    coverage: dict[str, float] = {}
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> set[str]:
        """The tests that failed."""
        return {each.test for each in self.diagnostics if each.test}

    @property
    def unread(self) -> set[str]:
        """The files of tests that could not be read."""
        return {each.unread for each in self.diagnostics if each.unread}


class BaseRuns:
    """Those of one folder, in a private folder beside its index."""

    def __init__(self, folder: Path) -> None:
        """Raises StoreError: the folder cannot be made."""
        self._runs, self._caches = folder / "base", folder / "cache"
        make_private_folder(self._runs)

    def get(self, key: str) -> Run | None:
        """Return the run of a key, None if none is kept."""
        with suppress(msgspec.MsgspecError, StoreError):
            data = read_private(self._runs / f"{key}.json")
            return msgspec.json.decode(data, type=Run) if data else None
        return None

    def keep(self, key: str, run: Run) -> None:
        """Keep a run; where the disk is full, the next one takes its time again."""
        with suppress(OSError):
            write_private_atomic(self._runs / f"{key}.json", msgspec.json.encode(run))
            paths = sorted(self._runs.glob("*.json"), key=lambda path: -path.stat().st_mtime)
            for path in paths[_MAX_KEPT:]:
                path.unlink(missing_ok=True)

    def restore_caches(self, copy: Copy) -> None:
        """Give a copy the caches of tools from the last run without a patch."""
        with suppress(OSError):
            shutil.copytree(self._caches, copy.home / "cache", symlinks=True, dirs_exist_ok=True)
        if (copy.home / "cache" / "cargo").exists():
            # Nothing of the folder itself counts as built, only what it depends on. Tools of Python
            # compare times to the second, which a copy keeps apart.
            for path in copy.folder.rglob("*"):
                if path.suffix not in (".py", ".pyi"):
                    os.utime(path, follow_symlinks=False)

    def save_caches(self, copy: Copy) -> None:
        """Keep the caches of tools, only of a run without a patch: no patch can poison them."""
        source = copy.home / "cache"
        with suppress(OSError):
            # A link was put there by a run: what it leads to is no cache.
            if source.is_symlink():
                return
            for cache in source.iterdir():
                sizes = (path.lstat().st_size for path in cache.rglob("*"))
                if sum(sizes) > _MAX_CACHE_BYTES:
                    shutil.rmtree(cache)
            if self._caches.exists():
                self._caches.rename(copy.home / "former-cache")
            source.rename(self._caches)


def key_of(name: str, runner: Runner, environment: Mapping[str, str], *values: object) -> str:
    """Return the key of the run of a runner in a folder of which all that counts is `values`."""
    program = program_of(runner.command, {**environment, **runner.environment})
    stamp = Path(program).resolve().stat().st_mtime_ns if program else 0
    key = msgspec.json.encode([name, runner, program, stamp, *values])
    return hashlib.blake2b(key, digest_size=16).hexdigest()
