"""The six tools as clients see them: JSON Schema without unions, references or null.

Some clients accept nothing else, so every optional argument has a default, stated in its
description.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from packhound.api.schema import PACK_REQUEST, QUERY
from packhound.core.errors import SettingsError
from packhound.core.parameters import Parameter, Schema, integer, text
from packhound.core.types import DEEP_TIME_MS, Query
from packhound.pack import PackRequest
from packhound.redact import visible_line


@dataclass(frozen=True)
class Tool:
    """A tool: its texts, its parameters, and the defaults of those that are optional."""

    name: str
    title: str
    description: str
    parameters: Mapping[str, Parameter]
    defaults: Mapping[str, Any]

    @property
    def schema(self) -> Schema:
        """The JSON Schema of the arguments."""
        properties = {
            name: _with_default(parameter, self.defaults.get(name)).json_schema()
            for name, parameter in self.parameters.items()
        }
        return {
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name not in self.defaults],
            "additionalProperties": False,
        }

    def check(self, arguments: Mapping[str, object]) -> dict[str, Any]:
        """Return the arguments with defaults. Raises SettingsError for an unknown or bad one."""
        for name in arguments:
            if name not in self.parameters:
                expected = ", ".join(self.parameters) or "none"
                raise SettingsError(
                    f"unknown argument '{visible_line(name)}'; expected one of: {expected}"
                )
        return {
            name: parameter.read(f"argument '{name}'", arguments.get(name))
            if name in arguments or name not in self.defaults
            else self.defaults[name]
            for name, parameter in self.parameters.items()
        }


def _with_default(parameter: Parameter, default: object) -> Parameter:
    if default in (None, "", ()):
        return parameter
    return replace(parameter, description=f"{parameter.description[:-1]} (default {default}).")


_LIMIT = integer("Maximum number of hits.", 1, 50)
_OFFSET = integer("Where to continue: next_offset of the previous answer.", 0, 10_000_000)
_SNIPPET_LINES = integer("Lines of code to show of each hit; 0 for none.", 0, 60)
_LOCATION = {
    "path": text("File, relative to the root.", minimum=1),
    "line": integer("1-based line.", 1, 10_000_000),
}
_TOOL_QUERY = {name: QUERY[name] for name in QUERY if name != "deep"}
"""Agents always have the deep model, unless the setting is off."""
_QUERY_DEFAULTS = {name: getattr(Query(""), name) for name in _TOOL_QUERY if name != "query"}
_QUERY_DEFAULTS["time_ms"] = DEEP_TIME_MS
_TOOL_PACK = {name: PACK_REQUEST[name] for name in PACK_REQUEST if name != "tokenizer"}
"""An agent must not have the server read a file of its choice."""
_PACK_DEFAULTS = {name: getattr(PackRequest(""), name) for name in _TOOL_PACK if name != "prompt"}

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "search",
            "Search code",
            "Find code by meaning or by name in the workspace, unsaved edits included. The query "
            "is a name, a question, or a whole bug report.",
            {
                **_TOOL_QUERY,
                "query": replace(QUERY["query"], minimum=1),
                "limit": _LIMIT,
                "offset": replace(_OFFSET, maximum=10_000),
                "snippet_lines": _SNIPPET_LINES,
            },
            {**_QUERY_DEFAULTS, "offset": 0, "snippet_lines": 8},
        ),
        Tool(
            "related",
            "Related code",
            "Code like that at a line, and what it contains, uses and is used by.",
            {**_LOCATION, "limit": _LIMIT, "snippet_lines": _SNIPPET_LINES},
            {"limit": 10, "snippet_lines": 4},
        ),
        Tool(
            "pack",
            "Pack context",
            "The code that a task needs, chosen and cut to fit a budget of tokens. Give the task "
            "in the user's words; paths, names, stack traces and diffs in it count more.",
            {
                **_TOOL_PACK,
                "prompt": replace(PACK_REQUEST["prompt"], minimum=1),
                "focus_path": text("The file that the user looks at."),
                "focus_line": _LOCATION["line"],
            },
            {**_PACK_DEFAULTS, "focus_path": "", "focus_line": 1},
        ),
        Tool(
            "outline",
            "Outline",
            "A file or a folder as the signatures of what it defines; of a folder with more than "
            "`limit` definitions its folders with their sizes, and what its own files define.",
            {
                "path": text("File or folder, relative to the root; empty for all."),
                "limit": integer("Maximum number of definitions.", 1, 1_000),
                "offset": _OFFSET,
            },
            {"path": "", "limit": 200, "offset": 0},
        ),
        Tool(
            "read_node",
            "Read definition",
            "The whole text of the definition at a line, as the editor has it.",
            {
                **_LOCATION,
                "limit": integer("Maximum number of lines.", 1, 2_000),
                "offset": integer("Lines of the definition to skip.", 0, 10_000_000),
            },
            {"limit": 400, "offset": 0},
        ),
        Tool("status", "Status", "What is indexed, and whether anything is pending.", {}, {}),
    )
}
