"""What the server does, each message a function: the standard ones here, our own in `requests`."""

from __future__ import annotations

from lsprotocol import types

from packhound.core.types import Query
from packhound.lsp import requests
from packhound.lsp.hover import hover_text
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.languageserver import PackhoundServer
from packhound.lsp.params import text_in
from packhound.lsp.places import Places
from packhound.lsp.requests import find
from packhound.lsp.symbols import hit_of, resolved, symbol_of

# Editors show a list; a hundred symbols are a few milliseconds of JSON.
SYMBOLS = 100

server = PackhoundServer()


@server.feature(types.INITIALIZE)
def initialize(ls: PackhoundServer, params: types.InitializeParams) -> None:
    """The client introduces itself."""
    ls.start_session()


@server.feature(types.INITIALIZED)
def initialized(ls: PackhoundServer, params: object) -> None:
    """The client is ready to be asked."""
    ls.session.start()


@server.feature(types.SHUTDOWN)
def shutdown(ls: PackhoundServer, params: object) -> None:
    """Indexes begin to close; `exit` waits for them."""
    ls.session.close(timeout_s=0)


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def did_open(ls: PackhoundServer, params: Params) -> None:
    """From now on the text of the editor counts."""
    ls.session.documents.did_open(params)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def did_change(ls: PackhoundServer, params: Params) -> None:
    """The next search sees this edit."""
    ls.session.documents.did_change(params)


@server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))
def did_save(ls: PackhoundServer, params: Params) -> None:
    """The file has changed as well."""
    ls.session.documents.did_save(params)


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def did_close(ls: PackhoundServer, params: Params) -> None:
    """From now on the file on disk counts."""
    ls.session.documents.did_close(params)


@server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
def did_change_configuration(
    ls: PackhoundServer, params: types.DidChangeConfigurationParams
) -> None:
    """Settings apply at once."""
    ls.session.change_settings(params.settings)


@server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
def did_change_folders(ls: PackhoundServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Folders come and go; some clients name them here only."""
    ls.session.change_folders(params.event)


@server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def did_change_files(ls: PackhoundServer, params: types.DidChangeWatchedFilesParams) -> None:
    """The disk changed."""
    ls.session.documents.did_touch(tuple(change.uri for change in params.changes))


@server.feature("packhound/picked")
def did_pick(ls: PackhoundServer, params: Params) -> None:
    """The user opened a result: where habits count, it comes first the next time."""
    requests.picked(ls, params)


@server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
def cancel_progress(ls: PackhoundServer, params: types.WorkDoneProgressCancelParams) -> None:
    """The user does not want to wait for the rest of the index."""
    ls.session.progress.cancel(params.token)


@server.thread()
@server.feature(types.WORKSPACE_SYMBOL)
def symbols(
    ls: PackhoundServer, params: types.WorkspaceSymbolParams
) -> list[types.WorkspaceSymbol]:
    """Names; and meaning for several words, where the editor keeps our list."""
    session, text = ls.session, text_in({"query": params.query}, "query")
    if not text.strip():
        return []
    by_meaning = len(text.split()) > 1 and not session.client.filters_symbols
    query = Query(text, limit=SYMBOLS, mode="hybrid" if by_meaning else "symbol")
    hits, places = find(ls, query).hits, Places(session)
    return [symbol_of(session, places, hit.node) for hit in hits]


@server.thread()
@server.feature(types.WORKSPACE_SYMBOL_RESOLVE)
def resolve_symbol(ls: PackhoundServer, symbol: types.WorkspaceSymbol) -> types.WorkspaceSymbol:
    """The range of a symbol, at its place of now; editors ask for that of the one to open."""
    found = resolved(ls.session, symbol)
    if isinstance(found.location, types.Location):
        place = ls.session.locate(found.location.uri)
        if place is not None:
            place[0].picked(place[1], found.location.range.start.line)
    return found


@server.thread()
@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(ls: PackhoundServer, params: types.HoverParams) -> types.Hover | None:
    """Why the node under the cursor is where it is among the results of the last search."""
    session, line = ls.session, params.position.line
    last, mode = session.last, session.settings.hover
    place = session.locate(params.text_document.uri)
    if last is None or place is None or mode == "off":
        return None
    engine, path = place
    query, results = last
    node = engine.node_at(path, line)
    hit = hit_of(node, results) if node else None
    if node and hit is None and mode == "always":
        hit = engine.explain(query, path, line, ls.protocol.cancelled())
    if hit is None:
        return None
    markdown = session.client.markdown
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    text = hover_text(query.text, hit, markdown=markdown)
    return types.Hover(types.MarkupContent(kind, text))


for method, answer in requests.REQUESTS.items():
    server.thread()(server.feature(method)(answer))
for command, answer in requests.COMMANDS.items():
    server.command(command)(requests.as_command(command, answer))
