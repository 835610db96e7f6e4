"""The text of a notebook is one and the same, from its file and from its cells."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhound.text import Cell, cell_at, cells_in, file_lines, notebook_text, text_of_json

LANGUAGES = st.sampled_from(["python", "markdown", "r", "sql"])
LINES = st.sampled_from(["", "x = 1", "# %% cell 9 [python]", "été 🐕", "\ud800", "def f():", "\t"])
CELLS = st.lists(st.tuples(LANGUAGES, st.lists(LINES, max_size=5).map("\n".join)), max_size=6)


def as_json(cells: list[tuple[str, str]], indent: int | None = 1) -> bytes:
    rows = [
        {
            "cell_type": "markdown" if language == "markdown" else "code",
            "metadata": {"vscode": {"languageId": language}},
            "outputs": [{"text": "cells"}],
            "source": text.splitlines(keepends=True) if indent else text,
        }
        for language, text in cells
    ]
    return json.dumps({"cells": rows}, indent=indent).encode()


@given(CELLS, st.sampled_from([1, None]))
def test_file_and_cells_have_one_text(cells, indent):
    text = notebook_text(Cell(*cell) for cell in cells)
    assert text_of_json(as_json(cells, indent)) == text
    spans = cells_in(text)
    assert [(cell.number, cell.language) for cell in spans] == [
        (n, language) for n, (language, _) in enumerate(cells, 1)
    ]
    for span, (_, source) in zip(spans, cells, strict=True):
        held = text[span.start : span.end].decode("utf-8", "surrogatepass")
        assert held.removesuffix("\n") == source.removesuffix("\n")
        assert cell_at(spans, span.line) == span or not held


@given(CELLS)
def test_lines_are_found_in_the_file(cells):
    file = as_json(cells)
    lines = file.decode().split("\n")
    for number, (_, source) in enumerate(cells, 1):
        for i, line in enumerate(source.splitlines()):
            assert json.dumps(line)[1:-1] in lines[file_lines(file)[number - 1][i]]


def test_a_number_too_long_for_one_is_no_header():
    text = b"# %% cell 1 [python]\n# %% cell " + b"9" * 5_000 + b" [python]\n"
    assert [cell.number for cell in cells_in(text)] == [1]


def test_cells_of_version_3_and_of_a_kernel():
    old = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["x <- 1"]}]}]}
    old["metadata"] = {"language_info": {"name": "R"}}
    assert text_of_json(json.dumps(old).encode()) == b"# %% cell 1 [r]\nx <- 1\n"


@pytest.mark.parametrize("broken", [b"", b"[]", b"{}", b'{"cells": 3}', b"{", b"[" * 100_000])
def test_what_is_no_notebook_says_so(broken):
    with pytest.raises(ValueError, match=r"."):
        text_of_json(broken)
    assert file_lines(broken) == []
