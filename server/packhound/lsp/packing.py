"""Requests for context packs: the code that a prompt needs, and what a node is connected to."""

from __future__ import annotations

from collections import Counter

from pygls.exceptions import JsonRpcInvalidParams

from packhound.api.json_codec import Json, pack_json
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.languageserver import PackhoundServer
from packhound.lsp.params import (
    choice_in,
    limit_in,
    line_in,
    number_in,
    object_in,
    text_in,
    texts_in,
    uri_in,
    word_in,
)
from packhound.lsp.places import Places
from packhound.lsp.session import Session
from packhound.pack.request import FORMATS, PackFocus, PackRequest
from packhound.service.engine import Engine

# A conversation that was pasted whole still fits.
PROMPT_CHARACTERS = 1_000_000
# A definition that everything uses; nobody looks at more.
MOST_NEIGHBORS = 100
# More than any model reads at once.
MOST_TOKENS = 10_000_000


def pack(ls: PackhoundServer, params: Params) -> Json:
    """`packhound/pack`: prompt, budget?, reserve?, focus?, pinned?, excluded?, model?, ..."""
    ls.session.wait_for_folders()
    engine, focus = _place(ls.session, object_in(params, "focus"))
    budget = number_in(params, "budget", PackRequest("").budget, low=1, high=MOST_TOKENS)
    request = PackRequest(
        prompt=text_in(params, "prompt", PROMPT_CHARACTERS),
        budget=budget,
        reserve=number_in(params, "reserve", 0, low=0, high=budget),
        focus=focus,
        pinned=texts_in(params, "pinned"),
        excluded=texts_in(params, "excluded"),
        model=word_in(params, "model"),
        tokenizer=word_in(params, "tokenizer"),
        format=choice_in(params, "format", FORMATS, FORMATS[0]),
        conversation=word_in(params, "conversation"),
    )
    return {**pack_json(engine.pack(request, ls.protocol.cancelled())), "root": str(engine.root)}


def neighbors(ls: PackhoundServer, params: Params) -> Json:
    """`packhound/neighbors`: what the node at a position contains, uses, and is used by.

    `limit` is how many of each kind are told, the surest first.
    """
    engine, path = ls.located(params)
    most, places = limit_in(params, MOST_NEIGHBORS), Places(ls.session)
    found, told = [], Counter[str]()
    for edge, node in engine.neighbors(path, line_in(params)):
        told[edge] += 1
        if told[edge] <= most:
            found.append(
                {
                    "edge": edge,
                    "path": node.path,
                    "name": node.name,
                    "qualname": node.qualname,
                    "kind": node.kind,
                    "start_line": node.span.start_line + 1,
                    "end_line": node.span.end_line + 1,
                    **places.json(node),
                }
            )
    return {"neighbors": found}


def _place(session: Session, focus: Params | None) -> tuple[Engine, PackFocus | None]:
    """The folder to pack from: the one that the user is in, or the first."""
    place = session.locate(uri_in(focus)) if focus else None
    engines = session.workspace.engines
    if place is None and not engines:
        raise JsonRpcInvalidParams("no folder is open to pack from")
    if place is None or focus is None:
        return engines[0], None
    engine, path = place
    line = line_in(focus) if focus.get("position") is not None else 0
    selection = object_in(focus, "selection")
    lines = None
    if selection is not None:
        lines = (_line(selection, "start"), _line(selection, "end"))
    shown = tuple(session.documents.paths_in(engine))
    return engine, PackFocus(path, line, lines, shown)


def _line(selection: Params, name: str) -> int:
    return line_in({"position": selection.get(name)})
