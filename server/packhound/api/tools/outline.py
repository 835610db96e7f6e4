"""`outline`: what a file or a folder defines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from packhound.api.json_codec import Arguments, Json, Row
from packhound.api.tools.references import resolve_folder
from packhound.api.tools.roots import join_outlines
from packhound.api.tools.rows import node_row
from packhound.api.tools.text import Text, lines_of, path_of, rows_in, signature_of
from packhound.api.tools.tool import MAX_TOKENS, OFFSET, Tool
from packhound.core.parameters import integer, text
from packhound.service import Engine

_UNNAMED_KINDS = ("file", "window")


def _answer(engine: Engine, arguments: Arguments) -> Json:
    path = resolve_folder(engine, arguments["path"])
    n_nodes = _files_below(engine, path)
    offset, limit = arguments["offset"], arguments["limit"]
    rows: list[Json] = []
    if sum(n_nodes.values()) > limit and path not in n_nodes:
        rows, n_nodes = _group_by_folder(n_nodes, path)
    rows += [
        node_row(node)
        for name in n_nodes
        for node in engine.outline(name)
        if node.kind not in _UNNAMED_KINDS
    ]
    page = rows[offset : offset + limit]
    return {
        "folders": [row for row in page if "files" in row],
        "nodes": [row for row in page if "files" not in row],
        "offset": offset,
        "next_offset": offset + limit if len(rows) > offset + limit else -1,
        "total": len(rows),
    }


def _files_below(engine: Engine, path: str) -> dict[str, int]:
    """Return the number of nodes of each file at or below a path."""
    files = engine.snapshot.files
    names = [n for n in files if not path or n == path or n.startswith(path + "/")]
    return {name: len(files[name].node_ids) for name in sorted(names)}


def _group_by_folder(n_nodes: Mapping[str, int], path: str) -> tuple[list[Json], dict[str, int]]:
    """Return a folder's folders with their sizes, and the node counts of its own files."""
    prefix = path + "/" if path else ""
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


def _text(answer: Row) -> Text:
    units = [*_folder_units(answer), *_node_units(answer)]
    return Text(
        head=() if units else ("no definitions",),
        units=units,
        noun="definitions",
        notes=rows_in(answer, "notes"),
        offset=answer["offset"],
        has_more=answer["next_offset"] != -1,
    )


def _folder_units(answer: Row) -> Iterator[str]:
    for folder in rows_in(answer, "folders"):
        counts = (_count(folder, "files"), _count(folder, "definitions"))
        yield f"{path_of(folder)}/ {', '.join(counts)}"


def _node_units(answer: Row) -> Iterator[str]:
    """Yield the lines and signature of each node, the first of a file below its path."""
    path, open_ends = "", list[int]()
    for node in rows_in(answer, "nodes"):
        heading = ""
        if path_of(node) != path:
            path, open_ends = path_of(node), []
            heading = f"{path}\n"
        while open_ends and open_ends[-1] < node["start_line"]:
            open_ends.pop()
        yield f"{heading}{'  ' * (len(open_ends) + 1)}{lines_of(node)} {signature_of(node)}"
        open_ends.append(node["end_line"])


def _count(row: Row, noun: str) -> str:
    n = row[noun]
    return f"{n:,} {noun[:-1] if n == 1 else noun}"


TOOL = Tool(
    "outline",
    "Outline",
    "A file or a folder as the signatures of what it defines; of a folder with more than `limit` "
    "definitions its folders with their sizes, and what its own files define.",
    {
        "path": text("File or folder, relative to the root; empty for all."),
        "limit": integer("Maximum number of definitions.", 1, 1_000),
        "offset": OFFSET,
        "max_tokens": MAX_TOKENS,
    },
    {"path": "", "limit": 200, "offset": 0, "max_tokens": 4_000},
    _answer,
    _text,
    join_outlines,
)
