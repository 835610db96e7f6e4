"""The sources of one folder: those that its settings switch on, opened when first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from packhound.core.records import SourceName
from packhound.core.vector_cache import VectorCache
from packhound.sources.indexed_source import EncoderOf, IndexedSource
from packhound.sources.protocol import Source

SourceFactory = Callable[[], Source]


class SourceRegistry:
    """Sources by name. Any thread may call.

    `is_enabled` is asked each time; a source that is switched off is dropped with its index.
    """

    def __init__(
        self,
        factories: Mapping[SourceName, SourceFactory],
        is_enabled: Callable[[SourceName], bool],
        encoder_of: EncoderOf,
        vectors_of: Callable[[], VectorCache | None] = lambda: None,
    ) -> None:
        self._factories = factories
        self._is_enabled = is_enabled
        self._encoder_of = encoder_of
        self._vectors_of = vectors_of
        self._open: dict[SourceName, IndexedSource] = {}
        self._lock = threading.Lock()

    def get(self, name: SourceName) -> IndexedSource | None:
        """Return a source, which is opened now if it was not; None if it is switched off."""
        with self._lock:
            if name not in self._factories or not self._is_enabled(name):
                self._open.pop(name, None)
                return None
            if name not in self._open:
                source, vectors = self._factories[name](), self._vectors_of()
                self._open[name] = IndexedSource(source, self._encoder_of, vectors)
            return self._open[name]

    @property
    def opened(self) -> list[IndexedSource]:
        """The sources that have been asked."""
        with self._lock:
            return [*self._open.values()]

    @property
    def enabled(self) -> tuple[SourceName, ...]:
        """The sources that are switched on."""
        return tuple(name for name in self._factories if self._is_enabled(name))
