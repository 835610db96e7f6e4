"""Parser processes that need not import what they run, which is most of what a short one costs."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from packhound.parsing.pool import worker
from tests.support.program import Program

CHILD = Path(__file__).with_name("parser_child.py")
_BOOT, _EXTRACTORS = 4, 8
_POPEN = subprocess.Popen


def fork_parsers() -> None:
    """Have the parser processes of this one forked, but for those with extractors of plugins.

    They are fresh processes with the arguments that they would have, but not its children.
    """
    if sys.platform == "linux":
        worker.subprocess = SimpleNamespace(**{**vars(subprocess), "Popen": _start})


def _start(command: list[str], **options: Any) -> Program | subprocess.Popen[bytes]:
    if command[_EXTRACTORS] or subprocess.Popen is not _POPEN:  # A test lets it fail.
        return subprocess.Popen(command, **options)
    return _Parser(command[_BOOT:], options["cwd"], options["bufsize"])


class _Parser(Program):
    def __init__(self, arguments: list[str], cwd: Path, buffer_size: int) -> None:
        (stdin, to_it), (from_it, stdout) = os.pipe(), os.pipe()
        with (
            open(stdin, "rb") as reads,
            open(stdout, "wb") as writes,
            open(os.devnull, "wb") as errors,
        ):
            super().__init__(arguments, os.environ, cwd, reads, writes, errors, child=CHILD)
        self.stdin = os.fdopen(to_it, "wb", buffer_size)
        self.stdout = os.fdopen(from_it, "rb", buffer_size)

    def kill(self) -> None:
        """Kill it without a look at its end, for which another thread may wait."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
