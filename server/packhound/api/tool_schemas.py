"""The six tools as clients are shown them: JSON Schema without unions, references or null.

Some clients take nothing else, so every optional argument has a default, told in its description.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from packhound.core.types import KINDS, MODES
from packhound.pack.request import FORMATS

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as clients are shown it. `schema` is JSON Schema without unions or references."""

    name: str
    title: str
    description: str
    schema: Schema


DEFAULTS: dict[str, dict[str, Any]] = {
    "search": {
        "offset": 0,
        "limit": 10,
        "mode": "hybrid",
        "kinds": [],
        "languages": [],
        "paths": [],
        "snippet_lines": 8,
    },
    "related": {"limit": 10, "snippet_lines": 4},
    "pack": {
        "budget": 8_000,
        "reserve": 0,
        "focus_path": "",
        "focus_line": 1,
        "pinned": [],
        "excluded": [],
        "model": "",
        "format": "markdown",
        "conversation": "",
    },
    "outline": {"path": "", "offset": 0, "limit": 200},
    "read_node": {"offset": 0, "limit": 400},
    "status": {},
}


def _text(description: str, longest: int = 1_000, least: int = 0) -> Schema:
    return {
        "type": "string",
        "description": description,
        "minLength": least,
        "maxLength": longest,
    }


def _number(description: str, low: int, high: int) -> Schema:
    return {"type": "integer", "description": description, "minimum": low, "maximum": high}


def _choice(description: str, choices: Sequence[str]) -> Schema:
    return {"type": "string", "description": description, "enum": list(choices)}


def _several(description: str, items: Schema) -> Schema:
    return {"type": "array", "description": description, "items": items, "maxItems": 50}


def _object(required: Sequence[str], **properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_LIMIT = _number("Hits at most (10).", 1, 50)
_SNIPPET = _number("Lines of code shown of each hit; 0 for none.", 0, 60)
_OFFSET = _number("Where to go on: next_offset of the answer before (0).", 0, 10_000)
_PATH = _text("File, relative to the root.", 1_000, 1)
_LINE = _number("1-based line.", 1, 10_000_000)

TOOLS: tuple[Tool, ...] = (
    Tool(
        "search",
        "Search code",
        "Find code by meaning or by name in the workspace, unsaved edits included. The query is a "
        "name, a question, or a whole bug report.",
        _object(
            ["query"],
            query=_text("What to find.", 20_000, 1),
            limit=_LIMIT,
            offset=_OFFSET,
            mode=_choice("How to search (hybrid).", MODES),
            kinds=_several("Only these kinds of code.", _choice("A kind.", KINDS)),
            languages=_several("Only these languages.", _text("A language.", 40)),
            paths=_several("Only paths like these globs.", _text("A glob.", 400)),
            snippet_lines=_SNIPPET,
        ),
    ),
    Tool(
        "related",
        "Related code",
        "Code like that at a line, and what it contains, uses and is used by.",
        _object(["path", "line"], path=_PATH, line=_LINE, limit=_LIMIT, snippet_lines=_SNIPPET),
    ),
    Tool(
        "pack",
        "Pack context",
        "The code that a task needs, chosen and cut to fit a budget of tokens. Give the task as it "
        "was told; paths, names, stack traces and diffs in it count more.",
        _object(
            ["prompt"],
            prompt=_text("The task.", 100_000, 1),
            budget=_number("Tokens at most (8000).", 100, 1_000_000),
            reserve=_number("Tokens of the budget to leave free (0).", 0, 1_000_000),
            focus_path=_text("The file that the user looks at."),
            focus_line=_LINE,
            pinned=_several("Files, or PATH:10-20, that must be in it.", _text("A path.")),
            excluded=_several("Globs of what must not be in it.", _text("A glob.", 400)),
            model=_text("Model to tell the cost for.", 100),
            format=_choice("Form of the text (markdown).", FORMATS),
            conversation=_text("Any name: packs of one conversation do not repeat code.", 200),
        ),
    ),
    Tool(
        "outline",
        "Outline",
        "A file or a folder as the signatures of what it defines; of a folder with more than "
        "`limit` definitions its folders with their sizes, and what its own files define.",
        _object(
            [],
            path=_text("File or folder, relative to the root; empty for all."),
            limit=_number("Definitions at most (200).", 1, 1_000),
            offset=_number("Where to go on: next_offset of the answer before.", 0, 10_000_000),
        ),
    ),
    Tool(
        "read_node",
        "Read definition",
        "The whole text of the definition at a line, as the editor has it.",
        _object(
            ["path", "line"],
            path=_PATH,
            line=_LINE,
            limit=_number("Lines at most (400).", 1, 2_000),
            offset=_number("Lines of the definition to skip.", 0, 10_000_000),
        ),
    ),
    Tool("status", "Status", "What is indexed, and whether anything is pending.", _object([])),
)
