"""Entry point of the language server: `packhound lsp` calls `serve`.

Nothing heavy is imported at the top, so that standard output is reserved for the protocol before
anything can print.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import NoReturn

from packhound.lsp.hosted import SESSION, LspSessions
from packhound.lsp.join import claim_or_relay, read_initialize
from packhound.lsp.jsonrpc.tcp import TcpAddress, accept_client
from packhound.lsp.jsonrpc.transport import take_stdio
from packhound.lsp.uris import folder_paths


def serve(
    *,
    tcp: TcpAddress | None = None,
    log_file: Path | None = None,
    verbose: bool = False,
) -> NoReturn:
    """Serve one client on standard input and output, or over TCP; ends the process.

    Raises SettingsError for an address or token file that must not be used or a log file that
    cannot be written, and OSError for an address that is in use.
    """
    stream = accept_client(tcp) if tcp else take_stdio()
    stream, params = read_initialize(stream)
    root, claim = next(map(Path, folder_paths(params)), None), None
    if root and root.is_dir() and not tcp:
        claim = claim_or_relay(stream, root, params.get("processId"))
    # Python's default of 5 ms is longer than a whole search and would dominate latency.
    sys.setswitchinterval(0.001)
    # lsprotocol has hundreds of classes that live for ever; collecting garbage among them would
    # take an eighth of the time that they take to load.
    gc.disable()
    from packhound.api import EngineHost
    from packhound.lsp.handlers.registry import create_server
    from packhound.lsp.logs import log_to

    gc.enable()
    gc.freeze()
    host = EngineHost()
    host.sessions = {SESSION: LspSessions(host)}
    if root and claim:
        host.take(root, claim)
    server = create_server(host)
    log_to(server, log_file, verbose=verbose)
    server.serve(stream)
