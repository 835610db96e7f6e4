"""Folders as if patches were applied, made when one is asked for."""

from __future__ import annotations

import hashlib
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from packhound.core.settings import Settings
from packhound.service.peers import Peers
from packhound.service.proposed_folder import ProposedFolder

if TYPE_CHECKING:
    from packhound.service.engine import Engine

_MAX_OPEN = 10
_UNUSED_S = 60.0


class Proposal(NamedTuple):
    """A folder as if a patch were applied, and the index of it."""

    engine: Engine
    folder: ProposedFolder


class Proposals:
    """Those of one folder by patch: ten at most, each dropped after a minute without a question.

    Any thread may call.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        # The one asked last at the end.
        self._opened: dict[tuple[bytes, Settings], tuple[Proposal, float]] = {}
        self._timer: threading.Timer | None = None

    def open(self, patch: bytes) -> Proposal:
        """Return the folder as if a patch were applied. Raises SettingsError: it does not apply."""
        base = self._engine.index
        with self._lock:
            key = hashlib.blake2b(patch, digest_size=16).digest(), base.settings
            proposal, _ = self._opened.pop(key, (None, 0.0))
            if proposal is None or proposal.folder.models is not base.models:
                folder = ProposedFolder(base, patch, Peers((self._engine,)))
                proposal = Proposal(self._engine.over(folder), folder)
            else:
                proposal.folder.follow()
            self._opened[key] = proposal, time.monotonic()
            self._drop(len(self._opened) - _MAX_OPEN)
            self._start_timer()
            return proposal

    def close(self) -> None:
        """Drop all."""
        with self._lock:
            if self._timer:
                self._timer.cancel()
            self._drop(len(self._opened))

    def _drop(self, n: int) -> None:
        for key in [*self._opened][: max(0, n)]:
            self._opened.pop(key)[0].folder.close()

    def _start_timer(self) -> None:
        if self._timer is None and self._opened:
            self._timer = threading.Timer(_UNUSED_S, self._drop_unused)
            self._timer.daemon = True
            self._timer.start()

    def _drop_unused(self) -> None:
        with self._lock:
            self._timer = None
            since = time.monotonic() - _UNUSED_S
            self._drop(sum(used < since for _, used in self._opened.values()))
            self._start_timer()
