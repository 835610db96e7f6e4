"""The six tools of agents and other processes, with plain arguments and answers.

Arguments are checked against the schemas that clients see. Only indexed files can be read, under
their names in the index, so no argument reaches outside of the folder; text leaves without secrets
and with hidden characters made visible.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from packhound.api.json_codec import Json, hit_json, pack_json, status_json
from packhound.api.schema import pack_request_from, query_from
from packhound.api.tool_schemas import TOOLS
from packhound.core.errors import SettingsError
from packhound.core.types import Hit, NodeRef, Results
from packhound.pack import Excerpts, PackFocus
from packhound.redact import safe_line, visible_line
from packhound.service import Engine
from packhound.text import terms

Arguments: TypeAlias = dict[str, Any]

_INDEXING_S = 60.0
"""How long a tool waits for a first indexing."""
_MAX_SNIPPET_STARTS = 2_000
"""Lines of a node that a snippet may begin at."""
_MAX_SUGGESTIONS = 5
_MAX_OMITTED = 10
"""Omitted nodes of a pack that are listed; the rest is counted, which keeps the answer short."""
_UNNAMED_KINDS = ("file", "window")


def call(engine: Engine, name: str, arguments: Mapping[str, object]) -> Json:
    """Run a tool. Raises SettingsError for an unknown one or for bad arguments."""
    if name not in TOOLS:
        raise SettingsError(
            f"unknown tool '{visible_line(name)}'; expected one of: {', '.join(TOOLS)}"
        )
    checked = TOOLS[name].check(arguments)
    if name != "status":
        engine.settled(_INDEXING_S)
    return _HANDLERS[name](engine, checked)


def _search(engine: Engine, arguments: Arguments) -> Json:
    offset, limit = arguments["offset"], arguments["limit"]
    query = query_from(arguments)
    query = replace(query, limit=offset + limit + 1, deep=True)
    return _page(engine, engine.search(query), offset, limit, arguments["snippet_lines"])


def _related(engine: Engine, arguments: Arguments) -> Json:
    path = indexed(engine, arguments["path"])
    results = engine.related(path, arguments["line"] - 1, arguments["limit"])
    answer = _page(engine, results, 0, arguments["limit"], arguments["snippet_lines"])
    answer["neighbors"] = list(_neighbors(engine, path, arguments["line"] - 1, arguments["limit"]))
    return answer


def _neighbors(engine: Engine, path: str, line: int, limit: int) -> Iterator[Json]:
    """Yield the neighbours of a node, at most `limit` of each kind of edge."""
    n_by_edge = Counter[str]()
    for edge, node in engine.neighbors(path, line):
        n_by_edge[edge] += 1
        if node.kind != "file" and n_by_edge[edge] <= limit:
            yield {"edge": edge, **_node_json(node)}


def _page(engine: Engine, results: Results, offset: int, limit: int, snippet_lines: int) -> Json:
    excerpts = engine.excerpts()
    query_terms = frozenset(terms(results.query))
    hits = results.hits[offset : offset + limit]
    has_more = len(results.hits) > offset + limit
    return {
        "hits": [_hit(hit, excerpts, snippet_lines, query_terms) for hit in hits],
        "next_offset": offset + limit if has_more else -1,
        "truncated": results.truncated,
        "generation": results.generation,
        "notes": list(results.notes),
        "confidence": results.confidence,
        "confidence_word": results.confidence_word,
    }


def _hit(hit: Hit, excerpts: Excerpts, snippet_lines: int, query_terms: frozenset[str]) -> Json:
    answer = {**hit_json(hit), **_names(hit.node)}
    answer["siblings"] = [_node_json(sibling) for sibling in hit.siblings]
    for key in ("why", "groups", "counterfactual", "line"):
        del answer[key]
    excerpt = excerpts.of(hit.node.path) if snippet_lines else None
    span = hit.node.span
    lines = excerpt.lines[span.start_line : span.end_line + 1] if excerpt else []
    start = _best_window(lines, snippet_lines, query_terms)
    answer["snippet_line"] = span.start_line + start + 1
    answer["snippet"] = "\n".join(lines[start : start + snippet_lines])
    return answer


def _best_window(lines: Sequence[str], n: int, query_terms: frozenset[str]) -> int:
    """Return the start of the first `n` lines with the most distinct query terms."""
    if len(lines) <= n:
        return 0
    matches = [query_terms.intersection(terms(line)) for line in lines[:_MAX_SNIPPET_STARTS]]
    best, best_count = 0, 0
    for start, line_matches in enumerate(matches):
        if line_matches or start == 0:
            count = len(line_matches.union(*matches[start : start + n]))
            if count > best_count:
                best, best_count = start, count
    # The lines right above give the match its context.
    return min(max(0, best - n // 4), len(lines) - n)


def _pack(engine: Engine, arguments: Arguments) -> Json:
    path, line = arguments["focus_path"], arguments["focus_line"]
    focus = PackFocus(path, line - 1) if path else None
    pack = engine.pack(pack_request_from(arguments, focus=focus))
    n_more = len(pack.omitted) - _MAX_OMITTED
    notes = (*pack.notes, f"{n_more:,} more were left out") if n_more > 0 else pack.notes
    return pack_json(replace(pack, omitted=pack.omitted[:_MAX_OMITTED], notes=notes))


def _outline(engine: Engine, arguments: Arguments) -> Json:
    path = arguments["path"].rstrip("/").removeprefix("./")
    if path not in ("", "."):
        path = indexed(engine, path, folder=True)
    n_nodes = _files_below(engine, "" if path == "." else path)
    offset, limit = arguments["offset"], arguments["limit"]
    folders: list[Json] = []
    if sum(n_nodes.values()) > limit and path not in n_nodes:
        folders, n_nodes = _group_by_folder(n_nodes, path)
    nodes = [
        node for name in n_nodes for node in engine.outline(name) if node.kind not in _UNNAMED_KINDS
    ]
    return {
        "folders": folders,
        "nodes": [_node_json(node) for node in nodes[offset : offset + limit]],
        "next_offset": offset + limit if len(nodes) > offset + limit else -1,
        "total": len(nodes),
    }


def _files_below(engine: Engine, path: str) -> dict[str, int]:
    """Return the number of nodes of each file at or below a path."""
    files = engine.snapshot.files
    names = [n for n in files if not path or n == path or n.startswith(path + "/")]
    return {name: len(files[name].node_ids) for name in sorted(names)}


def _group_by_folder(n_nodes: Mapping[str, int], path: str) -> tuple[list[Json], dict[str, int]]:
    """Return a folder's folders with their sizes, and the node counts of its own files."""
    prefix = path + "/" if path not in ("", ".") else ""
    files, counts_of = dict[str, int](), defaultdict[str, list[int]](list)
    for name, count in n_nodes.items():
        folder, inner, _ = name[len(prefix) :].partition("/")
        if inner:
            counts_of[prefix + folder].append(count)
        else:
            files[name] = count
    folders: list[Json] = [
        {"path": folder, "files": len(counts), "definitions": sum(counts)}
        for folder, counts in counts_of.items()
    ]
    return folders, files


def _read_node(engine: Engine, arguments: Arguments) -> Json:
    path = indexed(engine, arguments["path"])
    node = engine.node_at(path, arguments["line"] - 1)
    if node is None:
        last = max((n.span.end_line + 1 for n in engine.outline(path)), default=0)
        raise SettingsError(
            f"there is no indexed code at '{visible_line(path)}:{arguments['line']}';"
            f" it has {last:,} lines"
        )
    engine.picked(path, arguments["line"] - 1)
    excerpt = engine.excerpts().of(path)
    if excerpt is None:
        raise SettingsError(f"'{visible_line(path)}' has changed since it was indexed; ask again")
    first = node.span.start_line + arguments["offset"]
    end = min(first + arguments["limit"], node.span.end_line + 1)
    return {
        **_node_json(node),
        "first_line": first + 1,
        "text": "\n".join(excerpt.lines[first:end]),
        "next_offset": arguments["offset"] + arguments["limit"]
        if end <= node.span.end_line
        else -1,
        "generation": node.generation,
    }


def _status(engine: Engine, arguments: Arguments) -> Json:
    return status_json(engine.status())


def indexed(engine: Engine, path: str, *, folder: bool = False) -> str:
    """Return a path as the index has it. Raises SettingsError for every other path."""
    files = engine.snapshot.files
    root = engine.root.as_posix() + "/"
    relative = path.replace("\\", "/").removeprefix(root).removeprefix("./").rstrip("/")
    if relative in files or (folder and any(name.startswith(relative + "/") for name in files)):
        return relative
    noun = "file or folder" if folder else "file"
    raise SettingsError(
        f"'{visible_line(path[:200])}' is not an indexed {noun}{_suggest(files, relative)}"
    )


def _suggest(files: Iterable[str], missing_path: str) -> str:
    """Return the remedy for a path that is not indexed."""
    name = missing_path.rpartition("/")[2]
    same_name = [path for path in files if path.rpartition("/")[2] == name]
    if not same_name:
        return "; use outline to list what is indexed, or search"
    suggestions = ", ".join(
        f"'{visible_line(path)}'" for path in sorted(same_name, key=len)[:_MAX_SUGGESTIONS]
    )
    return f"; did you mean {suggestions}{' ...' if len(same_name) > _MAX_SUGGESTIONS else ''}?"


def _node_json(node: NodeRef) -> Json:
    return {
        "path": node.path,
        "start_line": node.span.start_line + 1,
        "end_line": node.span.end_line + 1,
        "kind": node.kind,
        **_names(node),
    }


def _names(node: NodeRef) -> Json:
    """Return a node's names without secrets: a signature has values, and a heading any text."""
    return {
        "name": safe_line(node.name),
        "qualname": safe_line(node.qualname),
        "signature": safe_line(node.signature),
    }


_HANDLERS: dict[str, Callable[[Engine, Arguments], Json]] = {
    "search": _search,
    "related": _related,
    "pack": _pack,
    "outline": _outline,
    "read_node": _read_node,
    "status": _status,
}
