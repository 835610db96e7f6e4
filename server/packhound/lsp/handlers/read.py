"""`packhound/read`: the operation `read_node` by a hit's `ref`."""

from __future__ import annotations

from pathlib import Path

from packhound.core.types import Json
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.operations import arguments_of, call_of
from packhound.lsp.params import text_in
from packhound.lsp.uris import uri_from_path
from packhound.operations import answer
from packhound.rpc import Params


def read(ls: PackhoundServer, params: Params) -> Json:
    """Return the code or record that a reference names, in any folder, without secrets."""
    values = {key: value for key, value in params.items() if key != "ref"}
    arguments = arguments_of(ls, "read_node", {**values, "path": text_in(params, "ref")})
    row = answer(call_of(ls), "read_node", arguments)
    root = str(row.get("root", ls.session.workspace.engines[0].root))
    if not row["path"]:
        return {**row, "root": root}
    path = Path(ls.session.client_path(root), *str(row["path"]).split("/"))
    return {**row, "root": root, "uri": uri_from_path(str(path))}
