"""Start an MCP server as an agent would, to see that it answers before it is configured."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from packhound.core.errors import SettingsError
from packhound.mcp.session import VERSIONS

_TIMEOUT_S = 60.0
_MAX_LOG = 500
"""Characters of a server's last words that are repeated."""


def check_server(command: Sequence[str], folder: Path) -> int:
    """Return the number of tools that a server offers when it is started in a folder.

    Raises SettingsError: it does not start, or does not answer.
    """
    problem = "it does not answer"
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        try:
            with _start(command, folder, log) as server:
                deadline = threading.Timer(_TIMEOUT_S, server.kill)
                deadline.start()
                try:
                    return _count_tools(server)
                finally:
                    deadline.cancel()
                    server.kill()
        except (OSError, ValueError, KeyError, TypeError) as error:
            problem = str(error) or problem
        log.seek(0)
        last_words = log.read().strip()[-_MAX_LOG:] or problem
    raise SettingsError(f"the server does not start in '{folder}': {last_words}")


def _start(command: Sequence[str], folder: Path, log: IO[str]) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=log, cwd=folder, encoding="utf-8"
    )


def _count_tools(server: subprocess.Popen[str]) -> int:
    """Shake hands and ask for the tools. Raises OSError, ValueError, KeyError or TypeError."""
    assert server.stdin is not None
    client = {"name": "packhound agents", "version": "1"}
    hello = {"protocolVersion": VERSIONS[0], "capabilities": {}, "clientInfo": client}
    for message in (
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list", "params": {}},
    ):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()
    assert server.stdout is not None
    for line in server.stdout:
        answer = json.loads(line)
        if answer.get("id") == 2:
            return len(answer["result"]["tools"])
    raise ValueError("it ends without an answer")
