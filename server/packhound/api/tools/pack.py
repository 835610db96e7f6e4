"""`pack`: the code that a task needs, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from packhound.api.json_codec import Arguments, Json, Row
from packhound.api.pack_codec import pack_json, pack_of
from packhound.api.schema import FOCUS, PACK_REQUEST, pack_request_from
from packhound.api.tools.references import resolve
from packhound.api.tools.roots import Root, root_of_place
from packhound.api.tools.text import Text, path_of, rows_in
from packhound.api.tools.tool import Tool
from packhound.core.errors import SettingsError
from packhound.pack import Pack, PackFocus, PackRequest, pack_roots
from packhound.redact import visible_line
from packhound.service import Engine

_MAX_OMITTED = 10
"""Omitted nodes that are listed; the rest is counted, which keeps the answer short."""
_NOTES_SHARE, _NOTES_TOKENS = 0.1, 200
"""Of the budget, and at most, for what the text says of the pack."""
_CHANGED_PER_ROOT = ("budget", "reserve", "model", "conversation", "excluded")
_FIELDS = {name: PACK_REQUEST[name] for name in PACK_REQUEST if name != "tokenizer"}
"""An agent must not have the server read a file of its choice."""
_DEFAULTS = {name: getattr(PackRequest(""), name) for name in _FIELDS if name != "prompt"}


def _answer(engine: Engine, arguments: Arguments) -> Json:
    focus = None
    if arguments["focus_path"]:
        path, line = resolve(engine, arguments["focus_path"], 1)
        focus = PackFocus(path, line or 0)
    settings = engine.follow_settings().settings
    request = pack_request_from(arguments, settings, focus=focus)
    notes_tokens = min(_NOTES_TOKENS, int(request.available * _NOTES_SHARE))
    pack = engine.pack(replace(request, reserve=request.reserve + notes_tokens))
    n_more = len(pack.omitted) - _MAX_OMITTED
    notes = (*pack.notes, f"{n_more:,} more were left out") if n_more > 0 else pack.notes
    return pack_json(replace(pack, omitted=pack.omitted[:_MAX_OMITTED], notes=notes), request.model)


def _join(roots: Sequence[Root], arguments: Arguments) -> Json:
    """Return one pack of several roots; the focus is in the first that has the file."""
    focus_path = arguments.pop("focus_path", "")
    place = root_of_place(roots, focus_path) if focus_path else None
    if focus_path and not place:
        problem = f"focus_path '{visible_line(focus_path)}' is no indexed file of any root"
        raise SettingsError(problem)

    def packer(root: Root) -> Callable[[PackRequest], Pack]:
        focus = {"focus_path": place[1]} if place and root is place[0] else {}

        def pack(request: PackRequest) -> Pack:
            changed = {name: getattr(request, name) for name in _CHANGED_PER_ROOT}
            return pack_of(root.call("pack", {**arguments, **focus, **changed}))

        return pack

    request = pack_request_from(arguments)
    joined = pack_json(
        pack_roots([(root.path, packer(root)) for root in roots], request), request.model
    )
    labels = {root.path: root.label for root in roots}
    for key in ("items", "omitted"):
        rows = [{**row, "label": labels[row["root"]]} for row in rows_in(joined, key)]
        joined[key] = rows if key == "items" else rows[:_MAX_OMITTED]
    return joined


def _text(answer: Row) -> Text:
    text = str(answer["text"]) or "nothing found that fits the budget"
    if text.startswith("{"):
        return Text([text])  # The format JSON says all within itself.
    omitted = (
        visible_line(f"left out: {path_of(row)} {row['name']}, {row['reason']}")
        for row in rows_in(answer, "omitted")
    )
    notes = (f"note: {visible_line(note)}" for note in rows_in(answer, "notes"))
    return Text([text.rstrip("\n")], [*notes, *omitted], "notes")


TOOL = Tool(
    "pack",
    "Pack context",
    "The code that a task needs, chosen and cut to fit a budget of tokens. Give the task in the "
    "user's words; paths, names, stack traces and diffs in it count more.",
    {
        **_FIELDS,
        "prompt": replace(PACK_REQUEST["prompt"], minimum=1),
        "focus_path": FOCUS["focus_path"],
    },
    {**_DEFAULTS, "focus_path": ""},
    _answer,
    _text,
    _join,
)
