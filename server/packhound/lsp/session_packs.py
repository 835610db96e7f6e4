"""The last packs of a session, which can be asked for, and what all of them came to."""

from __future__ import annotations

import threading
from collections import deque

from packhound.core.types import Json
from packhound.pack import Pack, price

_MAX_PACKS = 8


class SessionPacks:
    """The last packs by their id. Any thread may call."""

    def __init__(self) -> None:
        self._packs: deque[tuple[str, Pack]] = deque(maxlen=_MAX_PACKS)
        self._lock = threading.Lock()
        self._n_packs = self._tokens = 0
        self._usd: float | None = None

    @property
    def identities(self) -> tuple[str, ...]:
        """The ids of the packs, the oldest first."""
        return tuple(identity for identity, _ in tuple(self._packs))

    def add(self, pack: Pack, model: str) -> tuple[str, Json]:
        """Remember a pack; return its id, and packs, tokens and US dollars of the session."""
        usd = price(model, pack.tokens)
        with self._lock:
            self._n_packs += 1
            self._tokens += pack.tokens
            self._usd = self._usd if usd is None else (self._usd or 0.0) + usd
            identity = f"pack-{self._n_packs}"
            self._packs.append((identity, pack))
            total: Json = {"packs": self._n_packs, "tokens": self._tokens, "usd": self._usd}
        return identity, total

    def get(self, identity: str) -> Pack | None:
        """Return a pack by its id; None for one that is too old."""
        return dict(tuple(self._packs)).get(identity)
