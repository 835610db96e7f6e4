"""What was worked out once and may be asked for again: kept within so many bytes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """The values that were last used, by their keys. Safe to use from any thread.

    A key always has the same value.
    """

    def __init__(self, most_bytes: int, size_of: Callable[[Value], int]) -> None:
        """The values take at most `most_bytes` by `size_of`, which tells what one takes."""
        self._lock = Lock()
        self._known: dict[Key, Value] = {}
        self._size_of = size_of
        self._most_bytes = most_bytes
        self.n_bytes = 0

    @property
    def keys(self) -> tuple[Key, ...]:
        """Those whose values are at hand, the longest unused first."""
        return tuple(self._known)

    def get(self, key: Key) -> Value | None:
        """The value of a key, if it is at hand; to be used it has to be kept again."""
        return self._known.get(key)

    def keep(self, used: Mapping[Key, Value]) -> None:
        """Values that were just used are the last that are forgotten."""
        with self._lock:
            for key, value in used.items():
                if self._known.pop(key, None) is None:
                    self.n_bytes += self._size_of(value)
                self._known[key] = value
            while self.n_bytes > self._most_bytes:
                self.n_bytes -= self._size_of(self._known.pop(next(iter(self._known))))
