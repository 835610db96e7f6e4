"""Signs of life: a server that is stopped or hangs takes connections, but says nothing on them.

Its clients would wait for ever, and no other server can take its place while it holds its lock. So
whoever misses an answer asks for a sign of life, and ends a server that gives none.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path

from packhound.relay.address import ServerAddress, read_address

SILENCE_S = 1.0
"""Time without an answer after which a server has to give a sign of life."""
PATIENCE_S = 6.0
"""Time for a sign of life; a server on a busy machine may need a second."""
_RETRY_S = 0.05


def end_if_hung(folder: Path, server: ServerAddress) -> bool:
    """Kill a server if it gives no sign of life; return True if it cannot be asked more.

    One that has been replaced since its address was read is left alone.
    """
    if is_alive(server):
        return False
    stored = read_address(folder)
    if stored and stored.token == server.token and server.pid > 0:
        with suppress(OSError):
            os.kill(server.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    return True


def is_alive(server: ServerAddress, patience_s: float = PATIENCE_S) -> bool:
    """Return False if a process listens at an address and answers nothing there."""
    deadline = time.monotonic() + patience_s
    while (left_s := deadline - time.monotonic()) > 0:
        try:
            with socket.socket(server.family, socket.SOCK_STREAM) as probe:
                probe.settimeout(left_s)
                probe.connect(server.address)
                probe.sendall(b"{}\n")  # No request, so the answer is an error.
                probe.recv(1)
                return True
        except TimeoutError:
            break
        except BlockingIOError:  # More connections wait than the system keeps.
            time.sleep(_RETRY_S)
        except OSError:  # It has ended.
            return True
    return False
