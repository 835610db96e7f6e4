"""`packhound/symbol`: name, or uri and position; distance?, limit?."""

from __future__ import annotations

from packhound.api import Json, symbol_answer
from packhound.core.errors import SettingsError
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.params import limit_in, number_in, text_in

_DEFAULT_LIMIT = 100
_MAX_DISTANCE = 4


def symbol(ls: PackhoundServer, params: Params) -> Json:
    """Return a definition with its callers, callees, implementations and tests.

    A name is looked up in every folder; the first that has it answers.
    """
    distance = number_in(params, "distance", 1, low=1, high=_MAX_DISTANCE)
    limit, locate = limit_in(params, _DEFAULT_LIMIT), Locations(ls.session).json
    if params.get("name") is None:
        engine, path = ls.require_engine_path(params)
        return symbol_answer(
            engine, f"{path}:{ls.session.documents.line_in(params) + 1}", distance, limit, locate
        )
    name, refusal = text_in(params, "name"), SettingsError("no folder is open")
    for engine in ls.session.workspace.engines:
        try:
            return symbol_answer(engine, name, distance, limit, locate)
        except SettingsError as problem:
            refusal = problem
    raise refusal
