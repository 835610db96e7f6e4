"""A day in each editor: the capabilities of real clients, an independent client, a real process."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
import pytest_lsp
from conftest import make_folder
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient
from raw import COMMAND

RECORDED = Path(__file__).parents[3] / "shared" / "clients" / "caps"
MINIMAL = {
    "capabilities": {"workspace": {"workspaceFolders": True}},
    "clientInfo": {"name": "minimal"},
    "processId": None,
    "rootUri": None,
}


def recorded() -> dict[str, dict]:
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in RECORDED.glob("*.json")}
    return {"minimal": MINIMAL, **found}


@pytest_lsp.fixture(params=sorted(recorded()), config=ClientServerConfig(server_command=COMMAND))
async def editor(request, tmp_path_factory, lsp_client: LanguageClient):
    base = tmp_path_factory.mktemp("editor")
    folder = make_folder(base / "workspace")
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
async def test_from_opening_to_hover(editor: LanguageClient):
    encodings = offers(editor, "general", "positionEncodings") or ["utf-16"]
    encoding = str(
        getattr(editor.answer.capabilities.position_encoding, "value", None)
        or editor.answer.capabilities.position_encoding
    )
    assert encoding in encodings

    # An edit behind characters that count differently in each encoding.
    uri = (editor.folder / "config.py").as_uri()
    before = "def read(): return '😀é'; name = 1\n"
    width = len(
        "def read(): return '😀é'; ".encode({"utf-8": "utf-8"}.get(encoding, encoding + "-le"))
    )
    column = width // {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    editor.text_document_did_open(
        types.DidOpenTextDocumentParams(
            types.TextDocumentItem(uri, types.LanguageKind.Python, 1, before)
        )
    )
    place = types.Position(0, column)
    end = types.Position(0, column + 4)
    editor.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(2, uri),
            [
                types.TextDocumentContentChangePartial(
                    types.Range(place, end), "\ndef zebra_crossing(): return"
                )
            ],
        )
    )
    results = await ask(editor, "packhound/search", {"query": "zebra_crossing"})
    assert [(hit.path, hit.name, hit.start_line) for hit in results.hits[:1]] == [
        ("config.py", "zebra_crossing", 2)
    ]
    assert results.hits[0].uri == uri

    params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(1, 6))
    hover = await editor.text_document_hover_async(params)
    formats = offers(editor, "textDocument", "hover", "contentFormat") or []
    assert hover.contents.kind.value == ("markdown" if "markdown" in formats else "plaintext")
    assert "zebra" in hover.contents.value

    found = await editor.workspace_symbol_async(types.WorkspaceSymbolParams("Circle"))
    assert found[0].name == "Circle"
    if offers(editor, "workspace", "symbol", "resolveSupport"):
        assert not hasattr(found[0].location, "range")
        found[0] = await editor.workspace_symbol_resolve_async(found[0])
    assert found[0].location.range.start == types.Position(0, 0)


@pytest.mark.asyncio
async def test_what_the_editor_offers_is_used(editor: LanguageClient):
    dynamic = {
        name: bool(offers(editor, "workspace", name, "dynamicRegistration"))
        for name in ("didChangeWatchedFiles", "didChangeConfiguration")
    }
    assert {f"workspace/{name}" for name, offered in dynamic.items() if offered} == set(
        editor.registered
    )
    results = await ask(editor, "packhound/search", {"query": "area circle load config"})
    assert (len(results.hits) == 1) == bool(offers(editor, "workspace", "configuration"))
    for _ in range(1_000):
        if editor.states and editor.states[-1].files == 2:
            break
        await asyncio.sleep(0.01)
    assert editor.states[-1].files == 2


@pytest.mark.asyncio
async def test_commands_do_what_requests_do(editor: LanguageClient):
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
