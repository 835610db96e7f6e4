"""The sources of one folder: those that its settings switch on, opened when first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from packhound.core.records import SourceName
from packhound.sources.indexed_source import IndexedSource
from packhound.sources.protocol import Source, SourceFolder

SourceFactory = Callable[[], Source]


class SourceRegistry:
    """Sources by name. Any thread may call.

    A source that the settings of the folder switch off is dropped with its index.
    """

    def __init__(self, factories: Mapping[SourceName, SourceFactory], folder: SourceFolder) -> None:
        self._factories, self._folder = factories, folder
        self._open: dict[SourceName, IndexedSource] = {}
        self._lock = threading.Lock()

    def get(self, name: SourceName) -> IndexedSource | None:
        """Return a source, which is opened now if it was not; None if it is switched off."""
        with self._lock:
            if name not in self._factories or not self._folder.settings.sources.has(name):
                self._open.pop(name, None)
                return None
            if name not in self._open:
                self._open[name] = IndexedSource(self._factories[name](), self._folder)
            return self._open[name]

    @property
    def opened(self) -> list[IndexedSource]:
        """The sources that have been asked."""
        with self._lock:
            return [*self._open.values()]

    @property
    def enabled(self) -> tuple[SourceName, ...]:
        """The sources that are switched on."""
        return tuple(filter(self._folder.settings.sources.has, self._factories))
