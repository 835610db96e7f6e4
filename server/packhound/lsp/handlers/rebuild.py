"""`packhound/rebuild`: sources?, regenerateEmbeddings?."""

from __future__ import annotations

from packhound.api import Json
from packhound.core.parameters import array, choice
from packhound.core.records import CODE, SOURCE_NAMES
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.params import flag_in

_SOURCES = array("Sources to index anew.", choice("A source.", (CODE, *SOURCE_NAMES)))


def rebuild(ls: PackhoundServer, params: Params) -> Json:
    """Build indexes anew: that of code in the background, those of other `sources` at once."""
    names = _SOURCES.read("'sources'", params.get("sources") or [CODE])
    regenerate, rebuilt = flag_in(params, "regenerateEmbeddings"), []
    if sources := [name for name in names if name != CODE]:
        ls.session.wait_for_folders()
        rebuilt = [
            {"root": str(engine.root), **row._asdict()}
            for engine in ls.session.workspace.engines
            for row in engine.sources.rebuild(sources, regenerate=regenerate)
        ]
    if CODE in names:
        ls.session.rebuild()
    return {**ls.session.state(), "rebuilt": rebuilt}
