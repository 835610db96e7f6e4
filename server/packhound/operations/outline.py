"""`outline`: what a file or a folder defines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Annotated

from packhound import service
from packhound.core.errors import SettingsError
from packhound.core.status import why_in_part
from packhound.core.typed import about, number
from packhound.operations import fields
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.references import resolve_folder
from packhound.operations.rows import node_row
from packhound.operations.text import Row, Text, lines_of, path_of, plus, rows_in, signature_of

_UNNAMED_KINDS = ("file", "window")


class Outline(Request):
    """A file or a folder; `limit` bounds the definitions."""

    path: Annotated[fields.Word, about("File or folder, relative to the root; empty for all.")] = ""
    limit: Annotated[int, number("Maximum number of definitions.", 1, 1_000)] = 200
    offset: fields.Offset = 0
    max_tokens: fields.MaxTokens = 4_000


def run(call: Call, request: Outline) -> Json:
    """Return one page of the outlines of the folders that have a path, one after the other.

    Raises SettingsError: none has it.

    Answer: `nodes`, and of a large folder the `folders` in it; `total`, `next_offset`; where it
    has none the files that are not parsed: `unparsed`.
    """
    rows, refusals, asked = list[Json](), list[SettingsError](), set[str]()
    unparsed: list[Json] = []
    for root, path in call.roots.candidates(request.path):
        if root.path in asked or (asked and path != request.path):
            continue
        try:
            rows += _rows_of(call, root, path, request.limit)
        except SettingsError as refusal:
            refusals.append(refusal)
        else:
            asked.add(root.path)
            unparsed += _unparsed(call, root, path)
            if path != request.path:
                break  # It begins with the name of this folder.
    if not asked:
        raise service.best_refusal(refusals)
    end = request.offset + request.limit
    page = rows[request.offset : end]
    return {
        "folders": [row for row in page if "files" in row],
        "nodes": [row for row in page if "files" not in row],
        "offset": request.offset,
        "next_offset": end if len(rows) > end else -1,
        "total": len(rows),
        "unparsed": [] if rows else unparsed[: request.limit],
    }


def _rows_of(call: Call, root: service.Root, written: str, limit: int) -> list[Json]:
    """Return what a file or folder of a root defines; of a large folder its folders instead."""
    engine = root.engine
    path = resolve_folder(root, written)
    n_nodes = _files_below(engine, path)
    rows: list[Json] = []
    if sum(n_nodes.values()) > limit and path not in n_nodes:
        folders, n_nodes = _group_by_folder(n_nodes, path)
        rows = [{**folder, **call.roots.whose(root.path)} for folder in folders]
    return rows + [
        node_row(node)
        for name in n_nodes
        for node in engine.outline(name)
        if node.kind not in _UNNAMED_KINDS
    ]


def _files_below(engine: service.Engine, path: str) -> dict[str, int]:
    """Return the number of nodes of each file at or below a path."""
    files = engine.snapshot.files
    names = [n for n in files if not path or n == path or n.startswith(path + "/")]
    return {name: len(files[name].node_ids) for name in sorted(names)}


def _unparsed(call: Call, root: service.Root, written: str) -> list[Json]:
    """Return the files at or below a path that no parser has read."""
    files = root.engine.snapshot.files
    names = _files_below(root.engine, resolve_folder(root, written))
    paths = [n for n in names if files[n].language == "text" or why_in_part(files[n].degraded)]
    return [{"path": path, **call.roots.whose(root.path)} for path in paths]


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


def text(answer: Row) -> Text:
    """Return folders with their sizes, then definitions with their signatures."""
    units = [*_folder_units(answer), *_node_units(answer)]
    beyond = f" from offset {answer['offset']:,} on, of {answer['total']:,}" * bool(answer["total"])
    head = () if units else (_not_parsed(answer) or f"no definitions{beyond}",)
    return Text.page(answer, head, units, "definitions")


def _not_parsed(answer: Row) -> str:
    """Return that definitions are not known, and of which files; "" if all were parsed."""
    names = [path_of(row) for row in rows_in(answer, "unparsed")]
    more = f" and {len(names) - 1:,} more" * (len(names) > 1)
    remedy = "not parsed, definitions are not known; use search or grep"
    return f"{names[0]}{more}: {remedy}" if names else ""


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
        indent = "  " * (len(open_ends) + 1)
        yield f"{heading}{indent}{plus(node)}{lines_of(node)} {signature_of(node)}"
        open_ends.append(node["end_line"])


def _count(row: Row, noun: str) -> str:
    n = row[noun]
    return f"{n:,} {noun[:-1] if n == 1 else noun}"


OPERATION = Operation(
    "outline",
    "Outline",
    "Signatures of what a file or a folder defines; of one with more than `limit` definitions its "
    "folders with their sizes, and what its own files define.",
    Outline,
    run,
    text,
    instead="For whole texts use read_node.",
    lists=True,
)
