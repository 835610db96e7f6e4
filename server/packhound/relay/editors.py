"""Editors that relay to whoever serves their folder: each holds a lock beside its index.

So a process that takes over knows whose unsaved texts it has yet to wait for.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from packhound.core.errors import StoreError
from packhound.core.file_lock import FileLock
from packhound.relay.address import address_file


def mark_editor(folder: Path) -> None:
    """Hold the lock of this process until it ends. Raises StoreError."""
    FileLock(address_file(folder, f"editor-{os.getpid()}", "lock")).acquire()


def relaying_editors(folder: Path) -> set[int]:
    """Return the process ids of the editors that relay now; the files of others are removed."""
    process_ids = set[int]()
    for path in folder.glob(address_file(folder, "editor-*", "lock").name):
        lock = FileLock(path)
        with suppress(OSError, StoreError, ValueError):
            if lock.acquire():
                path.unlink()
            else:
                process_ids.add(int(path.name.split("-")[1]))
        lock.release()
    return process_ids
