"""The Model Context Protocol for one agent: JSON-RPC 2.0, one message a line, tools only.

Written out because the official library takes a second of processor time to import and 45 MB, more
than the engine itself; it is the client of the tests. Each request gets one response, a cancelled
one and a notification none. Tools run in threads, so that a slow one delays neither a cancellation
nor another tool.
"""

from __future__ import annotations

import itertools
import json
import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any

from packhound import __version__
from packhound.core.errors import PackhoundError
from packhound.core.types import Json

log = logging.getLogger("packhound")

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions of the protocol, the newest first; with tools alone they are all the same."""

_WORKERS = 4
_LAST_ANSWERS_S = 10.0
_PARSE_ERROR, _INVALID_REQUEST, _NO_METHOD, _INVALID_PARAMS, _INTERNAL = (
    *(-32_700, -32_600, -32_601, -32_602),
    -32_603,
)


class _RefusalError(Exception):
    """A request that gets an error response."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Call:
    """A request in progress: `cancelled` is set when nobody waits for it any more."""

    def __init__(self, session: McpSession, params: Mapping[str, Any]) -> None:
        self.cancelled = threading.Event()
        self.session = session
        meta = params.get("_meta")
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
            self.session.notify("notifications/progress", {**params, "message": message})


class McpSession:
    """One client. `call_tool` returns the result of `tools/call`; it may raise PackhoundError."""

    def __init__(
        self,
        write: Callable[[str], object],
        instructions: str,
        list_tools: Callable[[], list[Json]],
        call_tool: Callable[[str, Mapping[str, object], Call], Json],
        on_roots_changed: Callable[[], None] = lambda: None,
        last_answers_s: float = _LAST_ANSWERS_S,
    ) -> None:
        """`last_answers_s` is the time for what is still asked when the client's stream ends."""
        self._last_answers_s = last_answers_s
        self._on_roots_changed = on_roots_changed
        self._write = write
        self._instructions = instructions
        self._list_tools = list_tools
        self._call_tool = call_tool
        self._write_lock = threading.Lock()
        self._calls: dict[str, Call] = {}
        self._running: set[Future[None]] = set()
        self._ids = itertools.count(1)
        self._requests: dict[str, Future[Any]] = {}
        self._client: Mapping[str, Any] = {}
        self._pool = ThreadPoolExecutor(_WORKERS, "packhound-tool")

    @property
    def client_capabilities(self) -> Mapping[str, Any]:
        """The capabilities that the client has declared."""
        capabilities = self._client.get("capabilities")
        return capabilities if isinstance(capabilities, dict) else {}

    def run(self, lines: Iterable[str]) -> None:
        """Answer the client until its stream ends, and for a while what it has asked before."""
        for line in lines:
            if line.strip():
                self._receive(line)
        # Most likely nobody reads any more; a tool cannot be stopped, but is not waited for.
        wait([*self._running], self._last_answers_s)
        for call in tuple(self._calls.values()):
            call.cancelled.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def notify(self, method: str, params: Json) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def request(self, method: str, params: Json | None = None) -> Future[Any]:
        """Send a request; the future has its result, or the client's refusal as an exception."""
        message_id = f"packhound-{next(self._ids)}"
        self._requests[message_id] = response = Future[Any]()
        self._send({"id": message_id, "method": method, "params": params or {}})
        return response

    def _receive(self, line: str) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            self._send_error(None, _PARSE_ERROR, f"not JSON: {error}")
            return
        if not isinstance(message, dict):
            self._send_error(None, _INVALID_REQUEST, "a message is an object")
        elif "method" not in message:
            self._resolve(message)
        elif "id" in message:
            self._answer(message["id"], str(message["method"]), message.get("params"))
        elif message["method"] == "notifications/cancelled":
            params = message.get("params")
            call = self._calls.pop(repr(isinstance(params, dict) and params.get("requestId")), None)
            if call:
                call.cancelled.set()
        elif message["method"] == "notifications/roots/list_changed":
            self._on_roots_changed()

    def _answer(self, message_id: object, method: str, params: object) -> None:
        params = params if isinstance(params, dict) else {}
        if method == "tools/call":
            self._calls[repr(message_id)] = call = Call(self, params)
            running = self._pool.submit(self._run_tool, message_id, params, call)
            self._running.add(running)
            running.add_done_callback(self._running.discard)
            return
        try:
            self._send({"id": message_id, "result": self._result(method, params)})
        except _RefusalError as refusal:
            self._send_error(message_id, refusal.code, str(refusal))

    def _result(self, method: str, params: Mapping[str, Any]) -> Json:
        if method == "initialize":
            self._client = params
            version = params.get("protocolVersion")
            return {
                "protocolVersion": version if version in VERSIONS else VERSIONS[0],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "packhound", "version": __version__},
                "instructions": self._instructions,
            }
        if method == "tools/list":
            return {"tools": self._list_tools()}
        if method == "ping":
            return {}
        raise _RefusalError(_NO_METHOD, f"unknown method {method!r:.100}")

    def _run_tool(self, message_id: object, params: Mapping[str, Any], call: Call) -> None:
        """Run a tool and respond, unless the call was cancelled; a refusal is a result."""
        name, arguments = params.get("name"), params.get("arguments") or {}
        try:
            if not isinstance(name, str) or not isinstance(arguments, dict):
                raise _RefusalError(_INVALID_PARAMS, "'name' is a text and 'arguments' an object")
            result = self._call_tool(name, arguments, call)
        except PackhoundError as problem:
            log.info("%s: %s", name, problem)
            result = {"content": [{"type": "text", "text": str(problem)}], "isError": True}
        except _RefusalError as refusal:
            self._send_error(message_id, refusal.code, str(refusal))
            return
        except Exception as error:
            log.exception("%s failed", name)
            self._send_error(message_id, _INTERNAL, f"{name} failed: {type(error).__name__}")
            return
        self._calls.pop(repr(message_id), None)
        if not call.cancelled.is_set():
            self._send({"id": message_id, "result": result})

    def _resolve(self, message: Mapping[str, Any]) -> None:
        response = self._requests.pop(str(message.get("id")), None)
        if response is None:
            return
        if "error" in message:
            response.set_exception(PackhoundError(f"the client refused: {message['error']!r:.200}"))
        else:
            response.set_result(message.get("result"))

    def _send_error(self, message_id: object, code: int, text: str) -> None:
        self._calls.pop(repr(message_id), None)
        self._send({"id": message_id, "error": {"code": code, "message": text}})

    def _send(self, message: Json) -> None:
        text = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        # A client that has gone needs no answer.
        with self._write_lock, suppress(OSError, ValueError):
            self._write(text)
