"""`packhound/read`: ref, limit?."""

from __future__ import annotations

from pathlib import Path

from packhound.api import Json, call
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.params import number_in, text_in
from packhound.lsp.roots import ask_folders
from packhound.lsp.uris import uri_from_path

_MAX_LINES = 2_000


def read(ls: PackhoundServer, params: Params) -> Json:
    """Return the code or record that a reference names, in any folder, without secrets."""
    limit = number_in(params, "limit", _MAX_LINES, low=1, high=_MAX_LINES)
    arguments: Json = {"path": text_in(params, "ref"), "limit": limit}
    answer = ask_folders(ls, "read_node", arguments, lambda e, a: call(e, "read_node", a))
    root = str(answer.get("root", ls.session.workspace.engines[0].root))
    if not answer["path"]:
        return {**answer, "root": root}
    path = Path(ls.session.client_path(root), *str(answer["path"]).split("/"))
    return {**answer, "root": root, "uri": uri_from_path(str(path))}
