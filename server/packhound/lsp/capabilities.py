"""Capabilities of the client, read once from its `initialize` request.

Whatever is missing or malformed counts as unsupported: no client is refused for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from packhound.lsp.position import choose_encoding
from packhound.lsp.tcp import TOKEN_OPTION
from packhound.lsp.uris import folder_paths
from packhound.rpc import Params
from packhound.text import Encoding

_TRUSTED_OPTION = "trusted"
_NOTES_OPTION = "showsNotes"


@dataclass(frozen=True, slots=True)
class Client:
    """The properties of a client that change what it is sent."""

    name: str
    process_id: int | None
    encoding: Encoding
    folders: tuple[str, ...]
    options: Mapping[str, object]
    is_trusted: bool
    """The user trusts the authors of the folders; settings in their files then all count."""
    shows_notes: bool
    """Shows new notes of `packhound/indexState` at once; others are sent `window/showMessage`."""
    pulls_settings: bool
    registers_settings: bool
    watches_files: bool
    shows_progress: bool
    edits_documents: bool
    """Applies edits to versions of its documents."""
    syncs_notebooks: bool
    resolves_symbols: bool
    all_symbol_kinds: bool
    nests_symbols: bool
    all_document_symbol_kinds: bool
    markdown: bool
    refreshes_lenses: bool
    """Asks for the code lenses of its documents again when told to."""
    filters_symbols: bool
    """Drops workspace symbols whose names do not match the query, and sends one word of it."""


def read_client(params: Params) -> Client:
    """Return the client that sent these `initialize` params."""
    capabilities = params.get("capabilities")
    name = _get_path(params, "clientInfo", "name")
    name = name if isinstance(name, str) else "unknown"
    resolves = _get_path(capabilities, "workspace", "symbol", "resolveSupport") is not None
    formats = _get_path(capabilities, "textDocument", "hover", "contentFormat")
    kinds = _get_path(capabilities, "workspace", "symbol", "symbolKind")
    edit = ("workspace", "workspaceEdit")
    # Neovim has them and names only those of whole files.
    edits = (_get_path(capabilities, *edit, n) for n in ("documentChanges", "resourceOperations"))
    outline = _get_path(capabilities, "textDocument", "documentSymbol")
    process_id = params.get("processId")
    options = params.get("initializationOptions")
    return Client(
        name=name,
        process_id=process_id if isinstance(process_id, int) and process_id > 0 else None,
        encoding=choose_encoding(_get_path(capabilities, "general", "positionEncodings")),
        folders=folder_paths(params),
        options=_settings_in(options) if isinstance(options, dict) else {},
        is_trusted=isinstance(options, dict) and options.get(_TRUSTED_OPTION) is True,
        shows_notes=isinstance(options, dict) and options.get(_NOTES_OPTION) is True,
        pulls_settings=_get_path(capabilities, "workspace", "configuration") is True,
        registers_settings=_registers(capabilities, "didChangeConfiguration"),
        watches_files=_registers(capabilities, "didChangeWatchedFiles"),
        shows_progress=_get_path(capabilities, "window", "workDoneProgress") is True,
        edits_documents=_get_path(capabilities, "workspace", "applyEdit") is True and any(edits),
        syncs_notebooks=_get_path(capabilities, "notebookDocument", "synchronization") is not None,
        resolves_symbols=resolves,
        all_symbol_kinds=kinds is not None,
        nests_symbols=_get_path(outline, "hierarchicalDocumentSymbolSupport") is True,
        all_document_symbol_kinds=_get_path(outline, "symbolKind") is not None,
        markdown=isinstance(formats, list) and "markdown" in formats,
        refreshes_lenses=_get_path(capabilities, "workspace", "codeLens", "refreshSupport") is True,
        # Only VS Code and its builds resolve symbols, and all of them filter.
        filters_symbols=resolves or name.startswith("Visual Studio Code"),
    )


def _settings_in(options: Mapping[str, object]) -> Mapping[str, object]:
    others = (TOKEN_OPTION, _TRUSTED_OPTION, _NOTES_OPTION)
    return {name: value for name, value in options.items() if name not in others}


def _registers(capabilities: object, name: str) -> bool:
    return _get_path(capabilities, "workspace", name, "dynamicRegistration") is True


def _get_path(value: object, *names: str) -> object:
    """Return the value below nested objects, None if one of them is missing or no object."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
