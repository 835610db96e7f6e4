"""`packhound/pack`, whose packs a session remembers; `packItem`: id, item?; `packPage`: id."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from msgspec import Meta
from pygls.exceptions import JsonRpcInvalidParams

from packhound.core.types import Json
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.operations import arguments_of, call_of, selection_of
from packhound.lsp.params import object_in, text_in, value_in
from packhound.operations import as_page, asked, item_row, make_pack, pack_row
from packhound.pack import Pack
from packhound.rpc import Params


def pack(ls: PackhoundServer, params: Params) -> Json:
    """Return the best code of all folders for a prompt within a budget of tokens."""
    arguments = arguments_of(ls, "pack", params)
    arguments |= selection_of(ls, object_in(params, "focus"))
    call, request, _, where = asked(call_of(ls), "pack", arguments)
    wanted, packed = make_pack(call, request)
    packed = replace(packed, remarks=(*packed.remarks, *where))
    identity, total = ls.session.packs.add(packed, wanted.model)
    rows = pack_row(call.roots, packed, wanted.model, explain=request.explain)
    return {**rows, "root": _root_of(ls, params), "id": identity, "total": total}


def pack_item(ls: PackhoundServer, params: Params) -> Json:
    """Return an item of a pack of this session with all that brought it there."""
    identity, packed = _remembered(ls, params)
    last = max(0, len(packed.items) - 1)
    number = value_in(params, "item", Annotated[int, Meta(ge=0, le=last)], 0)
    if not packed.items:
        raise JsonRpcInvalidParams(f"the pack '{identity}' has no items")
    return item_row(packed.items[number])


def pack_page(ls: PackhoundServer, params: Params) -> Json:
    """Return the page of a pack of this session in Markdown.

    `prompt` is what it was made for; `budget` replaces its own where the user gave another one.
    """
    _, packed = _remembered(ls, params)
    budget = value_in(params, "budget", Annotated[int, Meta(ge=1)], packed.budget)
    row = pack_row(call_of(ls).roots, replace(packed, budget=budget), "")
    return {"html": as_page("pack", row, {"prompt": value_in(params, "prompt", str, "")})}


def _remembered(ls: PackhoundServer, params: Params) -> tuple[str, Pack]:
    """Return a pack of this session by the id in `params`, after this. Raises for another."""
    identity = text_in(params, "id")
    packed = ls.session.packs.get(identity)
    if packed is None:
        raise JsonRpcInvalidParams(
            f"'id' is {identity!r:.80}; expected that of one of the last packs: "
            + (", ".join(ls.session.packs.identities) or "none")
        )
    return identity, packed


def _root_of(ls: PackhoundServer, params: Params) -> str:
    """Return the folder that the user is in, or the first."""
    focus = object_in(params, "focus")
    engine_path = ls.session.documents.locate(text_in(focus, "uri")) if focus else None
    return str((engine_path[0] if engine_path else ls.session.workspace.engines[0]).root)
