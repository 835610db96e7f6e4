"""A process that has imported `packhound`, loaded its models, and forks for each start."""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import socket
import sys
import time
from pathlib import Path

import onnxruntime  # noqa: F401 - no fork need import what these do
import rich.live
import rich.progress
import rich.table  # noqa: F401
import tokenizers  # noqa: F401

import packhound.cli.commands
import packhound.lsp.handlers.registry

sys.path.append(str(Path(__file__).parents[2]))
from tests.support.models import load_models

sys.path.pop()

MAX_REQUEST = 1 << 20


def import_packages() -> None:
    """Import what each package exports, most of which is imported when it is first used."""
    for module in pkgutil.walk_packages(packhound.__path__, "packhound."):
        if module.ispkg:
            package = importlib.import_module(module.name)
            for name in getattr(package, "__all__", ()):
                getattr(package, name)


def main() -> None:
    """Return in each fork; end when nobody can ask any more."""
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
    become(*json.loads(request), streams)


def tell(told: socket.socket, number: int) -> None:
    """Send the process id or the exit code to whoever started it, if he is there."""
    with contextlib.suppress(OSError):
        told.sendall(number.to_bytes(4, "little", signed=True))


def become(
    arguments: list[str], environment: dict[str, str], folder: str, streams: list[int]
) -> None:
    """Have what a process of `python -m packhound` has when it starts."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(folder)
    sys.path[0] = folder
    sys.path[1:1] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv[1:] = arguments


import_packages()
models = load_models()
gc.freeze()  # Else each fork copies what it looks through for garbage.
main()
runpy.run_module("packhound", run_name="__main__", alter_sys=True)
