"""What the client on the other side can do, read once from its `initialize` request.

Whatever is missing or has an unknown shape counts as "cannot": no client is refused for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.position import choose_encoding, path_of
from packhound.text.text_buffer import Encoding


@dataclass(frozen=True, slots=True)
class Client:
    """The traits of a client that change what it is sent."""

    name: str
    process_id: int | None
    encoding: Encoding
    folders: tuple[str, ...]
    options: Mapping[str, object]
    pulls_settings: bool
    registers_settings: bool
    watches_files: bool
    shows_progress: bool
    resolves_symbols: bool
    all_symbol_kinds: bool
    markdown: bool
    filters_symbols: bool
    """Drops workspace symbols whose names do not match the query, and sends one word of it."""


def read_client(params: Params) -> Client:
    """The client that sent these `initialize` params."""
    capabilities = params.get("capabilities")
    name = _at(params, "clientInfo", "name")
    name = name if isinstance(name, str) else "unknown"
    resolves = _at(capabilities, "workspace", "symbol", "resolveSupport") is not None
    formats = _at(capabilities, "textDocument", "hover", "contentFormat")
    process_id = params.get("processId")
    options = params.get("initializationOptions")
    return Client(
        name=name,
        process_id=process_id if isinstance(process_id, int) and process_id > 0 else None,
        encoding=choose_encoding(_at(capabilities, "general", "positionEncodings")),
        folders=_folders(params),
        options=options if isinstance(options, dict) else {},
        pulls_settings=_at(capabilities, "workspace", "configuration") is True,
        registers_settings=_registers(capabilities, "didChangeConfiguration"),
        watches_files=_registers(capabilities, "didChangeWatchedFiles"),
        shows_progress=_at(capabilities, "window", "workDoneProgress") is True,
        resolves_symbols=resolves,
        all_symbol_kinds=_at(capabilities, "workspace", "symbol", "symbolKind") is not None,
        markdown=isinstance(formats, list) and "markdown" in formats,
        # Only VS Code and its builds resolve symbols, and all of them filter.
        filters_symbols=resolves or name.startswith("Visual Studio Code"),
    )


def _folder_path(folder: object) -> str | None:
    """The path of a workspace folder; None for folders that are not on this machine's disk."""
    uri = folder.get("uri") if isinstance(folder, dict) else None
    return path_of(uri) if isinstance(uri, str) else None


def _folders(params: Params) -> tuple[str, ...]:
    folders = params.get("workspaceFolders")
    if isinstance(folders, list):
        found = [_folder_path(folder) for folder in folders]
        return tuple(path for path in found if path is not None)
    root = params.get("rootUri")
    path = path_of(root) if isinstance(root, str) else params.get("rootPath")
    return (path,) if isinstance(path, str) and path else ()


def _registers(capabilities: object, name: str) -> bool:
    return _at(capabilities, "workspace", name, "dynamicRegistration") is True


def _at(value: object, *names: str) -> object:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
