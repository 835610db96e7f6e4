"""`packhound lsp` as a relay to the daemon; all of it happens before anything heavy is imported."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from packhound import relay, rpc
from packhound.core.errors import PackhoundError
from packhound.core.parent_process import watch_parent
from packhound.core.private_file import make_private_folder
from packhound.core.user_folders import cache_folder
from packhound.lsp.hosted import SESSION

if TYPE_CHECKING:
    from packhound.relay import Stream
    from packhound.text import Encoding

_MAX_CHANGES = 500
"""Changes of a document that are repeated to a new server; more are applied to its text first."""


def read_initialize(stream: rpc.Rewindable) -> rpc.Params:
    """Return the params of the first message if it is `initialize`, and rewind the stream."""
    try:
        first = next(iter(rpc.FrameReader(stream)), None)
    except rpc.WireError:
        first = None
    stream.rewind()
    is_initialize = isinstance(first, dict) and first.get("method") == "initialize"
    params = first.get("params") if is_initialize and isinstance(first, dict) else None
    return params if isinstance(params, dict) else {}


def relay_to_daemon(stream: Stream, arguments: Mapping[str, object], process_id: object) -> None:
    """Relay to the daemon, which is started if need be, and end this process at the end.

    Returns where no daemon can be had.
    """
    cache = cache_folder()
    sessions = relay.EngineSessions(cache, SESSION, {**arguments, "relay": os.getpid()})
    try:
        make_private_folder(cache)
        relay.mark_editor(cache)  # Until this process ends.
        first = sessions.begin()
    except (PackhoundError, OSError):
        return
    if isinstance(process_id, int) and process_id > 0:
        watch_parent(process_id, lambda: os._exit(1))
    messages = Client(stream)
    try:
        relay.Relay(LspDialect(), sessions, stream).run(messages, first)
    except (rpc.WireError, OSError):
        os._exit(1)
    os._exit(0 if messages.has_shut_down else 1)


class Client:
    """The messages of a client until `exit`; what is no message is answered here."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self.has_shut_down = False

    def __iter__(self) -> Iterator[relay.Message]:
        for value in rpc.FrameReader(self._stream):
            if isinstance(value, rpc.Malformed):
                refusal = rpc.error_response(None, rpc.RpcError(rpc.PARSE_ERROR, value.reason))
                self._stream.write(rpc.encode(refusal))
                continue
            method = value.get("method") if isinstance(value, dict) else None
            if method == "exit":
                return
            self.has_shut_down = self.has_shut_down or method == "shutdown"
            yield relay.Message(rpc.encode(value), value)


class LspDialect:
    """Frames of the base protocol. A session is its settings, its folders and its documents."""

    def __init__(self) -> None:
        self._encoding: Encoding = "utf-16"
        self._workspace: dict[str, bytes] = {}
        self._folders: dict[str, dict[str, Any]] = {"added": {}, "removed": {}}
        self._documents: dict[str, list[dict[str, Any]]] = {}

    def read(self, stream: Stream) -> Iterator[relay.Message]:
        """Yield the messages of a server until it ends."""
        for value in rpc.FrameReader(stream):
            yield relay.Message(rpc.encode(value), value)

    def encode(self, value: dict[str, object]) -> bytes:
        """Return a message as a frame."""
        return rpc.encode(value)

    def initialized(self, result: Mapping[str, Any]) -> None:
        """Remember the position encoding that was chosen."""
        self._encoding = result.get("capabilities", {}).get("positionEncoding", self._encoding)

    def note(self, message: relay.Message) -> None:
        """Remember settings, folders and open documents."""
        value: Any = message.value
        match value["method"]:
            case "initialized" | "workspace/didChangeConfiguration":
                self._workspace[value["method"]] = message.wire
            case "workspace/didChangeWorkspaceFolders":
                self._note_folders(value)
            case "textDocument/didOpen" | "notebookDocument/didOpen":
                self._documents[_uri_of(value)] = [value]
            case "textDocument/didChange" | "notebookDocument/didChange":
                changes = self._documents.setdefault(_uri_of(value), [])
                changes.append(value)
                if len(changes) > _MAX_CHANGES:
                    self._compact(_uri_of(value))
            case "textDocument/didClose" | "notebookDocument/didClose":
                self._documents.pop(_uri_of(value), None)

    def cancelled(self, value: dict[str, object]) -> object:
        """Return no id: a cancelled request is answered."""
        return ""

    def writes(self, value: Mapping[str, Any]) -> bool:
        """Return True for requests that write a note."""
        return str(value.get("method")).removeprefix("packhound/") in relay.WRITING

    def answer_again(self, method: str) -> bool:
        """Return True for registrations, which the client keeps."""
        return method in ("client/registerCapability", "window/workDoneProgress/create")

    def state(self) -> Iterable[bytes]:
        """Yield the notifications of a session so far.

        Documents come before `initialized`, so that a server that opens the folders has them all.
        """
        for messages in self._documents.values():
            yield from map(rpc.encode, messages)
        yield from self._workspace.values()
        event = {name: [*folders.values()] for name, folders in self._folders.items()}
        if any(event.values()):
            method = "workspace/didChangeWorkspaceFolders"
            yield rpc.encode({"jsonrpc": "2.0", "method": method, "params": {"event": event}})

    def _note_folders(self, value: Mapping[str, Any]) -> None:
        """Remember which folders were added or removed last, not each change."""
        params = value.get("params")
        event = params.get("event") if isinstance(params, dict) else None
        for name, other in (("removed", "added"), ("added", "removed")):
            folders = event.get(name) if isinstance(event, dict) else None
            for folder in folders if isinstance(folders, list) else ():
                uri = str(folder.get("uri")) if isinstance(folder, dict) else ""
                self._folders[other].pop(uri, None)
                self._folders[name][uri] = folder

    def _compact(self, uri: str) -> None:
        """Put the text of a document in place of its changes."""
        from packhound.lsp.buffers import opened_after

        opened = opened_after(self._documents.pop(uri), self._encoding)
        if opened is not None:
            self._documents[uri] = [opened]


def _uri_of(value: Mapping[str, Any]) -> str:
    params = value.get("params")
    params = params if isinstance(params, dict) else {}
    document = params.get("textDocument", params.get("notebookDocument"))
    return str(document.get("uri")) if isinstance(document, dict) else ""
