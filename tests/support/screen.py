"""A terminal with one program in it, driven and looked at through tmux."""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

# An editor on a busy machine; a test never waits this long where nothing is wrong.
PATIENCE_S = 240
_KEY = re.compile(r"Enter|Escape|Tab|Up|Down|BSpace|C-[\w\\]")


class Screen:
    """A terminal of its own with one program in it."""

    def __init__(
        self, socket: Path, command: list[str], env: dict[str, str], folder: Path | None = None
    ) -> None:
        self._tmux = ["tmux", "-S", str(socket), "-f", "/dev/null"]
        self._env = env
        size = ["-x", "140", "-y", "40"]
        where = ["-c", str(folder)] if folder else []
        self._run("new-session", "-d", "-s", "screen", *size, *where, shlex.join(command))

    def keys(self, *keys: str) -> None:
        self._run("send-keys", "-t", "screen", *keys)

    def type(self, text: str) -> None:
        """Press a key that has a name, or type a text."""
        self.keys(*([text] if _KEY.fullmatch(text) else ["-l", text]))

    def text(self) -> str:
        return self._run("capture-pane", "-p", "-t", "screen")

    def until(self, seen: Callable[[str], object], what: str) -> str:
        end = time.monotonic() + PATIENCE_S
        while True:
            text = self.text()
            if seen(text):
                return text
            assert time.monotonic() < end, f"waited in vain for {what}; the screen:\n{text}"
            time.sleep(0.1)

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], env=self._env, capture_output=True)

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._tmux, *arguments], env=self._env, capture_output=True, text=True, check=True
        )
        return done.stdout
