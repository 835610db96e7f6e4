"""The pygls server with our streams, threads and exit."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from packhound import __version__
from packhound.core.parent_process import watch_parent
from packhound.lsp.capabilities import Client, read_client
from packhound.lsp.converter import lenient_converter
from packhound.lsp.params import uri_in
from packhound.lsp.protocol import PackhoundProtocol
from packhound.lsp.session import Session
from packhound.lsp.uris import uri_from_path
from packhound.rpc import Params, WireError, WriteQueue
from packhound.service import Engine, EnginePool, Listener

if TYPE_CHECKING:
    from packhound.relay import Stream

# Time for indexes to close, and for queued messages to be written, before the process exits.
EXIT_TIMEOUT_S = 1.0

log = logging.getLogger("packhound.lsp")


class PackhoundServer(LanguageServer):
    """One client in a process of its own; `session` exists from `initialize` on."""

    protocol: PackhoundProtocol
    session: Session

    def __init__(self, pool: EnginePool, on_folders: Listener = lambda: None) -> None:
        """Call `on_folders` when the folders of the client are open, and have its texts."""
        super().__init__(
            "packhound",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=PackhoundProtocol,
            converter_factory=lenient_converter,
        )
        self._pool, self._on_folders = pool, on_folders
        self._client: Client | None = None

    def serve(self, stream: Stream) -> NoReturn:
        """Serve one client until `exit`, the end of the stream, or a stream without frames."""
        exit_code = 1
        try:
            self.protocol.run(WriteQueue(stream))
            exit_code = self.protocol.exit_code()
        except WireError as error:
            log.error("%s; the server exits so that the editor can start another", error)
        except KeyboardInterrupt:
            exit_code = 130
        self.exit(exit_code)

    def exit(self, code: int) -> NoReturn:
        """End the session, and with it the process, whatever is still running."""
        if self._client is not None:
            self.session.close(EXIT_TIMEOUT_S)
        self.protocol.close(EXIT_TIMEOUT_S)
        self.end(code)

    def end(self, code: int) -> NoReturn:
        """End the process."""
        # Running searches are abandoned: joining their threads would keep the editor waiting.
        os._exit(code)

    def watch(self, process_id: int) -> None:
        """End the process soon after that of the client."""
        watch_parent(process_id, lambda: self.exit(1))

    def read_initialize(self, params: Params) -> types.InitializeParams:
        """Return the part of `initialize` that pygls needs.

        Capabilities are read from the plain object: lsprotocol refuses values that are newer than
        it is, and structuring those of one editor takes longer than a search.
        """
        self._client = client = read_client(params)
        return types.InitializeParams(
            capabilities=types.ClientCapabilities(),
            process_id=client.process_id,
            workspace_folders=[
                types.WorkspaceFolder(uri_from_path(path), Path(path).name)
                for path in client.folders
            ],
        )

    def start_session(self) -> None:
        """Create the session of the client that sent `initialize`."""
        assert self._client is not None
        self.session = Session(self, self._client, self._pool, self._on_folders)
        if self._client.process_id is not None:
            self.watch(self._client.process_id)

    def require_engine_path(self, params: Params) -> tuple[Engine, str]:
        """Return the engine and path of a request's document; raises JsonRpcInvalidParams."""
        self.session.wait_for_folders()
        uri = uri_in(params)
        engine_path = self.session.documents.locate(uri)
        if engine_path is None:
            raise JsonRpcInvalidParams(f"'uri' is {uri!r:.200}, which is in no indexed folder")
        return engine_path

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log the error: pygls would show a popup for each failed notification."""
        log.error("%s", error)
