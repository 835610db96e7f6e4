"""`packhound/changes`: uri?, base?, limit?."""

from __future__ import annotations

from packhound.api import Json, changes_answer
from packhound.core.errors import SettingsError
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.params import limit_in, text_in

_DEFAULT_LIMIT = 10


def changes(ls: PackhoundServer, params: Params) -> Json:
    """Return what differs from a commit in the folder of `uri`, else in the first folder."""
    base = text_in(params, "base") if params.get("base") is not None else "HEAD"
    limit, engines = limit_in(params, _DEFAULT_LIMIT), ls.session.workspace.engines
    if params.get("uri") is not None:
        engines = (ls.require_engine_path(params)[0],)
    if not engines:
        raise SettingsError("no folder is open")
    return changes_answer(engines[0], base, limit, Locations(ls.session).json)
