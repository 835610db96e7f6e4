"""The table of all messages: its handler, and the thread on which the handler runs.

A new message is one function in this package and one line here. `exit` and `$/cancelRequest` are
not in the table, since they belong to the connection: see `lsp/protocol`.
"""

from __future__ import annotations

from lsprotocol import types

from packhound.lsp.handlers import call_hierarchy as calls
from packhound.lsp.handlers import execute_command as commands
from packhound.lsp.handlers.accept import accept
from packhound.lsp.handlers.code_lens import code_lens, code_lens_resolve
from packhound.lsp.handlers.document_symbol import document_symbol
from packhound.lsp.handlers.explain import explain
from packhound.lsp.handlers.hover import hover
from packhound.lsp.handlers.log_level import log_level, set_trace
from packhound.lsp.handlers.overlay_text import overlay_text
from packhound.lsp.handlers.pack import pack, pack_item, pack_page
from packhound.lsp.handlers.picked import picked
from packhound.lsp.handlers.read import read
from packhound.lsp.handlers.rebuild import rebuild
from packhound.lsp.handlers.search import search
from packhound.lsp.handlers.status import status
from packhound.lsp.handlers.workspace_symbol import workspace_symbol, workspace_symbol_resolve
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.operations import operation_handler, traced_handler
from packhound.lsp.protocol import Handler
from packhound.operations import OPERATIONS
from packhound.service import EnginePool

_NOT_OF_EDITORS = ("forget", "forget_use", "rebuild_sources")
"""Operations whose requests have another name; `forget` is that of an agent's notes."""

ON_READING_THREAD: dict[str, Handler] = {
    # Start the session; pygls responds with the capabilities of the registered handlers.
    types.INITIALIZE: lambda ls, _: ls.start_session(),
    # Register for notifications, pull settings and open folders.
    types.INITIALIZED: lambda ls, _: ls.session.start(),
    # Begin to close the indexes; `exit` waits for them.
    types.SHUTDOWN: lambda ls, _: ls.session.close(timeout_s=0),
    types.TEXT_DOCUMENT_DID_OPEN: lambda ls, params: ls.session.documents.did_open(params),
    types.TEXT_DOCUMENT_DID_CHANGE: lambda ls, params: ls.session.documents.did_change(params),
    types.TEXT_DOCUMENT_DID_SAVE: lambda ls, params: ls.session.documents.did_save(params),
    types.TEXT_DOCUMENT_DID_CLOSE: lambda ls, params: ls.session.documents.did_close(params),
    types.NOTEBOOK_DOCUMENT_DID_OPEN: lambda ls, params: ls.session.documents.did_open(params),
    types.NOTEBOOK_DOCUMENT_DID_CHANGE: lambda ls, params: ls.session.documents.did_change(params),
    types.NOTEBOOK_DOCUMENT_DID_SAVE: lambda ls, params: ls.session.documents.did_save(params),
    types.NOTEBOOK_DOCUMENT_DID_CLOSE: lambda ls, params: ls.session.documents.did_close(params),
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: lambda ls, params: ls.session.change_settings(
        params.settings
    ),
    # Helix names all of its folders only here.
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: lambda ls, params: ls.session.change_folders(
        params.event
    ),
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: lambda ls, params: (
        ls.session.documents.did_change_files(tuple(change.uri for change in params.changes))
    ),
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: lambda ls, params: ls.session.cancel_indexing(
        params.token
    ),
    "packhound/picked": picked,
    "packhound/logLevel": log_level,
    types.SET_TRACE: set_trace,
}
"""Notifications and requests that return at once; they run in order of arrival."""

OF_OPERATIONS: dict[str, Handler] = {
    **{name: operation_handler(name) for name in OPERATIONS if name not in _NOT_OF_EDITORS},
    "forget": operation_handler("forget_use"),
    "search": traced_handler("search", search),
    "explain": traced_handler("explain", explain),
    "pack": traced_handler("pack", pack),
    "packItem": pack_item,
    "packPage": pack_page,
    "accept": traced_handler("accept", accept),
    "overlayText": overlay_text,
    "read": read,
    "status": status,
    "rebuild": rebuild,
}
"""Operations by the names of their requests; those of the editor's own documents come last."""

ON_WORKER_THREADS: dict[str, Handler] = {
    types.TEXT_DOCUMENT_HOVER: hover,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: document_symbol,
    types.TEXT_DOCUMENT_CODE_LENS: code_lens,
    types.CODE_LENS_RESOLVE: code_lens_resolve,
    types.WORKSPACE_SYMBOL: workspace_symbol,
    types.WORKSPACE_SYMBOL_RESOLVE: workspace_symbol_resolve,
    types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: calls.prepare_call_hierarchy,
    types.CALL_HIERARCHY_INCOMING_CALLS: calls.incoming_calls,
    types.CALL_HIERARCHY_OUTGOING_CALLS: calls.outgoing_calls,
    types.WORKSPACE_EXECUTE_COMMAND: commands.execute_command,
    **{f"packhound/{name}": handler for name, handler in OF_OPERATIONS.items()},
    "packhound/neighbors": OF_OPERATIONS["related"],
}
"""Requests that may take long; several run at a time, and each can be cancelled."""

COMMANDS: dict[str, Handler] = {
    f"packhound.server.{name.replace('/', '.')}": handler
    for name, handler in {**OF_OPERATIONS, "picked": picked}.items()
}
"""The same handlers as commands, for clients that cannot send requests of their own."""


def create_server(pool: EnginePool) -> PackhoundServer:
    """Return a server with all handlers registered, over the engines of a pool."""
    server = PackhoundServer(pool)
    register_handlers(server)
    return server


def register_handlers(server: PackhoundServer) -> None:
    """Register all handlers with a server."""
    options = {
        types.TEXT_DOCUMENT_DID_SAVE: types.SaveOptions(include_text=False),
        types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: calls.OPTIONS,
    }
    for method, handler in ON_READING_THREAD.items():
        server.feature(method, options.get(method))(handler)
    for method, handler in ON_WORKER_THREADS.items():
        server.thread()(server.feature(method, options.get(method))(handler))
    for command, handler in COMMANDS.items():
        server.command(command)(commands.as_command(command, handler))
