"""The table of all tools. A new tool is one module in this package and one line here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from packhound.api.json_codec import Arguments, Json
from packhound.api.tools import (
    changes,
    episodes,
    grep,
    memory,
    outline,
    pack,
    read_node,
    related,
    search,
    skills,
    status,
    symbol,
)
from packhound.api.tools.roots import Root, join_roots, select_roots
from packhound.api.tools.tool import Tool
from packhound.core.errors import SettingsError
from packhound.redact import visible_line
from packhound.service import Engine, reading_note

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        search.TOOL,
        grep.TOOL,
        related.TOOL,
        symbol.TOOL,
        changes.TOOL,
        pack.TOOL,
        outline.TOOL,
        read_node.TOOL,
        status.TOOL,
        *memory.TOOLS,
        *skills.TOOLS,
        episodes.TOOL,
    )
}

_INDEXING_S = 5.0
"""Seconds that a tool waits for a first indexing; then it answers with what is there and a note.
With the start of the engine on a busy machine that is below ten."""
_NO_MAX_TOKENS = 10_000_000
_NAMES = ("query", "prompt", "pattern", "name", "path")
_PATHS = ("focus_path", "path", "name")
"""Arguments that say which files are needed first."""


def call(engine: Engine, name: str, arguments: Mapping[str, object]) -> Json:
    """Run a tool. Raises SettingsError for an unknown one or for bad arguments."""
    checked = tool_named(name).check(arguments)
    if name != "status":
        near = [str(checked[key]).partition(":")[0] for key in _PATHS if checked.get(key)]
        engine.read_first(" ".join(str(checked.get(key, "")) for key in _NAMES), near)
        engine.settled(_INDEXING_S)
    reading = reading_note(*engine.reading)
    answer = TOOLS[name].answer(engine, checked)
    return {**answer, "reading": reading} if reading else answer


def call_roots(roots: Sequence[Root], name: str, arguments: Mapping[str, object]) -> Json:
    """Run a tool on several roots; with one root its answer is as that of `call`."""
    selected = select_roots(roots, str(arguments.get("root", "")))
    arguments = {key: value for key, value in arguments.items() if key != "root"}
    if len(roots) == 1:
        return roots[0].call(name, arguments)
    tool = tool_named(name)
    checked = tool.check(arguments)
    # Some defaults mean that nothing was given, and are no legal arguments.
    paging: Arguments = {key: checked[key] for key in ("offset", "limit") if key in checked}
    return join_roots(selected, name, {**arguments, **paging}, tool.join)


def as_text(name: str, answer: Json, arguments: Mapping[str, object] | None = None) -> str:
    """Return the answer to a call as text of at most its `max_tokens`, of a pack its budget."""
    tool = TOOLS[name]
    checked = {**tool.defaults, **(arguments or {})}
    max_tokens = checked.get("max_tokens", _NO_MAX_TOKENS)
    if name == "pack":
        max_tokens = checked["budget"] - checked["reserve"]
    text, reading = tool.text(answer), str(answer.get("reading", ""))
    if reading and reading not in text.notes:
        text = text._replace(notes=[*text.notes, reading])
    return text.fit(max_tokens)


def select_tools(names: Sequence[str]) -> list[Tool]:
    """Return the tools of some names and groups, those of the group `default` for none.

    Raises SettingsError for a name that is neither.
    """
    names = names or ("default",)
    by_name = {**TOOLS, **{tool.group: tool for tool in TOOLS.values()}}
    for name in names:
        if name not in by_name:
            raise SettingsError(
                f"setting 'mcp.tools' names '{visible_line(name)}'; expected some of: "
                f"{', '.join(by_name)}"
            )
    return [tool for tool in TOOLS.values() if tool.name in names or tool.group in names]


def tool_named(name: str) -> Tool:
    """Return a tool. Raises SettingsError that names all."""
    if name not in TOOLS:
        raise SettingsError(
            f"unknown tool '{visible_line(name)}'; expected one of: {', '.join(TOOLS)}"
        )
    return TOOLS[name]
