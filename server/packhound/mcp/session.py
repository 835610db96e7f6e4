"""The Model Context Protocol for one agent: tools only, over `packhound.rpc`.

Written out because the official library takes a second of processor time to import and 45 MB, more
than the engine itself; it is the client of the tests. Tools run in threads, so that a slow one
delays neither a cancellation nor another tool. A cancelled call gets no response.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from packhound import __version__, rpc
from packhound.core.errors import PackhoundError
from packhound.core.log import log
from packhound.core.types import Json
from packhound.redact import without_secrets

if TYPE_CHECKING:
    from packhound.relay import Stream

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions of the protocol, the newest first; with tools alone they are all the same."""

_LAST_ANSWERS_S = 10.0


class Call:
    """A call of a tool: `cancelled` is set when nobody waits for it any more."""

    def __init__(self, session: McpSession, request: rpc.Request) -> None:
        self.cancelled = request.cancelled
        self.session = session
        meta = _object(request.params).get("_meta")
        self._token = meta.get("progressToken") if isinstance(meta, dict) else None
        self._progress = -1.0

    @property
    def wants_progress(self) -> bool:
        """Return True if the client has sent a token for notifications of progress."""
        return self._token is not None

    def report(self, progress: float, total: float, message: str) -> None:
        """Notify the client of progress, if it has asked for that; it only ever grows."""
        if self._token is not None and progress > self._progress and not self.cancelled.is_set():
            self._progress = progress
            params = {"progressToken": self._token, "progress": progress, "total": total}
            self.session.rpc.notify("notifications/progress", {**params, "message": message})


class Tools(Protocol):
    """What a session offers."""

    instructions: str

    def list(self, session: McpSession) -> list[Json]:
        """Return the tools as `tools/list` has them."""

    def call(self, name: str, arguments: Mapping[str, object], call: Call) -> Json:
        """Return the result of `tools/call`. Raises PackhoundError."""

    def forget_roots(self) -> None:
        """Take note that the client's roots have changed; called by the thread that reads."""


class McpSession(rpc.Service):
    """One client."""

    def __init__(
        self, stream: Stream, tools: Tools, last_answers_s: float = _LAST_ANSWERS_S
    ) -> None:
        """`last_answers_s` is the time for what is still asked when the client's stream ends."""
        self._last_answers_s, self._tools = last_answers_s, tools
        self.rpc = rpc.Session(rpc.LINES, stream, self, answers_cancelled=False)
        self.client_capabilities: Mapping[str, Any] = {}

    def run(self) -> None:
        """Answer the client until its stream ends, and for a while what it has asked before."""
        self.rpc.run()
        # Most likely nobody reads any more; a tool cannot be stopped, but is not waited for.
        self.rpc.close(self._last_answers_s)

    def accept(self, request: rpc.Request) -> rpc.Work:
        """Return the work of a request. Raises RpcError."""
        params = _object(request.params)
        match request.method:
            case "tools/call":
                return rpc.Work(partial(self._run_tool, params, Call(self, request)), True)
            case "initialize":
                self.client_capabilities = _object(params.get("capabilities"))
                return rpc.Work(partial(self._describe, params.get("protocolVersion")), False)
            case "tools/list":
                return rpc.Work(lambda: {"tools": self._tools.list(self)}, True)
            case "ping":
                return rpc.Work(dict, False)
        return super().accept(request)

    def receive(self, method: str, params: object) -> None:
        """Take a notification."""
        if method == "notifications/cancelled":
            self.rpc.cancel(_object(params).get("requestId"))
        elif method == "notifications/roots/list_changed":
            self._tools.forget_roots()

    def _describe(self, version: object) -> Json:
        return {
            "protocolVersion": version if version in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "packhound", "version": __version__},
            "instructions": self._tools.instructions,
        }

    def _run_tool(self, params: Mapping[str, Any], call: Call) -> Json:
        """Return the result of a tool; a refusal is a result too."""
        name, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise rpc.RpcError(rpc.INVALID_PARAMS, "'name' is a text and 'arguments' an object")
        try:
            return self._tools.call(name, arguments, call)
        except PackhoundError as problem:
            log.info("%s: %s", name, str(problem).partition("\n")[0])
            text = without_secrets(str(problem))
            return {"content": [{"type": "text", "text": text}], "isError": True}
        except Exception as error:
            log.exception("%s failed", name)
            message = f"{name} failed: {type(error).__name__}"
            raise rpc.RpcError(rpc.INTERNAL_ERROR, message) from error


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
