"""Jupyter notebooks as text: the sources of their cells, each below a line `# %% cell 3 [python]`.

This text stands for the file everywhere: lines, digests, grep and packs are those of it, whether it
was read from disk (nbformat 3 and 4) or comes from an editor that has the notebook open.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from packhound.text.line_index import LineIndex

NOTEBOOK_SUFFIX = ".ipynb"
DEFAULT_LANGUAGE = "python"
PROSE = "markdown"
"""Language of cells that are text for readers."""

_HEADER = re.compile(rb"^# %% cell (\d{1,9}) \[([^\]\r\n]*)\]\r?$", re.MULTILINE)
_MAX_LANGUAGE = 40


class Cell(NamedTuple):
    """The source of a cell and the name of its language."""

    language: str
    source: str


class CellSpan(NamedTuple):
    """A cell in the text of its notebook: its number from 1, the offsets and first line inside."""

    number: int
    language: str
    start: int
    end: int
    line: int


def is_notebook(path: str) -> bool:
    """Return True for paths of notebooks."""
    return path.endswith(NOTEBOOK_SUFFIX)


def notebook_text(cells: Iterable[Cell]) -> bytes:
    """Return the text of a notebook, b"" without cells."""
    parts = []
    for number, (language, source) in enumerate(cells, 1):
        name = re.sub(r"[\]\s]", "", language.lower())[:_MAX_LANGUAGE]
        end = "" if not source or source.endswith("\n") else "\n"
        parts.append(f"# %% cell {number} [{name}]\n{source}{end}")
    return "".join(parts).encode("utf-8", "surrogatepass")


def text_of_json(source: bytes) -> bytes:
    """Return the text of a notebook file. Raises ValueError with the reason if it is none."""
    try:
        notebook = json.loads(source)
    except RecursionError:
        raise ValueError("nested too deep") from None
    kernel = _kernel_language(notebook)
    return notebook_text(_cell(cell, kernel) for cell in _cells_of(notebook))


def _cells_of(notebook: object) -> list[dict[str, Any]]:
    """Return the cells of a notebook as JSON has them. Raises ValueError."""
    sheet = notebook if isinstance(notebook, dict) else {}
    sheets = sheet.get("worksheets")  # Of nbformat 3.
    if isinstance(sheets, list) and sheets and isinstance(sheets[0], dict):
        sheet = sheets[0]
    cells = sheet.get("cells")
    if not isinstance(cells, list):
        raise ValueError("no list of cells")
    return [cell for cell in cells if isinstance(cell, dict)]


def cells_in(text: bytes) -> list[CellSpan]:
    """Return the cells of a notebook's text, in order; none if it is not such a text."""
    headers: list[re.Match[bytes]] = []
    for header in _HEADER.finditer(text):
        # A cell may quote such a line; the numbers are consecutive.
        if int(header[1]) == len(headers) + 1 and (headers or header.start() == 0):
            headers.append(header)
    lines = LineIndex(text)
    edges = [*(header.start() for header in headers), len(text)]
    return [
        CellSpan(
            number=number + 1,
            language=header[2].decode("utf-8", "replace"),
            start=min(header.end() + 1, len(text)),
            end=edges[number + 1],
            line=lines.line_of(header.start()) + 1,
        )
        for number, header in enumerate(headers)
    ]


def cell_at(cells: Sequence[CellSpan], line: int) -> CellSpan | None:
    """Return the cell that holds a 0-based line of a notebook's text, its header included."""
    return next((cell for cell in reversed(cells) if cell.line - 1 <= line), None)


def file_lines(source: bytes) -> list[list[int]]:
    """Return for each cell the 0-based lines of the notebook file that hold its lines.

    A cell in one string has the same for all. Nothing is known of a broken file.
    """
    text = source.decode("utf-8-sig", "replace")
    try:
        cells = _cells_of(_PlacingDecoder().decode(text))
    except (ValueError, RecursionError):
        return []
    ends = [end.start() for end in re.finditer("\n", text)]
    return [_lines_of(cell, ends) for cell in cells]


def _lines_of(cell: dict[str, Any], ends: list[int]) -> list[int]:
    parts = cell.get("source", cell.get("input"))
    lines, is_start = list[int](), True
    for part in parts if isinstance(parts, list) else [parts]:
        if isinstance(part, _PlacedText):
            for piece in part.encode("utf-8", "surrogatepass").splitlines(keepends=True):
                lines += [bisect_left(ends, part.offset)] * is_start
                is_start = piece.endswith((b"\n", b"\r"))
    return lines


class _PlacedText(str):
    """A string of a JSON text, and the offset of its end there."""

    offset: int


class _PlacingDecoder(json.JSONDecoder):
    """Decoder whose strings know their place."""

    def __init__(self) -> None:
        super().__init__()
        self.parse_string = _parse_placed
        self.scan_once = py_make_scanner(self)


def _parse_placed(text: str, start: int, strict: bool) -> tuple[_PlacedText, int]:
    value, end = scanstring(text, start, strict)
    placed = _PlacedText(value)
    placed.offset = end
    return placed, end


def _cell(cell: dict[str, Any], kernel: str) -> Cell:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    kind = cell.get("cell_type")
    language = "raw" if kind == "raw" else PROSE
    if kind == "code":
        # VS Code's place for a language that is not the kernel's.
        language = _text_at(cell, "metadata", "vscode", "languageId") or kernel
    return Cell(language, source if isinstance(source, str) else "")


def _kernel_language(notebook: object) -> str:
    language = _text_at(notebook, "metadata", "language_info", "name")
    return language or _text_at(notebook, "metadata", "kernelspec", "language") or DEFAULT_LANGUAGE


def _text_at(value: object, *names: str) -> str:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""
