"""A notebook to nodes: each cell is parsed on its own, in its language.

The rest of a cell, without its definitions, is a section named after its first line. No number of a
cell is part of a node, so a new cell changes no other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from packhound.core.types import Document, Node, ParsedFile, Span
from packhound.parsing.captured import move_rows
from packhound.parsing.extract.windows import parse_as_windows, windows
from packhound.parsing.languages import language_named, name_parts
from packhound.text import PROSE, CellSpan, cells_in, text_of_json

_MAX_TITLE = 80
_MAX_IMPORTS = 300
_WORD = re.compile(r"[^\W_]")
_IMPORT = re.compile(r"import\b|from\b|using\b|library\(")
_CELL_MAGIC = re.compile(rb"[ \t]*%%(\w+)")

Parse = Callable[[Document, str], ParsedFile]
"""Return the nodes of a document in a language."""


def parse_notebook(document: Document, parse: Parse) -> ParsedFile:
    """Return the nodes and imports of a notebook's text; as windows if that is broken."""
    cells = cells_in(document.source)
    if not cells:
        return parse_as_windows(document, f"not a notebook: {_problem(document.source)}")
    nodes: list[Node] = []
    imports: dict[str, None] = {}
    captured: list[int] = []
    for cell in cells:
        parsed = _parse_cell(document, cell, parse)
        nodes += [_move(node, cell, len(nodes)) for node in parsed.nodes]
        imports.update(dict.fromkeys(parsed.imports))
        captured += move_rows(parsed.captured, cell.start)
    code = Counter(cell.language for cell in cells if cell.language not in (PROSE, "raw"))
    language = code.most_common(1)[0][0] if code else PROSE
    return ParsedFile(
        document.path,
        language_named(language) or language or "text",
        tuple(nodes),
        tuple(imports)[:_MAX_IMPORTS],
        captured=tuple(captured),
    )


def _parse_cell(document: Document, cell: CellSpan, parse: Parse) -> ParsedFile:
    text = Document(document.path, document.source[cell.start : cell.end])
    magic = _CELL_MAGIC.match(text.source) if cell.language == "python" else None
    language = language_named(magic[1].decode()) if magic else None
    language = language or language_named(cell.language)
    if language is None:
        return ParsedFile(document.path, "text", windows(text))
    parsed = parse(text, language)
    stem = name_parts(document.path)[0]
    rest = next((node.own_ranges for node in parsed.nodes if node.kind == "file"), ())
    title = _title(b"".join(text.source[start:end] for start, end in rest)) or stem
    return replace(parsed, nodes=tuple(_name(node, stem, title) for node in parsed.nodes))


def _title(source: bytes) -> str:
    """Return the first line that has a word and says more than an import or a command."""
    text = source.decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if _WORD.search(line)]
    lines.sort(key=lambda line: (bool(_IMPORT.match(line)), line.startswith(("%", "!"))))
    line = next(iter(lines), "")
    return " ".join(line.lstrip("#%!/->* ").split())[:_MAX_TITLE]


def _name(node: Node, stem: str, title: str) -> Node:
    """Name what is outside definitions after the cell, not after the file."""
    if node.kind == "file":
        return node._replace(kind="section", name=title, qualname=title)
    if node.kind == "window" and node.name.startswith(f"{stem}:"):
        name = node.name.replace(stem, title, 1)
        return node._replace(name=name, qualname=name)
    return node


def _move(node: Node, cell: CellSpan, n_before: int) -> Node:
    """Return a node of a cell as one of the notebook."""
    span = node.span
    return node._replace(
        span=Span(
            span.start + cell.start,
            span.end + cell.start,
            span.start_line + cell.line,
            span.end_line + cell.line,
        ),
        own_ranges=tuple((start + cell.start, end + cell.start) for start, end in node.own_ranges),
        parent=None if node.parent is None else node.parent + n_before,
    )


def _problem(source: bytes) -> str:
    try:
        text_of_json(source)
    except ValueError as error:
        return str(error)
    return "no cells"
