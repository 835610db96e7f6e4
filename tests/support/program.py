"""`packhound` as a process that need not import itself, which is most of what a short one costs.

One process has imported the program (`program_child`) and forks for each start: the fork has the
arguments, environment, folder and streams that a process of its own would have. Tests of how the
program starts and of what it imports start one of its own.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

TIMEOUT_S = 60.0
OURS = {**os.environ}
"""The environment of the process that forks, before a test changes it."""
CHILD = Path(__file__).with_name("program_child.py")


def start_program(
    arguments: Sequence[str], env: Mapping[str, str], *streams: IO[bytes], cwd: Path | None = None
) -> Program | subprocess.Popen[bytes]:
    """Start `packhound ARGUMENTS` with the three streams that are given, or else with pipes."""
    if sys.platform == "linux" and not _is_read_at_start(env):
        return Program(arguments, env, cwd or Path.cwd(), *streams)
    command = [sys.executable, "-m", "packhound", *arguments]
    pipes = streams or [subprocess.PIPE] * 3
    return subprocess.Popen(command, -1, None, *pipes, env=env, cwd=cwd)


def _is_read_at_start(env: Mapping[str, str]) -> bool:
    """True if the interpreter would have to start with another variable of its own."""
    names = {name for name in env.keys() | OURS if name.startswith(("PYTHON", "LC_", "LANG"))}
    names.discard("PYTHONPATH")  # `program_child.become` follows it.
    return any(env.get(name) != OURS.get(name) for name in names)


def run_program(
    *arguments: str, env: Mapping[str, str] = {}, cwd: Path | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run `packhound ARGUMENTS` to its end, with what differs from this environment."""
    with contextlib.ExitStack() as files:
        streams = [files.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        streams[0].write(stdin.encode())
        streams[0].seek(0)
        program = start_program(arguments, {**os.environ, **env}, *streams, cwd=cwd)
        try:
            code = program.wait(TIMEOUT_S)
        finally:
            program.kill()
        for stream in streams[1:]:
            stream.seek(0)
        output, errors = (stream.read().decode() for stream in streams[1:])
    return subprocess.CompletedProcess(arguments, code, output, errors)


class Program:
    """A forked one, with the methods of `subprocess.Popen` that tests need."""

    def __init__(
        self, arguments: Sequence[str], env: Mapping[str, str], cwd: Path, *streams: IO[bytes]
    ) -> None:
        if streams:
            theirs = [stream.fileno() for stream in streams]
        else:
            (stdin, to_it), (from_it, stdout), (errors, stderr) = (os.pipe() for _ in range(3))
            theirs = [stdin, stdout, stderr]
            self.stdin = os.fdopen(to_it, "wb")
            self.stdout, self.stderr = os.fdopen(from_it, "rb"), os.fdopen(errors, "rb")
        self.returncode: int | None = None
        self._told, tells = socket.socketpair()
        request = json.dumps([[*arguments], {**env}, str(cwd)]).encode()
        with tells:
            socket.send_fds(_forks(), [request], [*theirs, tells.fileno()])
        if not streams:
            for end in theirs:
                os.close(end)
        self.pid = self._next_number(None)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code; raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            try:
                self.returncode = self._next_number(timeout)
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired("packhound", timeout or 0) from None
            self._told.close()
        return self.returncode

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number: int) -> None:
        """Send a signal unless it has ended."""
        # Whoever forks has seen its end before it has told.
        with contextlib.suppress(ProcessLookupError):
            if self.poll() is None:
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def close(self) -> None:
        """Wait for it no more; it goes on."""
        self._told.close()

    def _next_number(self, timeout: float | None) -> int:
        self._told.settimeout(timeout)
        told = self._told.recv(4)
        assert told, "the process that forks has ended"
        return int.from_bytes(told, "little", signed=True)


@functools.cache
def _forks() -> socket.socket:
    """Return the connection to the process that forks, which ends when it is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        streams = [(os.POSIX_SPAWN_DUP2, theirs.fileno(), 0)]
        streams += [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
        command = [sys.executable, str(CHILD)]
        os.posix_spawn(sys.executable, command, OURS, file_actions=streams)
    return ours
