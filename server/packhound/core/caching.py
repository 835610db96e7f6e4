"""The two caches of the package: an LRU cache bounded by bytes, and a memo bounded by entries."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class ByteLru(Generic[Key, Value]):
    """LRU cache bounded by bytes; thread-safe.

    `get` does not refresh an entry's recency, `put` does. A key always has the same value.
    """

    def __init__(self, max_bytes: int, size_of: Callable[[Value], int]) -> None:
        """Hold at most `max_bytes`, as measured by `size_of`."""
        self._lock = Lock()
        self._entries: dict[Key, Value] = {}
        self._size_of, self._max_bytes = size_of, max_bytes
        self.n_bytes = 0

    @property
    def keys(self) -> tuple[Key, ...]:
        """The cached keys, least recently used first."""
        return tuple(self._entries)

    def get(self, key: Key) -> Value | None:
        """Return the cached value, None on a miss."""
        return self._entries.get(key)

    def put(self, entries: Mapping[Key, Value]) -> None:
        """Insert entries as the most recently used, and evict the least recently used."""
        with self._lock:
            for key, value in entries.items():
                if self._entries.pop(key, None) is None:
                    self.n_bytes += self._size_of(value)
                self._entries[key] = value
            while self.n_bytes > self._max_bytes:
                self.n_bytes -= self._size_of(self._entries.pop(next(iter(self._entries))))


class BoundedMemo(dict[Key, Value]):
    """Memo of a pure function; it is emptied when it holds `max_entries`.

    A subscript computes what is missing, so that a hit costs no Python call. Values of keys longer
    than `max_key_length` are computed each time.
    """

    def __init__(
        self,
        compute: Callable[[Key], Value],
        max_entries: int,
        max_key_length: int | None = None,
    ) -> None:
        _MEMOS[id(self)] = self
        self._compute, self._max_entries = compute, max_entries
        self._max_key_length = max_key_length

    def __missing__(self, key: Key) -> Value:
        value = self._compute(key)
        if self._max_key_length is None or len(key) <= self._max_key_length:  # type: ignore[arg-type]
            if len(self) >= self._max_entries:
                self.clear()
            self[key] = value
        return value


_MEMOS = WeakValueDictionary[int, BoundedMemo[Any, Any]]()
_LARGE_MEMO = 10_000


def empty_large_memos() -> None:
    """Empty the memos that reading many files has filled; those of single queries stay."""
    for reference in _MEMOS.valuerefs():
        memo = reference()
        if memo is not None and len(memo) > _LARGE_MEMO:
            memo.clear()
