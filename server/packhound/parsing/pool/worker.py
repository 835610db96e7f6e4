"""Client side of one parser process: send documents, receive an analysed file for each."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

if sys.platform == "linux":
    import fcntl

import packhound
from packhound.parsing.analysed_file import AnalysedFile
from packhound.parsing.extractors import NO_EXTRACTORS, Extractors
from packhound.parsing.pool import framing

_START_TIMEOUT_S = 30.0
_TICKS_S: int = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PIPE_BYTES = 1 << 20
"""While the interpreter is busy with the last answers, nobody reads the next ones."""
_MAX_PARSE_S = 180.0
"""Above the limit of any pool: it ends processes whose pool is not there to do it."""
_PACKAGES = Path(packhound.__file__).parent.parent

# The parser process must not import from the folder it is started in, which may be a stranger's,
# and need not search for packages again: it takes over `sys.path`.
_BOOT = (
    "import sys; sys.path[:] = sys.argv[5:]; "
    "from packhound.parsing.pool.worker_main import main; "
    "main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3] == 'texts', sys.argv[4])"
)


class WorkerDied(Exception):  # noqa: N818 - an outcome, not a fault
    """The process ended, by itself or because it was killed, before it had answered."""


class Worker:
    """A parser process. Not for two threads at once, but `kill` may come from any.

    While an answer is awaited, `deadline` (time.monotonic) and `limit_s` are set; `waiting` is set
    where a wait begins. A watchdog that kills the worker ends the wait with WorkerDied.
    """

    def __init__(
        self,
        memory_mb: int,
        waiting: threading.Event,
        max_parse_s: float = _MAX_PARSE_S,
        *,
        with_texts: bool = False,
        extractors: Extractors = NO_EXTRACTORS,
    ) -> None:
        self.deadline: float | None = None
        self.limit_s = 0.0
        self.timed_out = False
        self.started = False
        self._waiting = waiting
        encoding = "texts" if with_texts else "runs"
        arguments = [str(memory_mb), str(max_parse_s), encoding, extractors.encode()]
        paths = [str(_PACKAGES), *(path for path in sys.path if Path(path).is_absolute())]
        paths += filter(None, dict.fromkeys(item.folder for item in extractors.items))
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _BOOT, *arguments, *paths],
            bufsize=_PIPE_BYTES,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_PACKAGES,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        for stream in (self.process.stdin, self.process.stdout):
            _enlarge(stream)

    @property
    def pid(self) -> int:
        """The process id."""
        return self.process.pid

    @property
    def cpu_s(self) -> float | None:
        """Processor time used so far, None where the system does not say."""
        try:
            status = Path(f"/proc/{self.pid}/stat").read_bytes()
        except OSError:
            return None
        # The command, in parentheses, may hold any character.
        user, system = status.rpartition(b")")[2].split()[11:13]
        return (int(user) + int(system)) / _TICKS_S

    def send(self, tasks: Sequence[framing.Task]) -> None:
        """Send tasks. All answers must be received before the next ones are sent."""
        self.send_values(tuple(map(framing.encode_task, tasks)))

    def send_values(self, values: tuple[framing.Plain, ...]) -> None:
        """Send tasks as the values of a frame, as `send`."""
        if not self.started:
            if self.receive_value(_START_TIMEOUT_S) != framing.READY:
                raise WorkerDied
            self.started = True
        assert self.process.stdin is not None
        try:
            framing.write_frame(self.process.stdin, values)
        except OSError as error:
            raise WorkerDied from error

    def receive(self, timeout_s: float) -> AnalysedFile:
        """Return the answer to the next of the tasks sent."""
        try:
            return framing.decode_file(self.receive_value(timeout_s))
        except framing.BrokenFrame as error:
            raise WorkerDied from error

    def kill(self) -> None:
        """Kill the process now."""
        self.process.kill()

    def discard(self) -> None:
        """Kill the process and close its pipes. Only for the thread that uses it."""
        self.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                _close_quietly(stream)

    def receive_value(self, timeout_s: float) -> framing.Plain:
        """Return the answer to the next of the values sent, as it is."""
        assert self.process.stdout is not None
        self.limit_s, self.deadline = timeout_s, time.monotonic() + timeout_s
        self._waiting.set()
        try:
            return framing.read_frame(self.process.stdout)
        except (framing.BrokenFrame, OSError) as error:
            raise WorkerDied from error
        finally:
            self.deadline = None


def _enlarge(stream: IO[bytes] | None) -> None:
    """Enlarge a pipe to hold more than a batch and its answers."""
    if stream is None or sys.platform != "linux":
        return
    try:
        fcntl.fcntl(stream, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    except OSError:
        return  # This user has as many large pipes as one may have.


def _close_quietly(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except OSError:
        return  # What was left in the buffer had no reader any more.
