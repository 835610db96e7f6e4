"""A tool as clients see it: JSON Schema without unions, references or null.

Some clients accept nothing else, so every optional argument has a default, stated in its
description.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from packhound.api.json_codec import Arguments, Json, Row
from packhound.api.tools.roots import Join
from packhound.api.tools.text import Text
from packhound.core.errors import SettingsError
from packhound.core.parameters import Parameter, Schema, integer, text
from packhound.redact import visible_line
from packhound.service import Engine

MAX_TOKENS = integer("Tokens at most.", 100, 100_000)
LOCATION = text(
    "A place as search prints it: PATH:LINE or PATH#NAME, relative to the root.", 4_096, minimum=1
)
LINE = integer("1-based line, where the path has none.", 1, 10_000_000)
LIMIT = integer("Maximum number of hits.", 1, 50)
OFFSET = integer("Where to continue.", 0, 10_000_000)
SNIPPET_LINES = integer("Lines of code of each hit.", 0, 60)


@dataclass(frozen=True)
class Tool:
    """A tool: its texts, its parameters and the defaults of the optional ones, and what it does.

    `answer` gets checked arguments, `text` what it returned. `join` makes one answer of several
    roots; without it the first root that has an answer gives it. Tools of a `group` other than
    "default" are offered where the setting `mcp.tools` names it. One that `writes` notes is no
    reading tool for clients, and `idempotent` if calling it again changes nothing more. Parameters
    that are `unlisted` are for the command line, and cost no model a token.
    """

    name: str
    title: str
    description: str
    parameters: Mapping[str, Parameter]
    defaults: Mapping[str, Any]
    answer: Callable[[Engine, Arguments], Json]
    text: Callable[[Row], Text]
    join: Join | None = None
    group: str = "default"
    writes: bool = False
    idempotent: bool = True
    unlisted: tuple[str, ...] = ()

    @property
    def schema(self) -> Schema:
        """The JSON Schema of the arguments."""
        properties = {
            name: _with_default(parameter, self.defaults.get(name)).json_schema()
            for name, parameter in self.parameters.items()
            if name not in self.unlisted
        }
        return {
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name not in self.defaults],
            "additionalProperties": False,
        }

    def check(self, arguments: Mapping[str, object]) -> Arguments:
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
    if default in (None, "", (), 0):
        return parameter
    return replace(parameter, description=f"{parameter.description[:-1]} (default {default}).")
