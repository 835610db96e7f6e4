"""`packhound/changes`: uri?, base?, limit?."""

from __future__ import annotations

from packhound.api import Json, changes_answer
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.params import limit_in, text_in
from packhound.lsp.roots import ask_folders
from packhound.service import Engine

_DEFAULT_LIMIT = 10


def changes(ls: PackhoundServer, params: Params) -> Json:
    """Return what differs from a commit in the folder of `uri`, else in all folders."""
    base = text_in(params, "base") if params.get("base") is not None else "HEAD"
    limit, locate = limit_in(params, _DEFAULT_LIMIT), Locations(ls.session).json

    def ask(engine: Engine, arguments: Json) -> Json:
        return changes_answer(engine, base, limit, locate)

    if params.get("uri") is not None:
        return ask(ls.require_engine_path(params)[0], {})
    return ask_folders(ls, "changes", {"base": base, "limit": limit}, ask)
