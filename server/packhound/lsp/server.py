"""Entry point of the language server: `packhound lsp` calls `serve`.

Nothing heavy is imported at the top, so that standard output is reserved for the protocol before
anything can print.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import NoReturn

from packhound.core.log_file import create_log_handler
from packhound.lsp.join import read_initialize, relay_to_daemon
from packhound.lsp.tcp import TcpAddress, accept_client
from packhound.rpc import Rewindable, take_stdio


def serve(
    *,
    tcp: TcpAddress | None = None,
    log_file: Path | None = None,
    verbose: bool = False,
    alone: bool = False,
) -> NoReturn:
    """Serve one client on standard input and output, or over TCP; ends the process.

    It is a relay to the daemon unless it is `alone`, over TCP, or no daemon can be had.

    Raises SettingsError for an address or token file that must not be used or a log file that
    cannot be written, and OSError for an address that is in use.
    """
    stream = accept_client(tcp) if tcp else Rewindable(take_stdio())
    if not tcp and not alone:
        params = read_initialize(stream)
        log_path = str(log_file.absolute()) if log_file else ""
        if log_file:
            create_log_handler(log_file).close()  # It is the daemon that writes it.
        relay_to_daemon(stream, {"log_file": log_path, "verbose": verbose}, params.get("processId"))
    # Python's default of 5 ms is longer than a whole search and would dominate latency.
    sys.setswitchinterval(0.001)
    # lsprotocol has hundreds of classes that live for ever; collecting garbage among them would
    # take an eighth of the time that they take to load.
    gc.disable()
    from packhound.lsp.handlers.registry import create_server
    from packhound.lsp.logs import log_to
    from packhound.service import EnginePool

    gc.enable()
    gc.freeze()
    server = create_server(EnginePool())
    log_to(server, log_file, verbose=verbose)
    server.serve(stream)
