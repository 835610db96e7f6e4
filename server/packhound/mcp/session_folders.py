"""The folders of one agent's session: those of its command, or else those that the client names."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from pathlib import Path
from typing import Any

from packhound.core.errors import PackhoundError, RootError
from packhound.core.settings_files import Overrides
from packhound.mcp.folders import Folders
from packhound.mcp.session import McpSession
from packhound.relay import EditorTexts
from packhound.service import EnginePool, root_path

log = logging.getLogger("packhound")

_ANSWER_S = 5.0
"""Time for a client to answer `roots/list`; then the folder that it was started in is served."""


class SessionFolders:
    """Folders of a session, opened at its start or when they are first asked for.

    Any thread may call.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        started_in: Path,
        overrides: Overrides,
        pool: EnginePool,
        editors: EditorTexts | None = None,
        *,
        is_resumed: bool = False,
    ) -> None:
        """Open `roots`; without any the client is asked.

        Sessions that come from an engine that was killed come all at once, so those that are
        `is_resumed` open their folders when they are asked something.
        """
        self._overrides, self._pool, self._editors = overrides, pool, editors
        self._started_in = started_in
        self._roots = roots
        self._lock = threading.Lock()
        self._is_outdated = False
        self._folders: Folders | None = None
        with suppress(RootError):  # Such as one deleted meanwhile: each call says so.
            self._folders = self._open(roots) if roots and not is_resumed else None

    @property
    def listed(self) -> Folders | None:
        """The folders, None until the client has been asked, or where they cannot be opened."""
        if self._is_outdated or not (self._folders or self._roots):
            return None
        with suppress(RootError):
            return self.of()
        return None

    def of(self, session: McpSession | None = None) -> Folders:
        """Return the folders; not to be called by the thread that reads. Raises RootError."""
        with self._lock:
            if self._is_outdated:
                self._is_outdated = False
                if self._folders:
                    self._folders.close()
                self._folders = None
            if self._folders is None:
                roots = self._roots or (session and _client_roots(session)) or [self._started_in]
                self._folders = self._open(roots)
            return self._folders

    def forget(self) -> None:
        """Have the client asked again: its folders have changed. Returns at once.

        The thread that reads calls this, perhaps while another waits for what it reads.
        """
        self._is_outdated = not self._roots

    def _open(self, roots: Sequence[Path]) -> Folders:
        return Folders(roots, self._overrides, self._pool, self._editors)

    def close(self) -> None:
        """Follow the folders no longer."""
        with self._lock:
            folders, self._folders = self._folders, None
        if folders:
            folders.close()


def _client_roots(session: McpSession) -> list[Path]:
    """Return the folders that the client names; none if it does not know of roots."""
    if "roots" not in session.client_capabilities:
        return []
    try:
        answer: Any = session.rpc.request("roots/list", {}).result(_ANSWER_S)
        uris = [str(root["uri"]) for root in answer["roots"]]
    except (PackhoundError, FutureTimeout, LookupError, TypeError) as problem:
        log.warning("the client does not name its roots: %s", problem or "no answer")
        return []
    paths = [root_path(uri) for uri in uris if uri.startswith("file:")]
    return [path for path in paths if path.is_dir()]
