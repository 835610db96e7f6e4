"""`packhound/pack`: prompt, budget?, reserve?, focus?, ...; `packhound/packItem`: id, item?."""

from __future__ import annotations

from pygls.exceptions import JsonRpcInvalidParams

from packhound.api import Json, pack_item_json, pack_json, pack_request_from
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.params import line_in, number_in, object_in, text_in, uri_in
from packhound.lsp.session import Session
from packhound.pack import PackFocus
from packhound.service import Engine


def pack(ls: PackhoundServer, params: Params) -> Json:
    """Return the best code of all folders for a prompt within a budget of tokens.

    Where there are several, each item has its `root`.
    """
    ls.session.wait_for_folders()
    engine, focus = _engine_and_focus(ls.session, object_in(params, "focus"))
    request = pack_request_from(params, ls.session.settings, focus=focus)
    packed = ls.session.workspace.pack(request, engine, ls.protocol.cancel_event())
    identity, total = ls.session.packs.add(packed, request.model)
    answer = pack_json(packed, request.model)
    return {**answer, "root": str(engine.root), "id": identity, "total": total}


def pack_item(ls: PackhoundServer, params: Params) -> Json:
    """Return an item of a pack of this session with all that brought it there."""
    identity = text_in(params, "id")
    packed = ls.session.packs.get(identity)
    if packed is None:
        raise JsonRpcInvalidParams(
            f"'id' is {identity!r:.80}; expected that of one of the last packs: "
            + (", ".join(ls.session.packs.identities) or "none")
        )
    number = number_in(params, "item", 0, low=0, high=max(0, len(packed.items) - 1))
    if not packed.items:
        raise JsonRpcInvalidParams(f"the pack '{identity}' has no items")
    return pack_item_json(packed.items[number])


def _engine_and_focus(session: Session, focus: Params | None) -> tuple[Engine, PackFocus | None]:
    """Return the folder that the user is in, or the first, and the place there."""
    engine_path = session.locate(uri_in(focus)) if focus else None
    engines = session.workspace.engines
    if engine_path is None and not engines:
        raise JsonRpcInvalidParams("no folder is open to pack from")
    if engine_path is None or focus is None:
        return engines[0], None
    engine, path = engine_path
    line = session.documents.line_in(focus) if focus.get("position") is not None else 0
    selection = object_in(focus, "selection")
    lines = None
    if selection is not None:
        lines = (_line(selection, "start"), _line(selection, "end"))
    open_paths = tuple(session.documents.paths_in(engine))
    return engine, PackFocus(path, line, lines, open_paths)


def _line(selection: Params, name: str) -> int:
    return line_in({"position": selection.get(name)})
