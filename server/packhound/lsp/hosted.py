"""Sessions of editors in a process that serves their folder already, such as for agents."""

from __future__ import annotations

import logging
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from packhound.relay import SocketStream

if TYPE_CHECKING:
    from packhound.relay import EditorTexts
    from packhound.service import EnginePool

SESSION = "lsp"
"""Name of such sessions on the socket of a folder and of the background engine."""


def serve_editor(
    pool: EnginePool, editors: EditorTexts, connection: socket.socket, arguments: Mapping[str, Any]
) -> None:
    """Serve an editor on its socket until `exit` or the end of its stream."""
    # An agent's process never needs these, and they take half a second to load.
    from packhound.lsp.handlers.registry import register_handlers
    from packhound.lsp.language_server import PackhoundServer
    from packhound.lsp.logs import log_handlers

    class HostedServer(PackhoundServer):
        def end(self, code: int) -> NoReturn:
            raise SystemExit(code)

        def watch(self, process_id: int) -> None:
            """Leave that to the relay, whose end closes the connection."""

    relay_id = int(arguments["relay"])
    server = HostedServer(pool, lambda: editors.add(relay_id))
    register_handlers(server)
    log_file = arguments.get("log_file")
    handlers = log_handlers(server, Path(log_file) if log_file else None)
    logger = logging.getLogger("packhound")
    for handler in handlers:
        handler.setLevel(logging.DEBUG if arguments.get("verbose") else logging.INFO)
        logger.addHandler(handler)

    try:
        server.serve(SocketStream(connection))
    except SystemExit:
        pass  # Of the session, not of the process.
    finally:
        editors.discard(relay_id)
        for handler in handlers:
            logger.removeHandler(handler)
