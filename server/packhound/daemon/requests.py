"""Sessions of the command line in the daemon: operations on folders that it has open."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from packhound.core.errors import SettingsError
from packhound.core.settings_files import Overrides
from packhound.core.types import Json
from packhound.daemon.client import PROGRESS, SERVED
from packhound.operations import Call, answer, settle
from packhound.relay import EditorTexts, SocketStream
from packhound.rpc import LINES, Request, Service, Session, Work
from packhound.service import EnginePool, Workspace

_FRESH_S = 2.0
"""Time for files that changed on disk to be read before an answer; then it says what is missing."""


def serve_command_line(
    pool: EnginePool, editors: EditorTexts, connection: socket.socket, arguments: Mapping[str, Any]
) -> None:
    """Serve a client whose requests are the operations, on the folders of the arguments."""
    folders = _Folders(pool, editors, [Path(str(root)) for root in arguments["roots"]])
    with closing(Session(LINES, SocketStream(connection), folders)) as folders.session:
        folders.session.run()


class _Folders(Service):
    """The operations on some folders; a client that no longer waits hangs up."""

    session: Session

    def __init__(self, pool: EnginePool, editors: EditorTexts, roots: list[Path]) -> None:
        self._pool, self._editors, self._roots = pool, editors, roots

    def accept(self, request: Request) -> Work:
        """Return the run of an operation."""
        arguments = request.params if isinstance(request.params, dict) else {}
        return Work(partial(self._run, request.method, arguments, request.cancelled), True)

    def _run(self, name: str, arguments: Mapping[str, object], cancelled: threading.Event) -> Json:
        # Where a daemon was killed, editors and the command line come to the next one together.
        self._editors.wait()
        if name == SERVED:
            return {"roots": [str(root) for root in self._roots if self._pool.get(root)]}
        if not any(map(self._pool.get, self._roots)):
            raise SettingsError("the daemon has none of these folders open")
        workspace = Workspace(overrides=Overrides(), pool=self._pool)
        try:
            engines = [workspace.add(root) for root in self._roots]
            if name not in ("config", "forget_use"):
                for engine in engines:
                    # Nobody may watch the folder; an unchanged file costs one stat each.
                    engine.refresh()
                settle(workspace.roots, arguments, _FRESH_S)
            settings = engines[0].follow_settings().settings
            report = partial(self.session.notify, PROGRESS)
            call = Call(workspace.roots, settings, cancelled, report=report)
            return answer(call, name, arguments)
        finally:
            workspace.close()
