"""Watch for the end of the editor or agent although the pipe to it is still open.

Another process may hold the other end of the pipe, so an open pipe is no proof of life.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

POLL_S = 2.0


def watch_parent(process_id: int, on_gone: Callable[[], None]) -> None:
    """Call `on_gone` from a thread, once, within seconds of the end of a process."""
    # A process that a wrapper started is not our parent, so only its own end counts then.
    is_parent = os.getppid() == process_id

    def poll() -> None:
        while is_alive(process_id) and not (is_parent and os.getppid() != process_id):
            time.sleep(POLL_S)
        on_gone()

    threading.Thread(target=poll, name="packhound-parent", daemon=True).start()


def is_alive(process_id: int) -> bool:
    """Return True if a process runs; a zombie does not."""
    if sys.platform == "win32":
        return _is_alive_on_windows(process_id)
    try:
        os.kill(process_id, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return not _is_zombie(process_id)


def _is_zombie(process_id: int) -> bool:
    try:
        status = Path(f"/proc/{process_id}/stat").read_bytes()
    except OSError:
        return False
    # The state follows the command, which is in parentheses and may hold any character.
    return status.rpartition(b")")[2].split()[:1] == [b"Z"]


def _is_alive_on_windows(process_id: int) -> bool:
    import ctypes

    kernel32 = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    synchronize, timed_out = 0x0010_0000, 0x102
    process = kernel32.OpenProcess(synchronize, False, process_id)
    if not process:
        return False
    try:
        return bool(kernel32.WaitForSingleObject(process, 0) == timed_out)
    finally:
        kernel32.CloseHandle(process)
