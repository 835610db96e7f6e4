"""Contents that made a parser process fail, which are not parsed again."""

from __future__ import annotations

from packhound.core.types import Document
from packhound.parsing.analyse import source_digest

_MAX_ENTRIES = 10_000


class Quarantine:
    """Reasons by content; emptied when full. For any thread."""

    def __init__(self) -> None:
        self._reasons: dict[bytes, str] = {}

    def reason(self, document: Document) -> str | None:
        """Return why this content must not be parsed again, None if it may."""
        if not self._reasons:
            return None
        return self._reasons.get(source_digest(document.source))

    def add(self, document: Document, reason: str) -> None:
        """Quarantine a content."""
        if len(self._reasons) >= _MAX_ENTRIES:
            self._reasons.clear()
        self._reasons[source_digest(document.source)] = reason
