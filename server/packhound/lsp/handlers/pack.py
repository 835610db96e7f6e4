"""`packhound/pack`: prompt, budget?, reserve?, focus?, pinned?, excluded?, model?, ..."""

from __future__ import annotations

from pygls.exceptions import JsonRpcInvalidParams

from packhound.api import Json, pack_json, pack_request_from
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.params import line_in, object_in, uri_in
from packhound.lsp.session import Session
from packhound.pack import PackFocus
from packhound.service import Engine


def pack(ls: PackhoundServer, params: Params) -> Json:
    """Return the best code of all folders for a prompt within a budget of tokens.

    Where there are several, each item has its `root`.
    """
    ls.session.wait_for_folders()
    engine, focus = _engine_and_focus(ls.session, object_in(params, "focus"))
    request = pack_request_from(params, focus=focus)
    packed = ls.session.workspace.pack(request, engine, ls.protocol.cancel_event())
    return {**pack_json(packed), "root": str(engine.root)}


def _engine_and_focus(session: Session, focus: Params | None) -> tuple[Engine, PackFocus | None]:
    """Return the folder that the user is in, or the first, and the place there."""
    engine_path = session.locate(uri_in(focus)) if focus else None
    engines = session.workspace.engines
    if engine_path is None and not engines:
        raise JsonRpcInvalidParams("no folder is open to pack from")
    if engine_path is None or focus is None:
        return engines[0], None
    engine, path = engine_path
    line = line_in(focus) if focus.get("position") is not None else 0
    selection = object_in(focus, "selection")
    lines = None
    if selection is not None:
        lines = (_line(selection, "start"), _line(selection, "end"))
    open_paths = tuple(session.documents.paths_in(engine))
    return engine, PackFocus(path, line, lines, open_paths)


def _line(selection: Params, name: str) -> int:
    return line_in({"position": selection.get(name)})
