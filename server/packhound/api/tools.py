"""What agents and other processes may ask of a folder: six tools with plain arguments and answers.

Arguments are checked against the same schemas that clients are shown. Only indexed files can be
read, under the names that the index gives them, so no argument reaches outside of the folder; what
is read leaves without secrets and with hidden characters made visible.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from packhound.api.json_codec import Json, hit_json, pack_json, status_json
from packhound.api.tool_schemas import DEFAULTS, TOOLS, Schema
from packhound.core.errors import SettingsError
from packhound.core.types import Hit, NodeRef, Query, Results
from packhound.llm.counter import counter_for
from packhound.pack.excerpt import Excerpts
from packhound.pack.request import PackFocus, PackRequest
from packhound.redact.control_characters import safe_line, visible_line
from packhound.service.engine import Engine
from packhound.text.tokenizer import terms

_INDEXING_S = 60.0
"""How long a tool waits for a folder that is read for the first time."""
_MAX_LOOKED_AT = 2_000
"""Lines of a node that a snippet may begin at."""
_MOST_ALIKE = 5
_MOST_OMITTED = 10
"""Of what a pack left out; the rest is counted, which keeps the answer short."""
_NOT_OUTLINED = ("file", "window")
"""They have no name of their own."""


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
            known = ", ".join(properties)
            raise SettingsError(f"argument '{visible_line(key)}' is not known; known: {known}")
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
            f"argument '{key}' is '{visible_line(value[:40])}'; legal: {', '.join(schema['enum'])}"
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
    answer["neighbors"] = list(_linked(engine, path, given["line"] - 1, given["limit"]))
    return answer


def _linked(engine: Engine, path: str, line: int, most: int) -> Iterator[Json]:
    """The neighbours of a node, at most so many through each kind of edge."""
    shown = Counter[str]()
    for edge, node in engine.neighbors(path, line):
        shown[edge] += 1
        if node.kind != "file" and shown[edge] <= most:
            yield {"edge": edge, **_node_json(node)}


def _page(engine: Engine, results: Results, offset: int, limit: int, snippet_lines: int) -> Json:
    excerpts = _excerpts(engine)
    wanted = frozenset(terms(results.query))
    hits = results.hits[offset : offset + limit]
    more = len(results.hits) > offset + limit
    return {
        "hits": [_hit(hit, excerpts, snippet_lines, wanted) for hit in hits],
        "next_offset": offset + limit if more else -1,
        "truncated": results.truncated,
        "generation": results.generation,
        "notes": list(results.notes),
    }


def _hit(hit: Hit, excerpts: Excerpts, snippet_lines: int, wanted: frozenset[str]) -> Json:
    answer = {**hit_json(hit), **_named(hit.node)}
    del answer["why"]
    answer["reasons"] = [s.signal for s in sorted(hit.why, key=lambda s: -s.contribution)[:3]]
    excerpt = excerpts.of(hit.node.path) if snippet_lines else None
    span = hit.node.span
    lines = excerpt.lines[span.start_line : span.end_line + 1] if excerpt else []
    start = _telling(lines, snippet_lines, wanted)
    answer["snippet_line"] = span.start_line + start + 1
    answer["snippet"] = "\n".join(lines[start : start + snippet_lines])
    return answer


def _excerpts(engine: Engine) -> Excerpts:
    """The texts of the current generation as they may leave."""
    snapshot = engine.snapshot
    return Excerpts(snapshot.files, lambda path: engine.source(path, snapshot), counter_for())


def _telling(lines: Sequence[str], n: int, wanted: frozenset[str]) -> int:
    """Where the first `n` lines begin that hold the most different words of the query."""
    if len(lines) <= n:
        return 0
    found = [wanted.intersection(terms(line)) for line in lines[:_MAX_LOOKED_AT]]
    best, most = 0, 0
    for start, here in enumerate(found):
        words = len(here.union(*found[start : start + n])) if here or start == 0 else 0
        if words > most:
            best, most = start, words
    # What stands right above says what the words are about.
    return min(max(0, best - n // 4), len(lines) - n)


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
    made = engine.pack(request)
    told = made.omitted[:_MOST_OMITTED]
    untold = len(made.omitted) - len(told)
    notes = (*made.notes, f"{untold:,} more were left out") if untold else made.notes
    return pack_json(replace(made, omitted=told, notes=notes))


def _outline(engine: Engine, given: dict[str, Any]) -> Json:
    path = given["path"].rstrip("/").removeprefix("./")
    if path not in ("", "."):
        path = indexed(engine, path, folder=True)
    below = _below(engine, "" if path == "." else path)
    offset, limit = given["offset"], given["limit"]
    folders: list[Json] = []
    if sum(below.values()) > limit and path not in below:
        folders, below = _by_folder(below, path)
    nodes = [
        node for name in below for node in engine.outline(name) if node.kind not in _NOT_OUTLINED
    ]
    return {
        "folders": folders,
        "nodes": [_node_json(node) for node in nodes[offset : offset + limit]],
        "next_offset": offset + limit if len(nodes) > offset + limit else -1,
        "total": len(nodes),
    }


def _below(engine: Engine, path: str) -> dict[str, int]:
    """The files at or below a path, and how many nodes each has."""
    files = engine.snapshot.files
    names = [n for n in files if not path or n == path or n.startswith(path + "/")]
    return {name: len(files[name].node_ids) for name in sorted(names)}


def _by_folder(below: Mapping[str, int], path: str) -> tuple[list[Json], dict[str, int]]:
    """The folders of a folder with what they hold, and the files that are in none of them."""
    prefix = path + "/" if path not in ("", ".") else ""
    own, held = dict[str, int](), defaultdict[str, list[int]](list)
    for name, count in below.items():
        folder, inner, _ = name[len(prefix) :].partition("/")
        if inner:
            held[prefix + folder].append(count)
        else:
            own[name] = count
    folders: list[Json] = [
        {"path": folder, "files": len(counts), "definitions": sum(counts)}
        for folder, counts in held.items()
    ]
    return folders, own


def _read_node(engine: Engine, given: dict[str, Any]) -> Json:
    path = indexed(engine, given["path"])
    node = engine.node_at(path, given["line"] - 1)
    if node is None:
        last = max((n.span.end_line + 1 for n in engine.outline(path)), default=0)
        raise SettingsError(
            f"there is no indexed code at '{visible_line(path)}:{given['line']}';"
            f" it has {last:,} lines"
        )
    engine.picked(path, given["line"] - 1)
    excerpt = _excerpts(engine).of(path)
    if excerpt is None:
        raise SettingsError(f"'{visible_line(path)}' has changed since it was indexed; ask again")
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
    what = "file or folder" if folder else "file"
    asked = visible_line(path[:200])
    raise SettingsError(f"'{asked}' is not an indexed {what}{_meant(files, wanted)}")


def _meant(files: Iterable[str], wanted: str) -> str:
    """What to do about a path that is not there."""
    name = wanted.rpartition("/")[2]
    alike = [path for path in files if path.rpartition("/")[2] == name]
    if not alike:
        return "; outline tells what there is, search finds it"
    shown = ", ".join(f"'{visible_line(path)}'" for path in sorted(alike, key=len)[:_MOST_ALIKE])
    return f"; did you mean {shown}{' ...' if len(alike) > _MOST_ALIKE else ''}?"


def _node_json(node: NodeRef) -> Json:
    return {
        "path": node.path,
        "start_line": node.span.start_line + 1,
        "end_line": node.span.end_line + 1,
        "kind": node.kind,
        **_named(node),
    }


def _named(node: NodeRef) -> Json:
    """What a node is called; a signature has values in it, and a heading any text."""
    return {
        "name": safe_line(node.name),
        "qualname": safe_line(node.qualname),
        "signature": safe_line(node.signature),
    }


_RUN: dict[str, Callable[[Engine, dict[str, Any]], Json]] = {
    "search": _search,
    "related": _related,
    "pack": _pack,
    "outline": _outline,
    "read_node": _read_node,
    "status": _status,
}
