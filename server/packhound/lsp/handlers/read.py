"""`packhound/read`: ref, limit?."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from packhound.api import Json, Root, call, call_roots, labels_of
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.params import number_in, text_in
from packhound.lsp.uris import uri_from_path
from packhound.service import Engine

_MAX_LINES = 2_000


def read(ls: PackhoundServer, params: Params) -> Json:
    """Return the code or record that a reference names, in any folder, without secrets."""
    ls.session.wait_for_folders()
    engines = ls.session.workspace.engines
    labels = labels_of([engine.root for engine in engines])
    roots = [
        Root(str(engine.root), label, _caller(engine))
        for engine, label in zip(engines, labels, strict=True)
    ]
    limit = number_in(params, "limit", _MAX_LINES, low=1, high=_MAX_LINES)
    answer = call_roots(roots, "read_node", {"path": text_in(params, "ref"), "limit": limit})
    root = str(answer.get("root", roots[0].path))
    if not answer["path"]:
        return {**answer, "root": root}
    path = Path(ls.session.client_path(root), *str(answer["path"]).split("/"))
    return {**answer, "root": root, "uri": uri_from_path(str(path))}


def _caller(engine: Engine) -> Callable[[str, Mapping[str, object]], Json]:
    return lambda tool, arguments: call(engine, tool, arguments)
