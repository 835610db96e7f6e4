"""The language server: which method is answered by what, and the life of a process."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeAlias

from packhound import __version__
from packhound.lsp import answers
from packhound.lsp.client import read_client
from packhound.lsp.documents import Documents
from packhound.lsp.logs import log_to
from packhound.lsp.parent import watch_parent
from packhound.lsp.protocol import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    Connection,
    Params,
    RefusedError,
    Route,
)
from packhound.lsp.session import Session
from packhound.lsp.transport import Stream, accept_one, take_stdio
from packhound.lsp.wire import FrameReader, FrameWriter, WireError

Answer: TypeAlias = Callable[[Session, Params, threading.Event], object]

# Every request that is answered from the index. A new one is a line here and a function.
REQUESTS: dict[str, Answer] = {
    "packhound/search": answers.search,
    "packhound/explain": answers.explain,
    "packhound/related": answers.related,
    "packhound/status": answers.status,
    "packhound/rebuild": answers.rebuild,
    "workspace/symbol": answers.symbols,
    "workspaceSymbol/resolve": answers.resolve_symbol,
    "textDocument/hover": answers.hover,
}

# The same as commands, for clients that can send nothing else; each takes one optional object.
COMMANDS: dict[str, str] = {
    "packhound.server.search": "packhound/search",
    "packhound.server.explain": "packhound/explain",
    "packhound.server.related": "packhound/related",
    "packhound.server.status": "packhound/status",
    "packhound.server.rebuild": "packhound/rebuild",
}

NOTICES: dict[str, Callable[[Session, Params], None]] = {
    "initialized": lambda session, _: session.start(),
    "textDocument/didOpen": lambda session, params: session.documents.did_open(params),
    "textDocument/didChange": lambda session, params: session.documents.did_change(params),
    "textDocument/didSave": lambda session, params: session.documents.did_save(params),
    "textDocument/didClose": lambda session, params: session.documents.did_close(params),
    "workspace/didChangeConfiguration": lambda session, params: session.change_settings(params),
    "workspace/didChangeWorkspaceFolders": lambda session, params: session.change_folders(params),
    "workspace/didChangeWatchedFiles": lambda session, params: _touch(session.documents, params),
    "window/workDoneProgress/cancel": lambda session, params: session.progress.cancel(params),
}

# How long an index may take to close, and the last messages to leave.
FAREWELL_S = 1.0

log = logging.getLogger("packhound.lsp")


def serve(
    *,
    tcp: tuple[str, int] | None = None,
    log_file: Path | None = None,
    verbose: bool = False,
) -> NoReturn:
    """Serve one client on standard input and output, or on a loopback address; ends the process.

    Raises SettingsError for an address that other machines could reach, and OSError for one that
    is in use.
    """
    stream = accept_one(*tcp) if tcp else take_stdio()
    # Python's default of 5 ms is longer than a whole search: it would be most of the waiting.
    sys.setswitchinterval(0.001)
    _serve(stream, log_file, verbose)


def run_stdio() -> NoReturn:
    """Serve on standard input and output."""
    serve()


def run_tcp(host: str, port: int) -> NoReturn:
    """Serve the first client that connects."""
    serve(tcp=(host, port))


def _serve(stream: Stream, log_file: Path | None, verbose: bool) -> NoReturn:
    writer = FrameWriter(stream.write, on_lost=lambda: os._exit(1))
    connection = Connection(FrameReader(stream.read), writer)
    log_to(connection, log_file, verbose=verbose)
    Server(connection).run()


@dataclass(slots=True)
class Server:
    """The state of the protocol; `run` never returns."""

    connection: Connection
    session: Session | None = None
    shut_down: bool = False

    def run(self) -> NoReturn:
        """Serve one client until it says `exit`, hangs up, or cannot be followed any more."""
        code = 1
        try:
            self.connection.run(self)
            code = 0 if self.shut_down else 1
        except WireError as error:
            log.error("%s; the server ends so that the editor can start another", error)
        except KeyboardInterrupt:
            code = 130
        self.exit(code)

    def route(self, method: str, params: Params) -> Route:
        """Who answers a request now; raises RefusedError as the protocol says."""
        if self.shut_down:
            raise RefusedError(INVALID_REQUEST, "the server was shut down")
        if method == "initialize":
            return Route(self._initialize, "here")
        if self.session is None:
            raise RefusedError(NOT_INITIALIZED, "the server is not initialized")
        if method == "shutdown":
            return Route(self._shut_down, "here")
        if method == "workspace/executeCommand":
            return _command_route(self.session, params)
        if method not in REQUESTS:
            raise RefusedError(METHOD_NOT_FOUND, f"no method {method!r:.100}")
        return _request_route(self.session, method, params)

    def notice(self, method: str, params: Params) -> None:
        """Take a notification; unknown ones are ignored, as the protocol says."""
        if method == "exit":
            self.exit(0 if self.shut_down else 1)
        if self.session is None or self.shut_down:
            return
        if method in NOTICES:
            NOTICES[method](self.session, params)

    def exit(self, code: int) -> NoReturn:
        """End the process, whatever is still running."""
        if self.session is not None:
            self.session.close(FAREWELL_S)
        self.connection.close(FAREWELL_S)
        # Running searches are abandoned: waiting for them would keep the editor waiting.
        os._exit(code)

    def _initialize(self, params: Params, cancel: threading.Event) -> object:
        if self.session is not None:
            raise RefusedError(INVALID_REQUEST, "the server is initialized already")
        client = read_client(params)
        self.session = Session(self.connection, client)
        if client.process_id is not None:
            watch_parent(client.process_id, lambda: self.exit(1))
        return {
            "capabilities": _capabilities(client.encoding),
            "serverInfo": {"name": "packhound", "version": __version__},
        }

    def _shut_down(self, params: Params, cancel: threading.Event) -> None:
        self.shut_down = True
        self.connection.cancel_all(but=cancel)
        if self.session is not None:
            self.session.close(timeout_s=0)


def _capabilities(encoding: str) -> dict[str, object]:
    return {
        "positionEncoding": encoding,
        "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
        "hoverProvider": True,
        "workspaceSymbolProvider": {"resolveProvider": True},
        "executeCommandProvider": {"commands": list(COMMANDS)},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
    }


def _request_route(session: Session, method: str, params: Params) -> Route:
    answer = REQUESTS[method]

    def handler(_: Params, cancel: threading.Event) -> object:
        session.wait_for_folders()
        return answer(session, params, cancel)

    waits = method == "packhound/status" and params.get("wait") is True
    return Route(handler, "waiting" if waits else "aside")


def _command_route(session: Session, params: Params) -> Route:
    command, arguments = params.get("command"), params.get("arguments")
    if not isinstance(command, str) or command not in COMMANDS:
        legal = ", ".join(COMMANDS)
        raise RefusedError(INVALID_PARAMS, f"'command' is {command!r:.80}; legal: {legal}")
    given = arguments if isinstance(arguments, list) else []
    argument = given[0] if given else None
    if len(given) > 1 or not isinstance(argument, dict | None):
        raise RefusedError(INVALID_PARAMS, f"{command} takes one object or nothing")
    return _request_route(session, COMMANDS[command], argument or {})


def _touch(documents: Documents, params: Params) -> None:
    changes = params.get("changes")
    uris = (
        [c.get("uri") for c in changes if isinstance(c, dict)] if isinstance(changes, list) else []
    )
    documents.did_touch(tuple(uri for uri in uris if isinstance(uri, str)))
