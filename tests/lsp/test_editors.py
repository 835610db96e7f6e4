"""A day in each editor: the capabilities of real clients, an independent client, a real process."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient

from tests.support.lsp_client import COMMAND, write_files

RECORDED = Path(__file__).parents[3] / "shared" / "clients" / "caps"
MINIMAL = {
    "capabilities": {"workspace": {"workspaceFolders": True}},
    "clientInfo": {"name": "minimal"},
    "processId": None,
    "rootUri": None,
}


def recorded() -> dict[str, dict]:
    actual = {path.stem: json.loads(path.read_text("utf-8")) for path in RECORDED.glob("*.json")}
    return {"minimal": MINIMAL, **actual}


EDITORS = [
    name
    if name in ("minimal", "code-server_1.139.1")
    else pytest.param(name, marks=pytest.mark.slow)
    for name in sorted(recorded())
]


@pytest_lsp.fixture(params=EDITORS, config=ClientServerConfig(server_command=COMMAND))
async def editor(request, tmp_path_factory, lsp_client: LanguageClient):
    base = tmp_path_factory.mktemp("editor")
    folder = write_files(base / "workspace")
    lsp_client.registered = []
    lsp_client.states = []

    @lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def _register(params: types.RegistrationParams):
        lsp_client.registered += [registration.method for registration in params.registrations]

    @lsp_client.feature("packhound/indexState")
    def _state(params):
        lsp_client.states.append(params)

    lsp_client.set_configuration({"limit": 1}, section="packhound")
    sent = {**recorded()[request.param], "processId": None, "rootPath": str(folder)}
    folders = [{"uri": folder.as_uri(), "name": "workspace"}]
    late = sent.get("workspaceFolders") == []
    if not late:
        sent.update(workspaceFolders=folders, rootUri=folder.as_uri())
    params = default_converter().structure(sent, types.InitializeParams)
    lsp_client.offered = sent["capabilities"]
    lsp_client.folder = folder
    lsp_client.answer = await lsp_client.initialize_session(params)
    if late:
        event = types.WorkspaceFoldersChangeEvent(
            added=[types.WorkspaceFolder(**folders[0])], removed=[]
        )
        lsp_client.workspace_did_change_workspace_folders(
            types.DidChangeWorkspaceFoldersParams(event)
        )
    await ask(lsp_client, "packhound/status", {"wait": True})
    yield
    await lsp_client.shutdown_session()


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


async def ask(client: LanguageClient, method: str, params: object):
    return await client.protocol.send_request_async(method, params)


def offers(client: LanguageClient, *names: str) -> object:
    value: object = client.offered
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


@pytest.mark.asyncio
async def test_a_day_in_the_editor(editor: LanguageClient):
    await check_registrations(editor)
    await check_settings(editor)
    await check_states(editor)
    uri = await check_unsaved_edit(editor)
    await check_hover(editor, uri)
    await check_symbols(editor)
    await check_commands(editor)


async def check_registrations(editor: LanguageClient):
    names = ("didChangeWatchedFiles", "didChangeConfiguration")
    offered = {
        f"workspace/{name}"
        for name in names
        if offers(editor, "workspace", name, "dynamicRegistration")
    }
    assert set(editor.registered) == offered


async def check_settings(editor: LanguageClient):
    results = await ask(editor, "packhound/search", {"query": "area circle load config"})
    assert (len(results.hits) == 1) == bool(offers(editor, "workspace", "configuration"))


async def check_states(editor: LanguageClient):
    for _ in range(1_000):
        if editor.states and editor.states[-1].files == 2:
            break
        await asyncio.sleep(0.01)
    assert editor.states[-1].files == 2


async def check_unsaved_edit(editor: LanguageClient) -> str:
    """The edit is behind characters that count differently in each encoding."""
    encoding = editor.answer.capabilities.position_encoding
    encoding = getattr(encoding, "value", encoding)
    assert encoding in (offers(editor, "general", "positionEncodings") or ["utf-16"])
    before = "def read(): return '😀é'; "
    unit, codec = {"utf-8": (1, "utf-8"), "utf-16": (2, "utf-16-le"), "utf-32": (4, "utf-32-le")}[
        encoding
    ]
    column = len(before.encode(codec)) // unit
    uri = (editor.folder / "config.py").as_uri()
    item = types.TextDocumentItem(uri, types.LanguageKind.Python, 1, before + "name = 1\n")
    editor.text_document_did_open(types.DidOpenTextDocumentParams(item))
    places = types.Range(types.Position(0, column), types.Position(0, column + 4))
    edit = types.TextDocumentContentChangePartial(places, "\ndef zebra_crossing(): return")
    document = types.VersionedTextDocumentIdentifier(2, uri)
    editor.text_document_did_change(types.DidChangeTextDocumentParams(document, [edit]))
    results = await ask(editor, "packhound/search", {"query": "zebra_crossing"})
    actual = [(hit.path, hit.name, hit.start_line, hit.uri) for hit in results.hits[:1]]
    assert actual == [("config.py", "zebra_crossing", 2, uri)]
    return uri


async def check_hover(editor: LanguageClient, uri: str):
    params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(1, 6))
    hover = await editor.text_document_hover_async(params)
    formats = offers(editor, "textDocument", "hover", "contentFormat") or []
    assert hover.contents.kind.value == ("markdown" if "markdown" in formats else "plaintext")
    assert "zebra" in hover.contents.value


async def check_symbols(editor: LanguageClient):
    actual = (await editor.workspace_symbol_async(types.WorkspaceSymbolParams("Circle")))[0]
    assert actual.name == "Circle"
    if offers(editor, "workspace", "symbol", "resolveSupport"):
        assert not hasattr(actual.location, "range")
        actual = await editor.workspace_symbol_resolve_async(actual)
    assert actual.location.range.start == types.Position(0, 6)


async def check_commands(editor: LanguageClient):
    async def run(command: str, *arguments: object):
        params = types.ExecuteCommandParams(f"packhound.server.{command}", list(arguments) or None)
        return await editor.workspace_execute_command_async(params)

    uri = (editor.folder / "shapes.py").as_uri()
    position = {"line": 0, "character": 0}
    assert (await run("status"))["files"] == 2
    assert (await run("search", {"query": "Circle"}))["hits"][0]["name"] == "Circle"
    explained = (await run("explain", {"query": "Circle", "uri": uri, "position": position}))["hit"]
    assert explained["name"] == "Circle"
    total = sum(reason["contribution"] for reason in explained["why"])
    assert total == pytest.approx(explained["score"])
    assert "notes" in await run("related", {"uri": uri, "position": position})
    assert "state" in await run("rebuild")
