"""Notebooks on disk, and open in an editor that synchronizes them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

from tests.support.lsp_client import LspClient

CAPABILITIES = {"notebookDocument": {"synchronization": {"dynamicRegistration": True}}}
Cells = Sequence[tuple[str, str]]
"""Language and text of each cell; Markdown cells are markup."""


def notebook_json(cells: Cells) -> str:
    """Return a notebook as Jupyter writes it; its kernel runs Python."""
    rows = [
        {
            "cell_type": "markdown" if language == "markdown" else "code",
            "metadata": {} if language == "python" else {"vscode": {"languageId": language}},
            "source": text.splitlines(keepends=True),
            **({} if language == "markdown" else {"outputs": [{"text": ["printed_output"]}]}),
        }
        for language, text in cells
    ]
    metadata = {"kernelspec": {"name": "python3", "language": "python"}}
    return json.dumps({"cells": rows, "metadata": metadata, "nbformat": 4}, indent=1)


def write_notebook(path: Path, cells: Cells) -> Path:
    """Write a notebook and return its path."""
    path.write_text(notebook_json(cells))
    return path


class LiveNotebook:
    """A notebook that a client has open; `uris` and `cells` are in order."""

    def __init__(self, client: LspClient, path: Path | str, cells: Cells) -> None:
        self._client = client
        self._uri = path if isinstance(path, str) else path.as_uri()
        self._versions = itertools.count(1)
        self._numbers = itertools.count(1)
        self.uris = [self._new_uri() for _ in cells]
        self.cells = [(language, text) for language, text in cells]
        params = {
            "notebookDocument": {
                "uri": self._uri,
                "notebookType": "jupyter-notebook",
                "version": 0,
                "cells": [self._cell(*each) for each in zip(self.uris, self.cells, strict=True)],
            },
            "cellTextDocuments": [
                self._document(*each) for each in zip(self.uris, self.cells, strict=True)
            ],
        }
        client.notify("notebookDocument/didOpen", params)

    def edit(self, number: int, change: tuple[int, int, int, str]) -> None:
        """Replace characters of one line of a cell; the line must be ASCII."""
        line, start, end, text = change
        lines = self.cells[number][1].split("\n")
        lines[line] = lines[line][:start] + text + lines[line][end:]
        self.cells[number] = self.cells[number][0], "\n".join(lines)
        edges = {
            "start": {"line": line, "character": start},
            "end": {"line": line, "character": end},
        }
        document = {"uri": self.uris[number], "version": next(self._versions)}
        content = {"document": document, "changes": [{"range": edges, "text": text}]}
        self.change({"textContent": [content]})

    def insert(self, number: int, language: str, text: str) -> None:
        """Add a cell before that of a number."""
        uri = self._new_uri()
        self._splice(number, 0, [(uri, (language, text))], opened=[(uri, (language, text))])

    def delete(self, number: int) -> None:
        """Remove a cell."""
        self._splice(number, 1, [], closed=[self.uris[number]])

    def move(self, number: int, to: int) -> None:
        """Take a cell out and put it back in elsewhere."""
        uri, cell = self.uris[number], self.cells[number]
        self._splice(number, 1, [], closed=[uri])
        self._splice(min(to, len(self.uris)), 0, [(uri, cell)], opened=[(uri, cell)])

    def change(self, cells: dict) -> None:
        """Send a change of cells as it is."""
        document = {"uri": self._uri, "version": next(self._versions)}
        params = {"notebookDocument": document, "change": {"cells": cells}}
        self._client.notify("notebookDocument/didChange", params)

    def close(self) -> None:
        """Close it; what is on disk counts again."""
        closed = [{"uri": uri} for uri in self.uris]
        params = {"notebookDocument": {"uri": self._uri}, "cellTextDocuments": closed}
        self._client.notify("notebookDocument/didClose", params)

    def _splice(self, start: int, count: int, cells: list, opened=(), closed=()) -> None:
        self.uris[start : start + count] = [uri for uri, _ in cells]
        self.cells[start : start + count] = [cell for _, cell in cells]
        array = {"start": start, "deleteCount": count, "cells": [self._cell(*c) for c in cells]}
        documents = [self._document(*each) for each in opened]
        closing = [{"uri": uri} for uri in closed]
        structure = {"array": array, "didOpen": documents, "didClose": closing}
        self.change({"structure": structure})

    def _new_uri(self) -> str:
        return f"vscode-notebook-cell:{self._uri.partition(':')[2]}#W{next(self._numbers)}"

    @staticmethod
    def _cell(uri: str, cell: tuple[str, str]) -> dict:
        return {"kind": 1 if cell[0] == "markdown" else 2, "document": uri}

    @staticmethod
    def _document(uri: str, cell: tuple[str, str]) -> dict:
        return {"uri": uri, "languageId": cell[0], "version": 0, "text": cell[1]}
