"""Relay of a client's session: each request gets one response, whatever becomes of the server.

When the serving process ends, or is ended because it gives no sign of life, the relay connects to
the next one, repeats what the session consists of (its dialect remembers that), and sends each
request again that has no response yet. The client sees nothing of it: responses to what was
repeated are dropped. A request that could write twice, or that has ended several servers, gets an
error in place of another try.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress

from packhound.core.errors import PackhoundError, StoreError
from packhound.relay.connection import UNKNOWN_OUTCOME
from packhound.relay.liveness import SILENCE_S
from packhound.relay.sender import Sender
from packhound.relay.streams import SocketStream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from packhound.relay.dialect import Dialect, Stream
    from packhound.relay.engine_process import EngineSessions

_EXIT_S = 2.0
"""Time for the server to answer what a client has asked before it closed its end."""
_RETRY_S = 0.1
_MAX_RETRIES = 20
_MAX_TRIES = 5
"""Servers that get one request; what ends all of them would end the next one too."""
_INTERNAL_ERROR = -32_603
_ENDS_SERVERS = (
    f"the engine ended {_MAX_TRIES} times while it worked on this request; see engine.log in the"
    " state folder, and report it"
)
_ENDS_AT_ONCE = "the engine ends each session without an answer; see engine.log in the state folder"


class Message:
    """One message: its bytes on the wire, and its JSON value, None if it is not JSON."""

    def __init__(self, wire: bytes, value: object) -> None:
        self.wire, self.value = wire, value


class _Request:
    """A request without a response, and how many servers have been sent it."""

    def __init__(self, message: Message, n_tries: int) -> None:
        self.message, self.n_tries = message, n_tries


class Relay:
    """One client, which is hung up on where there is no server any more."""

    def __init__(
        self,
        dialect: Dialect,
        sessions: EngineSessions,
        client: Stream,
    ) -> None:
        self._dialect, self._sessions, self._client = dialect, sessions, client
        # What the client says is noted and sent in one step, so that a replay misses nothing.
        self._lock = threading.Lock()
        self._server: Sender | None = None
        self._n_servers = 0
        self._n_server_requests = 0
        self._server_requests: dict[str, tuple[int, object]] = {}
        self._initialize: Message | None = None
        self._pending: dict[str, list[_Request]] = {}
        self._n_silent = 0
        self._n_received = 0
        self._spoken = threading.Event()
        self._client_gone = threading.Event()

    def run(self, client: Iterable[Message], first: socket.socket) -> None:
        """Relay until the client closes its end, beginning with a server's `first` session."""
        follower = threading.Thread(target=self._follow, args=(first,), daemon=True)
        follower.start()
        threading.Thread(target=self._watch, daemon=True).start()
        for message in client:
            self._from_client(message)
            self._spoken.set()
        self._client_gone.set()
        with self._lock:
            if self._server:
                self._server.end()
        follower.join(_EXIT_S)

    def _from_client(self, message: Message) -> None:
        with self._lock:
            wire, server = self._to_send(message), self._server
            if wire and server:
                server.send(wire)
        if server:
            server.wait_for_room()

    def _to_send(self, message: Message) -> bytes:
        """Return the bytes to send, empty for an answer to a server that is gone."""
        value = message.value
        if not isinstance(value, dict):
            return message.wire
        if "method" not in value:
            n_server, request_id = self._server_requests.pop(repr(value.get("id")), (0, None))
            if n_server != self._n_servers:
                return b""
            return self._dialect.encode({**value, "id": request_id})
        if "id" in value:
            request = _Request(message, int(self._server is not None))
            self._pending.setdefault(repr(value["id"]), []).append(request)
            if value["method"] == "initialize":
                self._initialize = message
            return message.wire
        self._pending.pop(repr(self._dialect.cancelled(value)), None)
        self._dialect.note(message)
        return message.wire

    def _watch(self) -> None:
        """Have a server ended that leaves the client waiting and gives no sign of life.

        The thread that follows it then sees its end; this one sleeps while nothing is asked.
        """
        while self._spoken.wait():
            self._spoken.clear()
            while self._pending or (self._server and self._server.n_bytes):
                n_received = self._n_received
                if self._client_gone.wait(SILENCE_S):
                    return
                if n_received == self._n_received:
                    self._sessions.end_if_hung()

    def _follow(self, server: socket.socket) -> None:
        """Pass on what servers say, one after the other, until the client is gone."""
        while True:
            sender = Sender(server)
            with suppress(OSError):
                self._n_servers += 1
                self._n_silent += 1
                messages = self._dialect.read(SocketStream(server))
                self._join(sender, messages)
                for message in messages:
                    self._from_server(sender, message)
            with self._lock:
                self._server = None
            sender.close()
            if self._client_gone.is_set():
                return
            try:
                if self._n_silent > _MAX_RETRIES:
                    raise StoreError(_ENDS_AT_ONCE)
                self._client_gone.wait(_RETRY_S if self._n_silent > 1 else 0)
                server = self._reconnect()
            except PackhoundError as problem:
                sys.stderr.write(f"Error: {problem}\n")
                self._client.hang_up()
                return

    def _reconnect(self) -> socket.socket:
        for _ in range(_MAX_RETRIES):
            with suppress(PackhoundError):
                return self._sessions.begin()
            if self._client_gone.wait(_RETRY_S):
                break
        return self._sessions.begin()

    def _join(self, server: Sender, messages: Iterator[Message]) -> None:
        """Bring a server to where the client is, and let the client talk to it."""
        for refusal in self._refuse_requests():
            self._write(refusal)
        initialize = self._initialize
        if initialize and isinstance(initialize.value, dict):
            server.send(initialize.wire)
            for message in messages:
                self._from_server(server, message)
                if _answers(message.value, initialize.value):
                    break
            else:
                return  # It has ended.
        with self._lock:
            if initialize:
                for wire in self._dialect.state():
                    server.send(wire)
            for requests in tuple(self._pending.values()):
                for request in requests:
                    request.n_tries += 1
                    server.send(request.message.wire)
            self._server = server

    def _refuse_requests(self) -> list[bytes]:
        """Return the responses to requests that no further server gets."""
        responses = []
        with self._lock:
            pending = [request for requests in self._pending.values() for request in requests]
            for request in pending:
                value, problem = request.message.value, self._problem(request)
                if problem and isinstance(value, dict):
                    self._pop_pending(repr(value["id"]))
                    error = {"code": _INTERNAL_ERROR, "message": problem}
                    response = {"jsonrpc": "2.0", "id": value["id"], "error": error}
                    responses.append(self._dialect.encode(response))
        return responses

    def _problem(self, request: _Request) -> str:
        """Return why a request is not sent again; empty if it is."""
        value = request.message.value
        if request.n_tries and isinstance(value, dict) and self._dialect.writes(value):
            return UNKNOWN_OUTCOME
        return _ENDS_SERVERS if request.n_tries >= _MAX_TRIES else ""

    def _from_server(self, server: Sender, message: Message) -> None:
        self._n_silent = 0
        self._n_received += 1
        value = message.value
        if not isinstance(value, dict) or "id" not in value:
            self._write(message.wire)
            return
        if "method" in value:
            self._pass_request(server, value)
            return
        if self._initialize and _answers(value, self._initialize.value):
            result = value.get("result")
            self._dialect.initialized(result if isinstance(result, dict) else {})
        if value["id"] is None or self._pop_pending(repr(value["id"])):
            self._write(message.wire)

    def _pass_request(self, server: Sender, value: dict[str, object]) -> None:
        """Pass on a request of the server, under an id that no other server has used."""
        if self._n_servers > 1 and self._dialect.answer_again(str(value["method"])):
            answer = {"jsonrpc": "2.0", "id": value["id"], "result": None}
            server.send(self._dialect.encode(answer))
            return
        self._n_server_requests += 1
        request_id = f"relay-{self._n_server_requests}"
        self._server_requests[repr(request_id)] = self._n_servers, value["id"]
        self._write(self._dialect.encode({**value, "id": request_id}))

    def _write(self, wire: bytes) -> None:
        try:
            self._client.write(wire)
        except OSError:
            self._client.hang_up()  # Nobody reads.

    def _pop_pending(self, key: str) -> bool:
        requests = self._pending.get(key)
        if not requests:
            return False
        requests.pop(0)
        if not requests:
            self._pending.pop(key, None)
        return True


def _answers(response: object, request: object) -> bool:
    """Return True if a message is the response to a request."""
    if not isinstance(response, dict) or not isinstance(request, dict):
        return False
    return "method" not in response and response.get("id") == request["id"]


def json_value(text: bytes) -> object:
    """Return the JSON value of a text, None if it has none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
