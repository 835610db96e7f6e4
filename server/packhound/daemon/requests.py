"""Requests of the command line to the daemon: operations on folders that it has open."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packhound.core.errors import SettingsError
from packhound.core.settings_files import FolderSettings
from packhound.core.types import Json
from packhound.operations import Call, answer, settle
from packhound.relay import EditorTexts
from packhound.service import EnginePool, Workspace

SERVED = "daemon/served"
"""Request for which of some folders are open."""

_FRESH_S = 2.0
"""Time for files that changed on disk to be read before an answer; then it says what is missing."""


class FolderRequests:
    """Answers requests whose arguments are `roots` and the `arguments` of an operation."""

    def __init__(self, pool: EnginePool, editors: EditorTexts) -> None:
        self._pool, self._editors = pool, editors

    def __call__(self, name: str, request: Mapping[str, Any]) -> Json:
        """Run an operation. Raises PackhoundError."""
        roots = [Path(str(root)) for root in request["roots"]]
        # Where a daemon was killed, editors and the command line come to the next one together.
        self._editors.wait()
        if name == SERVED:
            return {"roots": [str(root) for root in roots if self._pool.get(root)]}
        if not any(map(self._pool.get, roots)):
            raise SettingsError("the daemon has none of these folders open")
        workspace = Workspace(settings_of=lambda root: FolderSettings(root, tuple), pool=self._pool)
        try:
            engines = [workspace.add(root) for root in roots]
            if name not in ("config", "forget_use"):
                for engine in engines:
                    # Nobody may watch the folder; an unchanged file costs one stat each.
                    engine.refresh()
                settle(workspace.roots, request["arguments"], _FRESH_S)
            settings = engines[0].follow_settings().settings
            return answer(Call(workspace.roots, settings), name, request["arguments"])
        finally:
            workspace.close()
