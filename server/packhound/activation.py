"""How present a piece of code is in the user's mind: opened, edited, picked and committed lately.

Base-level activation of ACT-R (Anderson and Schooler 1991): ln of the sum of t^-0.5 over all uses,
t in seconds. It is kept for this user on this machine only, holds paths and times and no text, and
can be cleared; without the setting it is not kept at all.
"""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from packhound.errors import StoreError

Use = Literal["open", "edit", "pick", "commit"]

_WEIGHT: dict[Use, float] = {"open": 1.0, "edit": 1.5, "pick": 2.0, "commit": 1.0}
_DECAY = 0.5
_MAX_USES = 32
"""Uses remembered of one node; the oldest give way."""
_MAX_NODES = 5_000
_LEAST_S = 1.0
"""Uses nearer than this count as this far: the sum has no limit at zero."""

NodeName = tuple[str, str]
"""Path and qualified name."""


class Activation:
    """The uses of one workspace's nodes. Methods may be called from any thread."""

    def __init__(self, path: Path | None, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._uses: OrderedDict[NodeName, list[tuple[float, float]]] = OrderedDict()
        self._load()

    def use(self, path: str, qualname: str, kind: Use) -> None:
        """Remember that the user did something with a node now."""
        with self._lock:
            uses = self._uses.setdefault((path, qualname), [])
            self._uses.move_to_end((path, qualname))
            uses.append((self._clock(), _WEIGHT[kind]))
            del uses[:-_MAX_USES]
            while len(self._uses) > _MAX_NODES:
                self._uses.popitem(last=False)

    def level(self, path: str, qualname: str) -> float:
        """Base-level activation, -inf for a node that was never used."""
        with self._lock:
            return self._level(self._uses.get((path, qualname), ()), self._clock())

    def signal(self, path: str, qualname: str) -> float:
        """The level as 0..1: 0 for a node never used, a half for one used once two minutes ago."""
        level = self.level(path, qualname)
        return 0.0 if level == -math.inf else 1.0 / (1.0 + math.exp(-(level + 2.4)))

    def names(self) -> tuple[NodeName, ...]:
        """All nodes with uses, the latest last."""
        with self._lock:
            return tuple(self._uses)

    def save(self) -> None:
        """Write to the file that only the user can read. Raises StoreError."""
        if self._path is None:
            return
        with self._lock:
            rows = [[*name, uses] for name, uses in self._uses.items()]
        beside = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside.unlink(missing_ok=True)
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(rows, file)
            beside.replace(self._path)
        except OSError as problem:
            raise StoreError(f"'{self._path}' cannot be written: {problem.strerror}") from None

    def clear(self) -> None:
        """Forget everything, on disk too."""
        with self._lock:
            self._uses.clear()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _load(self) -> None:
        """Read what was saved; a damaged file is as good as none."""
        if self._path is None:
            return
        try:
            for path, qualname, uses in json.loads(self._path.read_text("utf-8")):
                pairs = [(float(when), float(weight)) for when, weight in uses]
                self._uses[str(path), str(qualname)] = pairs[-_MAX_USES:]
        except (OSError, ValueError, TypeError):
            self._uses.clear()

    @staticmethod
    def _level(uses: tuple[()] | list[tuple[float, float]], now: float) -> float:
        total = sum(w * max(now - when, _LEAST_S) ** -_DECAY for when, w in uses)
        return math.log(total) if total > 0 else -math.inf
