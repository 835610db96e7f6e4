"""`packhound mcp` as a relay: a process of the standard library between an agent and the engine.

The command line executes this file, so that nothing of what it has imported stays in memory.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

if __name__ == "__main__":
    # Without `site` Python finds nothing but its standard library; the folder of this file goes.
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from packhound.core.errors import PackhoundError, StoreError
from packhound.core.parent_process import watch_parent
from packhound.relay.connection import WRITING
from packhound.relay.engine_process import EngineSessions
from packhound.relay.relay import Message, Relay, json_value
from packhound.relay.streams import Stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from packhound.relay.dialect import Stream

SESSION = "mcp"
"""Name of such sessions on the socket of the background engine."""


class McpDialect:
    """JSON texts, one a line. A session is its `initialize` and `notifications/initialized`."""

    def __init__(self) -> None:
        self._initialized: list[bytes] = []

    def read(self, stream: Stream) -> Iterator[Message]:
        """Yield the lines of a stream until it ends."""
        parts: list[bytes] = []
        while data := stream.read():
            *lines, rest = data.split(b"\n")
            for line in lines:
                wire = b"".join((*parts, line, b"\n"))
                parts.clear()
                if wire.strip():
                    yield Message(wire, json_value(wire))
            if rest:
                parts.append(rest)

    def encode(self, value: dict[str, object]) -> bytes:
        """Return a message as a line."""
        return json.dumps(value).encode() + b"\n"

    def note(self, message: Message) -> None:
        """Remember that the client is initialized."""
        value = message.value
        if isinstance(value, dict) and value.get("method") == "notifications/initialized":
            self._initialized = [message.wire]

    def cancelled(self, value: dict[str, Any]) -> object:
        """Return the id of a cancelled request, which MCP does not answer."""
        params = value.get("params")
        if value.get("method") != "notifications/cancelled" or not isinstance(params, dict):
            return ""
        return params.get("requestId")

    def writes(self, value: dict[str, Any]) -> bool:
        """Return True for a call of a tool that writes a note or a skill anew each time."""
        params = value.get("params")
        return isinstance(params, dict) and str(params.get("name")) in WRITING

    def answer_again(self, method: str) -> bool:
        """Return False: each server asks for roots anew."""
        return False

    def initialized(self, result: dict[str, object]) -> None:
        """Ignore the result of `initialize`."""

    def state(self) -> Iterable[bytes]:
        """Return the notification that ends the initialization."""
        return self._initialized


def run_mcp_relay(cache: Path, arguments: dict[str, object]) -> None:
    """Relay standard input and output until the input ends. Raises PackhoundError before that.

    `arguments` are those of the session: the roots, and the settings of the command line.
    """
    # Python would first wait for a line of input, which may never come.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    watch_parent(os.getppid(), lambda: os._exit(1))
    dialect, agent = McpDialect(), Stdio()
    sessions = EngineSessions(cache, SESSION, arguments)
    Relay(dialect, sessions, agent).run(dialect.read(agent), sessions.begin())


def main() -> None:
    """Run the relay with the arguments of `packhound.mcp.relay_command`."""
    cache, arguments, alone = sys.argv[1:]
    try:
        run_mcp_relay(Path(cache), json.loads(arguments))
    except StoreError as problem:
        # Nothing was read yet, so another process can serve this client.
        command = [*json.loads(alone), "--alone", str(problem)]
        os.execv(command[0], command)
    except PackhoundError as problem:
        sys.stderr.write(f"Error: {problem}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
    # A thread may still read from the server.
    sys.stdout.flush()
    os._exit(0)
