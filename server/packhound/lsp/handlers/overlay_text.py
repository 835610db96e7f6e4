"""`packhound/overlayText`: id, path; a file of a proposed patch before and after it, for a diff."""

from __future__ import annotations

from pygls.exceptions import JsonRpcInvalidParams

from packhound.core.types import Json
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.operations import call_of
from packhound.lsp.params import text_in
from packhound.operations import find_overlay
from packhound.rpc import Params


def overlay_text(ls: PackhoundServer, params: Params) -> Json:
    """Return both texts as the user sees his files, "" where there is none."""
    root, overlay = find_overlay(call_of(ls), text_in(params, "id"))
    files = root.engine.proposals.open(overlay.patch).folder.patched
    path = text_in(params, "path")
    if path not in files:
        raise JsonRpcInvalidParams(f"'path' is {path!r:.200}; expected one of: {', '.join(files)}")
    before, after = (
        (text or b"").decode("utf-8", "replace") for text in (files[path].before, files[path].after)
    )
    return {"before": before, "after": after}
