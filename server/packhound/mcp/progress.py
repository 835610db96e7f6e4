"""Notifications of progress while a folder is read, so that a client does not give up."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from packhound.mcp.session import Call

if TYPE_CHECKING:
    from packhound.mcp.folders import Folders

_INTERVAL_S = 1.0


@contextmanager
def progress(call: Call, folders: Folders) -> Iterator[None]:
    """Report how many files are read, now and each second, if the client has asked for it."""
    if not call.wants_progress:
        yield
        return
    done = threading.Event()

    def report() -> None:
        n_read = 0.0
        while True:
            reading = folders.reading
            # Progress has to grow, also while the folder is opened or the answer is made.
            n_read = max(reading.n_read, n_read + 0.001)
            call.report(
                n_read, max(reading.n_files, 1), folders.step or reading.note or "reading the index"
            )
            if done.wait(_INTERVAL_S):
                return

    thread = threading.Thread(target=report, name="packhound-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
