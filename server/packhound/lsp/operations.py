"""Operations as requests of an editor: its documents and positions become paths and lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from packhound.core.typed import fields_of
from packhound.core.types import Json
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.params import line_in, object_in, uri_in
from packhound.lsp.position import column_of
from packhound.operations import OPERATIONS, Call, answer, tracing
from packhound.rpc import Params

Handler: TypeAlias = Callable[[PackhoundServer, Params], Json]

_OF_THE_PROTOCOL = ("textDocument", "uri", "position", "workDoneToken", "partialResultToken")
DEFAULTS: Mapping[str, Json] = {
    "search": {"deep": False, "remotes": False, "snippet_lines": 0},
    "related": {"snippet_lines": 0},
    "symbol": {"limit": 100},
    "explain": {"deep": False},
    "read_node": {"limit": 2_000},
}
"""Fields of an editor's request by default: a list is shown at each key, without code."""


def operation_handler(name: str) -> Handler:
    """Return the handler of `packhound/NAME`."""

    def handle(ls: PackhoundServer, params: Params) -> Json:
        arguments = arguments_of(ls, name, params)
        call = replace(call_of(ls), report=_reporter(ls, params))
        return answer(call, name, arguments, Locations(ls.session))

    return handle


def _reporter(ls: PackhoundServer, params: Params) -> Callable[[Json], None]:
    """Return what notifies of progress, where the request has tokens for it."""
    steps, rows = params.get("workDoneToken"), params.get("partialResultToken")

    def report(progress: Json) -> None:
        if "step" not in progress:
            if rows is not None:
                ls.protocol.notify("$/progress", {"token": rows, "value": progress})
        elif steps is not None:
            value = {"kind": "report", "message": progress["step"]}
            ls.protocol.notify("$/progress", {"token": steps, "value": value})

    return report


def traced_handler(name: str, handler: Handler) -> Handler:
    """Return the handler of an operation that editors ask in their own way, with its trace."""

    def handle(ls: PackhoundServer, params: Params) -> Json:
        asked = {key: value for key, value in params.items() if key != "trace"}
        with tracing(name, params.get("trace")) as traced:
            answer = handler(ls, asked)
        return {**answer, **traced}

    return handle


def call_of(ls: PackhoundServer, *, is_typing: bool = False) -> Call:
    """Return who asks, once all folders that the client has named are open."""
    session = ls.session
    session.wait_for_folders()
    cancelled = ls.protocol.cancel_event()
    return Call(session.workspace.roots, session.settings, cancelled, is_typing=is_typing)


def arguments_of(ls: PackhoundServer, name: str, params: Params) -> Json:
    """Return the arguments of an operation; raises JsonRpcInvalidParams for a bad place."""
    values = {key: value for key, value in params.items() if key not in _OF_THE_PROTOCOL}
    values = {**DEFAULTS.get(name, {}), **values}
    fields = fields_of(OPERATIONS[name].request)
    if {"path", "line"} <= fields.keys() and "path" not in values:
        uri_in(params)
    if params.get("uri") is not None or params.get("textDocument") is not None:
        values |= _place(ls, name, params)
    elif "code" in fields and not values.get("code"):
        ls.session.wait_for_folders()
        engines = ls.session.workspace.engines
        values |= {"root": str(engines[0].root)} if engines else {}
    if "focus" in values:
        focus = _focus(ls, object_in({"focus": values.pop("focus")}, "focus"))
        # Editors send it with every request.
        values |= focus if "focus_path" in fields else {}
    if "budget" in values and name == "search":
        budget = object_in({"budget": values.pop("budget")}, "budget") or {}
        nested = {"time_ms": budget.get("timeMs"), "candidates": budget.get("candidates")}
        values = {**nested, **values}
    return values


def _place(ls: PackhoundServer, name: str, params: Params) -> Json:
    """Return the folder of a request's document, and the line of its position there."""
    if name in ("memory/list", "memory/search"):
        return {}
    engine, path = ls.require_engine_path(params)
    root: Json = {"root": str(engine.root)}
    fields = fields_of(OPERATIONS[name].request)
    if "code" in fields:
        has_line = params.get("position") is not None
        line = ls.session.documents.line_in(params) + 1 if has_line else 0
        return {**root, **({"code": [f"{path}:{line}"]} if has_line else {})}
    if "line" not in fields:
        return root
    key = "path" if "path" in fields else "name"
    line = ls.session.documents.line_in(params)
    reference: Json = {**root, key: path, "line": line + 1}
    character = (object_in(params, "position") or {}).get("character")
    if "column" in fields and isinstance(character, int):
        column = column_of(engine, path, (line, character), ls.session.client.encoding)
        reference["column"] = column + 1
    return reference


def _focus(ls: PackhoundServer, focus: Params | None) -> Json:
    """Return the place of a focus, its selection and the open files of its folder.

    Untitled documents have no path, and ignored ones nothing near: they are no focus.
    """
    ls.session.wait_for_folders()
    engine_path = ls.session.documents.locate(uri_in(focus)) if focus is not None else None
    if focus is None or engine_path is None or engine_path[1] not in engine_path[0].snapshot.files:
        return {}
    engine, path = engine_path
    has_line = focus.get("position") is not None
    line = ls.session.documents.line_in(focus) + 1 if has_line else 0
    return {"focus_path": f"{engine.root.as_posix()}/{path}", "focus_line": line}


def selection_of(ls: PackhoundServer, focus: Params | None) -> Json:
    """Return the lines that are selected and the open files of the folder, for a pack."""
    engine_path = ls.session.documents.locate(uri_in(focus)) if focus else None
    if focus is None or engine_path is None:
        return {}
    open_paths = tuple(ls.session.documents.paths_in(engine_path[0]))
    selection = object_in(focus, "selection")
    if selection is None:
        return {"open_paths": open_paths}
    lines = [line_in({"position": selection.get(edge)}) for edge in ("start", "end")]
    return {"open_paths": open_paths, "focus_lines": lines}
