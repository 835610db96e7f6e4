"""The import graph is part of the design; this file is the only place where it is written down."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "server" / "packhound"
FILES = sorted(PACKAGE.rglob("*.py"))

# Room -> rooms it may import. A room is a folder or a top-level module of the package.
VALUES = {"types", "errors"}
MAY_IMPORT = {
    "__init__": set(),
    "__main__": {"cli"},
    "types": set(),
    "errors": set(),
    "records": VALUES,
    "kept": set(),
    "analysed": VALUES | {"records"},
    "settings": VALUES,
    "text": VALUES,
    "syntax": VALUES | {"text", "records", "analysed"},
    "index": VALUES | {"text", "records", "analysed"},
    "graph": VALUES,
    "llm": VALUES,
    "redact": VALUES,
    "ranking": VALUES | {"text", "index", "kept"},
    "search": VALUES | {"index", "ranking"},
    "pack": VALUES | {"text", "index", "graph", "llm", "redact", "evaluation", "kept"},
    "git": VALUES,
    "patch": VALUES,
    "history": VALUES | {"git"},
    "changes": VALUES | {"git", "history", "patch", "text"},
    "activation": VALUES,
    "habits": VALUES | {"settings", "history", "activation"},
    "reading": VALUES | {"text", "syntax", "index", "analysed"},
    "live": VALUES | {"analysed", "index", "syntax"},
    "looking": VALUES | {"text", "syntax", "index"},
    "memory": set(),
    "parent": set(),
    "saver": VALUES | {"index"},
    "indexer": VALUES
    | {"settings", "text", "syntax", "index", "reading", "saver", "memory"}
    | {"live", "looking"},
    "folders": VALUES | {"settings", "index"},
    "rerank": VALUES | {"index", "ranking"},
    "models": VALUES | {"settings", "index", "rerank"},
    "stored": VALUES | {"text", "syntax", "index"},
    "packer": VALUES | {"index", "graph", "pack", "ranking", "changes"},
    "engine": VALUES
    | {"settings", "text", "syntax", "index", "indexer", "search", "graph", "pack"}
    | {"folders", "habits", "packer", "memory", "models", "stored"},
    "workspace": VALUES | {"settings", "folders", "engine", "memory"},
    "render": VALUES | {"pack"},
    "evaluation": VALUES | {"git", "patch"},
    "tool_schemas": VALUES | {"pack"},
    "tools": VALUES | {"text", "engine", "render", "pack", "llm", "tool_schemas"},
    "tool_text": VALUES | {"render", "pack"},
    "ipc": VALUES | {"engine", "render", "tools", "pack"},
    "jsonc": VALUES,
    "agents": VALUES | {"jsonc"},
    "lsp": VALUES
    | {"settings", "text", "engine", "workspace", "render", "ranking", "pack", "ipc"}
    | {"parent"},
    "mcp": VALUES
    | {"settings", "folders", "engine", "render", "tools", "tool_schemas", "ipc"}
    | {"tool_text", "parent"},
    "cli": VALUES
    | {"settings", "engine", "render", "ranking", "index", "syntax", "evaluation"}
    | {"folders", "habits", "history", "pack", "lsp", "mcp", "ipc", "agents", "text"},
}

# Third-party library -> the only rooms that may name it.
CONFINED = {
    "tree_sitter": {"syntax"},
    "tree_sitter_language_pack": {"syntax"},
    "hnswlib": {"index"},
    "onnxruntime": {"index"},
    "tokenizers": {"index", "llm"},
    "lsprotocol": {"lsp"},
    "pygls": {"lsp"},
    "mcp": {"mcp"},
    "click": {"cli"},
    "rich": {"cli"},
}


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_inward(path: Path) -> None:
    room = room_of(path)
    for name in imported(path):
        head, _, rest = name.partition(".")
        if head == PACKAGE.name and rest and rest != "__version__":
            target = rest.split(".")[0]
            assert target == room or target in MAY_IMPORT[room], f"{room} may not import {target}"
        assert room in CONFINED.get(head, {room}), f"{head} is confined to {CONFINED[head]}"


def test_what_a_room_may_import_it_does() -> None:
    used: dict[str, set[str]] = {room: set() for room in MAY_IMPORT}
    for path in FILES:
        used[room_of(path)] |= {
            name.split(".")[1] for name in imported(path) if "packhound." in name
        }
    for room, may in MAY_IMPORT.items():
        assert may - VALUES <= used[room], f"{room} needs no {may - VALUES - used[room]}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_are_short_and_introduced(path: Path) -> None:
    source = path.read_text("utf-8")
    assert len(source.splitlines()) <= 500
    assert ast.get_docstring(ast.parse(source)), "a module opens with what it does"
