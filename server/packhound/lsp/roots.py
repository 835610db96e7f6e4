"""The folders of a session as the roots that the agents' tools answer over."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from packhound.api import Json, Root, call_roots, labels_of
from packhound.core.errors import SettingsError
from packhound.lsp.language_server import PackhoundServer
from packhound.service import Engine


def ask_folders(
    ls: PackhoundServer, tool: str, arguments: Json, ask: Callable[[Engine, Json], Json]
) -> Json:
    """Return one answer of all folders, joined as a tool joins those of several roots.

    Raises SettingsError.
    """
    ls.session.wait_for_folders()
    engines = ls.session.workspace.engines
    if not engines:
        raise SettingsError("no folder is open")
    labels = labels_of([engine.root for engine in engines])
    roots = [
        Root(str(engine.root), label, partial(_ask, ask, engine))
        for engine, label in zip(engines, labels, strict=True)
    ]
    return call_roots(roots, tool, arguments)


def _ask(ask: Callable[[Engine, Json], Json], engine: Engine, tool: str, arguments: Json) -> Json:
    return ask(engine, arguments)
