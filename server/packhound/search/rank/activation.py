"""Activation of code that the user opened, edited, picked and committed lately.

Base-level activation of ACT-R (Anderson and Schooler 1991): ln of the sum of t^-0.5 over all uses,
t in seconds. It is stored for this user on this machine only, holds paths, names and times and no
text, and can be cleared; without the setting it is not recorded at all.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal, TypeAlias

from packhound.core.errors import StoreError, os_error_as
from packhound.core.line_history import ago
from packhound.core.private_file import make_private_folder, read_private, write_private_atomic

Use = Literal["open", "edit", "pick"]

_WEIGHT: dict[Use, float] = {"open": 1.0, "edit": 1.5, "pick": 2.0}
_VERBS: dict[str, Use] = {"opened": "open", "edited": "edit", "picked": "pick"}
_COMMIT = 1.0
_DECAY = 0.5
_MAX_USES = 32
"""Uses stored of one node; the oldest are evicted."""
_MAX_NODES = 5_000
_MIN_AGE_S = 1.0
"""Lower bound of t: the sum has no limit at zero."""
_BURST_S = 60.0
"""Uses of one kind that follow each other faster are one (debounce of keystrokes)."""
_SAVE_AFTER_S = 20.0

NodeName: TypeAlias = tuple[str, str]
"""Path and qualified name, which is empty for the whole file."""
Uses: TypeAlias = list[tuple[float, float]]
"""Times (Unix, seconds) and weights, oldest first."""


class Activation:
    """The uses of one workspace's nodes. Thread-safe."""

    def __init__(self, path: Path | None, clock: Callable[[], float] = time.time) -> None:
        self._path, self._clock = path, clock
        self._lock = threading.Lock()
        self._uses: OrderedDict[NodeName, Uses] = OrderedDict()
        self._since = clock()
        self._saver: threading.Timer | None = None
        saved = _read(path)
        if saved:
            self._since, self._uses = saved

    def use(self, path: str, kind: Use, qualname: str = "") -> None:
        """Record that the user did something with a file, or a node of it, now."""
        now, weight = self._clock(), _WEIGHT[kind]
        with self._lock:
            uses = self._uses.setdefault((path, qualname), [])
            self._uses.move_to_end((path, qualname))
            if uses and uses[-1][1] == weight and now - uses[-1][0] < _BURST_S:
                uses.pop()
            uses.append((now, weight))
            del uses[:-_MAX_USES]
            while len(self._uses) > _MAX_NODES:
                self._uses.popitem(last=False)
        self._save_soon()

    def level(self, path: str, qualname: str = "", commits: Iterable[float] = ()) -> float:
        """Return the base-level activation of a node and its file, -inf if neither was ever used.

        `commits` are the times at which the user committed the file; those from before the
        recording began do not count.
        """
        now, uses = self._clock(), self._uses_of(path, qualname)
        uses += [(when, _COMMIT) for when in self._since_start(commits)]
        total = sum(weight * max(now - when, _MIN_AGE_S) ** -_DECAY for when, weight in uses)
        return math.log(total) if total > 0 else -math.inf

    def describe(self, path: str, qualname: str = "", commits: Iterable[float] = ()) -> str:
        """Return the uses in words: `opened 3 times, 23 commits, last used 2 days ago`."""
        uses, counted = self._uses_of(path, qualname), self._since_start(commits)
        times = [*(when for when, _ in uses), *counted]
        if not times:
            return ""
        parts = [
            f"{verb} {_times(n)}"
            for verb, kind in _VERBS.items()
            if (n := sum(1 for _, weight in uses if weight == _WEIGHT[kind]))
        ]
        if counted:
            parts.append(f"{len(counted)} commit{'s' * (len(counted) > 1)}")
        return ", ".join((*parts, f"last used {ago(self._clock() - max(times))}"))

    def signal(self, path: str, qualname: str = "", commits: Iterable[float] = ()) -> float:
        """Return the level as 0..1: 0 if never used, 0.5 if used once two minutes ago."""
        level = self.level(path, qualname, commits)
        return 0.0 if level == -math.inf else 1.0 / (1.0 + math.exp(-(level + 2.4)))

    def _uses_of(self, path: str, qualname: str) -> Uses:
        with self._lock:
            names = {(path, ""), (path, qualname)}
            return [use for name in names for use in self._uses.get(name, ())]

    def _since_start(self, commits: Iterable[float]) -> list[float]:
        return [when for when in commits if when >= int(self._since)]

    def names(self) -> tuple[NodeName, ...]:
        """Return all nodes with uses, the latest last."""
        with self._lock:
            return tuple(self._uses)

    def save(self) -> None:
        """Merge into the file that only the user can read.

        Raises:
            StoreError: the file cannot be written.
        """
        with self._lock:
            self._stop_saver()
            if self._path is None:
                return
            saved = _read(self._path)
            if saved:
                self._merge(*saved)
            rows = [[*name, uses] for name, uses in self._uses.items()]
        _write(self._path, json.dumps({"since": self._since, "uses": rows}))

    def clear(self) -> None:
        """Forget everything, on disk too. Raises StoreError."""
        with self._lock:
            self._stop_saver()
            self._uses.clear()
            self._since = self._clock()
        if self._path is not None:
            # Not just deleted: another process with uses in memory must learn of it.
            _write(self._path, json.dumps({"since": self._since, "uses": []}))

    def _merge(self, since: float, saved: OrderedDict[NodeName, Uses]) -> None:
        """Merge what another process has saved; uses before the last clear are dropped."""
        self._since = max(since, self._since)
        names = [*(name for name in saved if name not in self._uses), *self._uses]
        merged: OrderedDict[NodeName, Uses] = OrderedDict()
        for name in names[-_MAX_NODES:]:
            uses = sorted({*saved.get(name, ()), *self._uses.get(name, ())})[-_MAX_USES:]
            if recent := [use for use in uses if use[0] >= self._since]:
                merged[name] = recent
        self._uses = merged

    def _save_soon(self) -> None:
        with self._lock:
            if self._path is None or self._saver is not None:
                return
            self._saver = threading.Timer(_SAVE_AFTER_S, self._save_quietly)
            self._saver.daemon = True
            self._saver.start()

    def _save_quietly(self) -> None:
        try:
            self.save()
        except StoreError:
            # `save` raises again when the folder is closed.
            return

    def _stop_saver(self) -> None:
        if self._saver is not None:
            self._saver.cancel()
            self._saver = None


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"


def _read(path: Path | None) -> tuple[float, OrderedDict[NodeName, Uses]] | None:
    """Return the saved uses; a file that is damaged or not this user's counts as none."""
    if path is None:
        return None
    try:
        saved = json.loads(read_private(path) or b"null")
        since = float(saved["since"])
        rows = [
            ((str(file), str(qualname)), [(float(when), float(weight)) for when, weight in uses])
            for file, qualname, uses in saved["uses"]
        ]
    except (StoreError, ValueError, TypeError, KeyError):
        return None
    return since, OrderedDict((name, uses[-_MAX_USES:]) for name, uses in rows[-_MAX_NODES:])


def _write(path: Path, text: str) -> None:
    make_private_folder(path.parent)
    with os_error_as(StoreError, f"'{path}' cannot be written"):
        write_private_atomic(path, text.encode())
