"""`docs`: documentation made from the index, a page of Markdown for each folder."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from packhound.operations import fields
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.text import Row, Text, path_of, rows_in

DOCS_FOLDER = "docs/generated"
PAGE_MARK = "<!-- Made by `packhound docs`: what is changed here is lost. -->"
"""First line of each page, by which pages are told from files of others."""


class Docs(Request):
    """The folder that the pages are for, which their links go out from."""

    out: Annotated[
        fields.Word, Meta(min_length=1, description="Folder of the pages, relative to the root.")
    ] = DOCS_FOLDER
    max_tokens: fields.MaxTokens = 4_000


def run(call: Call, request: Docs) -> Json:
    """Return the pages of all folders. Raises Cancelled.

    Answer: `pages`, each with its `path` and `text`.
    """
    return {
        "pages": [
            {"path": path, "text": f"{PAGE_MARK}\n\n{text}", **call.roots.whose(root.path)}
            for root in call.roots
            for path, text in root.engine.docs(request.out, call.cancel).items()
        ]
    }


def text(answer: Row) -> Text:
    """Return the pages one after the other."""
    pages = [f"{path_of(page)}\n{page['text']}" for page in rows_in(answer, "pages")]
    return Text(head=() if pages else ("no definitions",), units=pages, noun="pages")


OPERATION = Operation(
    "docs",
    "Documentation",
    "Documentation made from the index: for each folder its files with their public definitions, "
    "what uses each, one line that does, and which folder uses which. Writes nothing.",
    Docs,
    run,
    text,
    group="docs",
)
