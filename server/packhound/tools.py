"""What agents and other processes may ask of a folder: six tools with plain arguments and answers.

Arguments are checked against the same schemas that clients are shown. Only indexed files can be
read, under the names that the index gives them, so no argument reaches outside of the folder; what
is read leaves without secrets and with hidden characters made visible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from packhound.engine import Engine
from packhound.errors import SettingsError
from packhound.llm.counter import counter_for
from packhound.pack.excerpt import Excerpts
from packhound.pack.types import PackFocus, PackRequest
from packhound.render import Json, hit_json, pack_json, status_json
from packhound.tool_schemas import DEFAULTS, TOOLS, Schema
from packhound.types import Hit, NodeRef, Query, Results

_INDEXING_S = 60.0
"""How long a tool waits for a folder that is read for the first time."""


def call(engine: Engine, name: str, arguments: Mapping[str, object]) -> Json:
    """Run a tool. Raises SettingsError for an unknown one or for arguments that are not legal."""
    if name not in _RUN:
        raise SettingsError(f"tool '{name}' is not known; known are: {', '.join(_RUN)}")
    given = checked(name, arguments)
    if name != "status":
        engine.settled(_INDEXING_S)
    return _RUN[name](engine, given)


def checked(name: str, arguments: Mapping[str, object]) -> dict[str, Any]:
    """The arguments with defaults filled in. Raises SettingsError naming the one that is wrong."""
    schema = next(tool.schema for tool in TOOLS if tool.name == name)
    properties: dict[str, Schema] = schema["properties"]
    for key in arguments:
        if key not in properties:
            raise SettingsError(f"argument '{key}' is not known; known: {', '.join(properties)}")
    for key in schema["required"]:
        if key not in arguments:
            raise SettingsError(f"argument '{key}' is missing")
    values = {key: DEFAULTS[name].get(key) for key in properties}
    for key, value in arguments.items():
        _check(key, value, properties[key])
        values[key] = value
    return values


def _check(key: str, value: object, schema: Schema) -> None:
    kind = schema["type"]
    if kind == "array":
        if not isinstance(value, list) or len(value) > schema["maxItems"]:
            raise SettingsError(f"argument '{key}' must be a list of at most {schema['maxItems']}")
        for item in value:
            _check(key, item, schema["items"])
    elif kind == "integer":
        low, high = schema["minimum"], schema["maximum"]
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise SettingsError(f"argument '{key}' must be a whole number from {low} to {high}")
    elif not isinstance(value, str):
        raise SettingsError(f"argument '{key}' must be a text")
    elif "enum" in schema and value not in schema["enum"]:
        raise SettingsError(
            f"argument '{key}' is '{value:.40}'; legal: {', '.join(schema['enum'])}"
        )
    elif not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 1_000):
        raise SettingsError(
            f"argument '{key}' may have {schema.get('maxLength', 1_000):,} characters"
        )
    elif "\0" in value:
        raise SettingsError(f"argument '{key}' holds a NUL character")


def _search(engine: Engine, given: dict[str, Any]) -> Json:
    offset, limit = given["offset"], given["limit"]
    query = Query(
        text=given["query"],
        limit=offset + limit + 1,
        mode=given["mode"],
        kinds=tuple(given["kinds"]),
        languages=tuple(given["languages"]),
        paths=tuple(given["paths"]),
    )
    return _page(engine, engine.search(query), offset, limit, given["snippet_lines"])


def _related(engine: Engine, given: dict[str, Any]) -> Json:
    path = indexed(engine, given["path"])
    results = engine.related(path, given["line"] - 1, given["limit"])
    answer = _page(engine, results, 0, given["limit"], given["snippet_lines"])
    answer["neighbors"] = [
        {"edge": edge, **_node_json(node)}
        for edge, node in engine.neighbors(path, given["line"] - 1)[: 2 * given["limit"]]
    ]
    return answer


def _page(engine: Engine, results: Results, offset: int, limit: int, snippet_lines: int) -> Json:
    excerpts = Excerpts(engine.source, counter_for())
    hits = results.hits[offset : offset + limit]
    more = len(results.hits) > offset + limit
    return {
        "hits": [_hit(hit, excerpts, snippet_lines) for hit in hits],
        "next_offset": offset + limit if more else -1,
        "truncated": results.truncated,
        "generation": results.generation,
        "notes": list(results.notes),
    }


def _hit(hit: Hit, excerpts: Excerpts, snippet_lines: int) -> Json:
    answer = hit_json(hit)
    del answer["why"]
    answer["signature"] = hit.node.signature
    answer["reasons"] = [s.signal for s in sorted(hit.why, key=lambda s: -s.contribution)[:3]]
    answer["snippet"] = _lines(
        excerpts, hit.node.path, hit.node.span.start_line, snippet_lines, hit
    )
    return answer


def _lines(excerpts: Excerpts, path: str, first: int, n: int, hit: Hit) -> str:
    excerpt = excerpts.of(path) if n else None
    end = min(first + n, hit.node.span.end_line + 1)
    return "\n".join(excerpt.lines[first:end]) if excerpt else ""


def _pack(engine: Engine, given: dict[str, Any]) -> Json:
    focus_path = given["focus_path"]
    focus = PackFocus(focus_path, max(0, given["focus_line"] - 1)) if focus_path else None
    request = PackRequest(
        prompt=given["prompt"],
        budget=given["budget"],
        reserve=min(given["reserve"], given["budget"]),
        focus=focus,
        pinned=tuple(given["pinned"]),
        excluded=tuple(given["excluded"]),
        model=given["model"],
        format=given["format"],
        conversation=given["conversation"],
    )
    return pack_json(engine.pack(request))


def _outline(engine: Engine, given: dict[str, Any]) -> Json:
    path = given["path"].rstrip("/").removeprefix("./")
    if path not in ("", "."):
        path = indexed(engine, path, folder=True)
    nodes = [node for node in engine.outline("" if path == "." else path) if node.kind != "file"]
    offset, limit = given["offset"], given["limit"]
    return {
        "nodes": [_node_json(node) for node in nodes[offset : offset + limit]],
        "next_offset": offset + limit if len(nodes) > offset + limit else -1,
        "total": len(nodes),
    }


def _read_node(engine: Engine, given: dict[str, Any]) -> Json:
    path = indexed(engine, given["path"])
    node = engine.node_at(path, given["line"] - 1)
    if node is None:
        raise SettingsError(f"there is no indexed code at '{path}:{given['line']}'")
    engine.picked(path, given["line"] - 1)
    excerpt = Excerpts(engine.source, counter_for()).of(path)
    if excerpt is None:
        raise SettingsError(f"'{path}' has changed since it was indexed; ask again")
    first = node.span.start_line + given["offset"]
    end = min(first + given["limit"], node.span.end_line + 1)
    shown = excerpt.lines[first:end]
    return {
        **_node_json(node),
        "first_line": first + 1,
        "text": "\n".join(shown),
        "next_offset": given["offset"] + given["limit"] if end <= node.span.end_line else -1,
        "generation": node.generation,
    }


def _status(engine: Engine, given: dict[str, Any]) -> Json:
    return status_json(engine.status())


def indexed(engine: Engine, path: str, *, folder: bool = False) -> str:
    """A path as the index has it. Raises SettingsError for all others, wherever they point."""
    files = engine.snapshot.files
    wanted = path.replace("\\", "/")
    root = engine.root.as_posix() + "/"
    wanted = wanted.removeprefix(root).removeprefix("./").rstrip("/")
    if wanted in files or (folder and any(name.startswith(wanted + "/") for name in files)):
        return wanted
    raise SettingsError(f"'{path:.200}' is not an indexed {'file or folder' if folder else 'file'}")


def _node_json(node: NodeRef) -> Json:
    return {
        "path": node.path,
        "start_line": node.span.start_line + 1,
        "end_line": node.span.end_line + 1,
        "kind": node.kind,
        "name": node.name,
        "qualname": node.qualname,
        "signature": node.signature,
    }


_RUN: dict[str, Callable[[Engine, dict[str, Any]], Json]] = {
    "search": _search,
    "related": _related,
    "pack": _pack,
    "outline": _outline,
    "read_node": _read_node,
    "status": _status,
}
