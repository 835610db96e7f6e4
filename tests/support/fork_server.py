"""The side of a process that has imported what others need, and forks for each start of them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import time

MAX_REQUEST = 1 << 20


def serve() -> list[str]:
    """Return in each fork, with its arguments; end when nobody can ask any more."""
    connection = socket.socket(fileno=os.dup(0))
    running: dict[int, socket.socket] = {}

    def reap(*_: object) -> None:
        for pid in [*running]:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                with running.pop(pid) as told:
                    tell(told, os.waitstatus_to_exitcode(status))

    signal.signal(signal.SIGCHLD, reap)
    while True:
        request, descriptors, _, _ = socket.recv_fds(connection, MAX_REQUEST, 4)
        if not request:
            sys.exit()
        *streams, told = descriptors
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        pid = os.fork()
        if not pid:
            break
        running[pid] = socket.socket(fileno=told)
        tell(running[pid], pid)
        for stream in streams:
            os.close(stream)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    for end in (connection, *running.values()):
        end.close()
    os.close(told)
    arguments, environment, folder = json.loads(request)
    become(environment, folder, streams)
    return arguments


def tell(told: socket.socket, number: int) -> None:
    """Send the process id or the exit code to whoever started it, if he is there."""
    with contextlib.suppress(OSError):
        told.sendall(number.to_bytes(4, "little", signed=True))


def become(environment: dict[str, str], folder: str, streams: list[int]) -> None:
    """Have what a process that starts has of its own."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(folder)
