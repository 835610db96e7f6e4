"""A pygls server with our own streams, threads and end."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import NoReturn

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from packhound import __version__
from packhound.core.parent_process import watch_parent
from packhound.lsp.capabilities import Client, read_client
from packhound.lsp.jsonrpc.frames import FrameReader, FrameWriter, Params, WireError
from packhound.lsp.jsonrpc.lenient import lenient_converter
from packhound.lsp.jsonrpc.protocol import PackhoundProtocol
from packhound.lsp.jsonrpc.transport import Stream
from packhound.lsp.params import uri_in
from packhound.lsp.position import uri_of
from packhound.lsp.session import Session
from packhound.service.engine import Engine

# How long an index may take to close, and the last messages to leave.
FAREWELL_S = 1.0

log = logging.getLogger("packhound.lsp")


class PackhoundServer(LanguageServer):
    """One process, one client; `session` is there from `initialize` on."""

    protocol: PackhoundProtocol
    session: Session

    def __init__(self) -> None:
        super().__init__(
            "packhound",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=PackhoundProtocol,
            converter_factory=lenient_converter,
        )
        self._client: Client | None = None

    def serve(self, stream: Stream) -> NoReturn:
        """Serve one client until it says `exit`, hangs up, or cannot be followed any more."""
        code = 1
        frames = FrameWriter(stream.write, on_lost=lambda: os._exit(1))
        try:
            self.protocol.run(FrameReader(stream.read), frames)
            code = 0 if self.protocol.was_shut_down else 1
        except WireError as error:
            log.error("%s; the server ends so that the editor can start another", error)
        except KeyboardInterrupt:
            code = 130
        self.exit(code)

    def exit(self, code: int) -> NoReturn:
        """End the process, whatever is still running."""
        if self._client is not None:
            self.session.close(FAREWELL_S)
        self.protocol.close(FAREWELL_S)
        # Running searches are abandoned: waiting for them would keep the editor waiting.
        os._exit(code)

    def read_initialize(self, params: Params) -> types.InitializeParams:
        """Whatever a client says of itself, as params that pygls takes.

        Its capabilities are read from what came: the types of the protocol refuse values that are
        newer than they are, and structuring those of one editor takes longer than a search.
        """
        self._client = client = read_client(params)
        return types.InitializeParams(
            capabilities=types.ClientCapabilities(),
            process_id=client.process_id,
            workspace_folders=[
                types.WorkspaceFolder(uri_of(path), Path(path).name) for path in client.folders
            ],
        )

    def start_session(self) -> None:
        """The client has introduced itself."""
        assert self._client is not None
        self.session = Session(self, self._client)
        if self._client.process_id is not None:
            watch_parent(self._client.process_id, lambda: self.exit(1))

    def located(self, params: Params) -> tuple[Engine, str]:
        """The engine and path of the document that a request is about; raises for others."""
        self.session.wait_for_folders()
        uri = uri_in(params)
        place = self.session.locate(uri)
        if place is None:
            raise JsonRpcInvalidParams(f"'uri' is {uri!r:.200}, which is in no indexed folder")
        return place

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log it: a popup for each failed notification helps nobody."""
        log.error("%s", error)
