"""Standard input and output as a stream, and streams that are read twice or written in a queue."""

from __future__ import annotations

import os
import sys
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

from packhound.relay import Stdio

if TYPE_CHECKING:
    from packhound.relay import Stream

# Bytes that a client may leave unread before it counts as lost.
_BACKLOG_BYTES = 256 * 1024 * 1024


def take_stdio() -> Stdio:
    """Reserve standard input and output for a protocol.

    Prints go to standard error from then on, and child processes inherit neither pipe.
    """
    input_fd, output_fd = os.dup(0), os.dup(1)
    null_fd = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_fd, 0)
    os.close(null_fd)
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (input_fd, output_fd):
            msvcrt.setmode(descriptor, os.O_BINARY)
    return Stdio(input_fd, output_fd)


class Rewindable:
    """A stream whose first bytes can be read again, once."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self.write, self.hang_up = stream, stream.write, stream.hang_up
        self._seen = bytearray()
        self._is_rewound = False

    def read(self) -> bytes:
        """Return the next bytes, b"" at the end."""
        if self._is_rewound and self._seen:
            data = bytes(self._seen)
            self._seen.clear()
            return data
        data = self._stream.read()
        if not self._is_rewound:
            self._seen += data
        return data

    def rewind(self) -> None:
        """Have what was read so far read again."""
        self._is_rewound = True


class WriteQueue:
    """A stream to which a thread of its own writes in order, so that `write` never blocks.

    A client that does not read never keeps the thread that reads from it waiting, and is hung up on
    when more than `backlog_bytes` are queued.
    """

    def __init__(self, stream: Stream, backlog_bytes: int = _BACKLOG_BYTES) -> None:
        self._stream, self.read, self.hang_up = stream, stream.read, stream.hang_up
        self._free_bytes = backlog_bytes
        self._lock = threading.Lock()
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="packhound-write", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue bytes; returns at once."""
        with self._lock:
            self._free_bytes -= len(data)
        if self._free_bytes < 0:
            self.hang_up()
        self._queue.put(data)

    def close(self, timeout_s: float) -> None:
        """Flush the queue, for at most `timeout_s`."""
        self._queue.put(None)
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                self._stream.write(data)
            except (OSError, ValueError):
                self.hang_up()
                return
            with self._lock:
                self._free_bytes += len(data)
