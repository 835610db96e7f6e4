"""The last search of a client, which hovers and explanations are of."""

from __future__ import annotations

import threading

from packhound.core.types import Query, Results


class LastSearch:
    """Query and results of the search that arrived last; it need not be the last to end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._arrival = -1
        self.entry: tuple[Query, Results] | None = None

    def update(self, arrival: int, query: Query, results: Results) -> None:
        """Take the results of a request, unless one that arrived after it has been answered."""
        with self._lock:
            if arrival >= self._arrival:
                self._arrival, self.entry = arrival, (query, results)
