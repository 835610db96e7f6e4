"""One command, its output line by line, and why it ended: a limit, the user, or by itself."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from packhound.core.errors import SettingsError

_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_TICK_S, _END_S = 0.05, 10.0
_CHUNK, _MAX_LINE, _MAX_LINES = 1 << 16, 1 << 20, 500_000


class Limits(NamedTuple):
    """Limits of a command. `memory_bytes` is of each process, `output_bytes` of both streams.

    A command that is `apart` has no network, and writes in the folder of the copy alone.
    """

    seconds: float = 300.0
    memory_bytes: int = 4_000_000_000
    output_bytes: int = 20_000_000
    disk_bytes: int = 2_000_000_000
    processes: int = 512
    apart: bool = True


class Ended(NamedTuple):
    """Exit code (128 + N for signal N), or None and the reason for which it was ended.

    Reasons: `seconds`, `output`, `disk`, `processes`, `cancelled`, `lost` (nothing was reported).
    `unlimited` says what the system could not limit.
    """

    code: int | None
    reason: str
    seconds: float
    unlimited: tuple[str, ...]


class Order(NamedTuple):
    """A command and where it runs.

    `folder` is the copy of `root`, in the place of which it is put where the system allows it;
    `home` is the only folder that may be written, `plugins` one that Python finds modules in.
    `dependencies` are folders of `root` that it sees too, read-only.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    home: str
    root: str
    plugins: str
    dependencies: Sequence[str] = ()


class Process:
    """A command that runs in a copy; nothing that it has started is left when it has ended."""

    def __init__(self, order: Order, limits: Limits, cancel: threading.Event | None = None) -> None:
        """Start it. Raises SettingsError: this system cannot limit what it does."""
        if os.name != "posix":
            raise SettingsError("checks need Linux or macOS: this system cannot limit what they do")
        self._limits, self._cancel = limits, cancel
        self._started = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_SUPERVISOR)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={},
            start_new_session=True,
        )
        assert self._process.stdin
        with suppress(OSError):
            values = {**order._asdict(), **limits._asdict()}
            self._process.stdin.write(json.dumps(values).encode() + b"\n")
            self._process.stdin.flush()
        self.ended = Ended(None, "lost", 0.0, ())
        """How it ended, once all lines were read."""

    def lines(self) -> Iterator[bytes]:
        """Yield the lines that it prints on either stream, as soon as each is there."""
        reason = "cancelled"
        try:
            reason = yield from self._read_lines()
        finally:
            self._end(reason)

    def _read_lines(self) -> Generator[bytes, None, str]:
        """Yield the lines; return why the command has to be ended, or nothing."""
        assert self._process.stdout
        output, rest, n_bytes, n_lines = self._process.stdout.fileno(), b"", 0, 0
        while True:
            if self._cancel and self._cancel.is_set():
                return "cancelled"
            if time.monotonic() - self._started > self._limits.seconds:
                return "seconds"
            if not select.select([output], [], [], _TICK_S)[0]:
                continue
            # It ends with the supervisor, which has it open as long as anything is left.
            if not (piece := os.read(output, _CHUNK)):
                break
            *lines, rest = (rest + piece).split(b"\n")
            n_bytes, n_lines = n_bytes + len(piece), n_lines + len(lines)
            yield from lines
            # Each line is read by a thread of the server, however short it is.
            if n_bytes > self._limits.output_bytes or n_lines > _MAX_LINES:
                return "output"
            if len(rest) > _MAX_LINE:
                yield rest
                rest = b""
        if rest:
            yield rest
        return ""

    def _end(self, reason: str) -> None:
        """Have all that still runs killed, and take the report."""
        with self._process as process:
            assert process.stdin
            assert process.stderr
            with suppress(OSError):
                process.stdin.close()
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            report = process.stderr.read()
        try:
            values = json.loads(report)
        except ValueError:
            values = {"code": None, "reason": "lost", "unlimited": []}
        seconds = time.monotonic() - self._started
        code = None if reason else values["code"]
        self.ended = Ended(code, reason or values["reason"], seconds, tuple(values["unlimited"]))
