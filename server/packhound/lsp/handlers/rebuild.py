"""`packhound/rebuild`: sources?, regenerateEmbeddings?."""

from __future__ import annotations

from packhound.core.records import CODE
from packhound.core.types import Json
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.operations import call_of
from packhound.lsp.params import value_in
from packhound.operations import answer, rows_in
from packhound.rpc import Params


def rebuild(ls: PackhoundServer, params: Params) -> Json:
    """Build indexes anew: that of code in the background, those of other `sources` at once."""
    names = params.get("sources") or [CODE]
    names = names if isinstance(names, list) else [names]
    regenerate, rebuilt = value_in(params, "regenerateEmbeddings", bool, False), list[object]()
    if sources := [name for name in names if name != CODE]:
        arguments: Json = {"sources": sources, "regenerate": regenerate}
        rebuilt = [*rows_in(answer(call_of(ls), "rebuild_sources", arguments), "rebuilt")]
    if CODE in names:
        ls.session.rebuild()
    return {**ls.session.state(), "rebuilt": rebuilt}
