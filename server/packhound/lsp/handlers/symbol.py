"""`packhound/symbol`: name, or uri and position; distance?, limit?."""

from __future__ import annotations

from packhound.api import Json, symbol_answer
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.params import limit_in, number_in, text_in
from packhound.lsp.roots import ask_folders
from packhound.service import Engine

_DEFAULT_LIMIT = 100
_MAX_DISTANCE = 4


def symbol(ls: PackhoundServer, params: Params) -> Json:
    """Return a definition with its callers, callees, implementations and tests.

    A name is looked up in every folder; the best definition of all answers.
    """
    ls.session.wait_for_folders()
    distance = number_in(params, "distance", 1, low=1, high=_MAX_DISTANCE)
    limit, locate = limit_in(params, _DEFAULT_LIMIT), Locations(ls.session).json
    if params.get("name") is None:
        engine, path = ls.require_engine_path(params)
        return symbol_answer(
            engine, f"{path}:{ls.session.documents.line_in(params) + 1}", distance, limit, locate
        )

    def ask(engine: Engine, arguments: Json) -> Json:
        return symbol_answer(engine, str(arguments["name"]), distance, limit, locate)

    return ask_folders(ls, "symbol", {"name": text_in(params, "name")}, ask)
