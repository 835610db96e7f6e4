"""The texts of a snapshot as they leave: without secrets, hidden characters made visible."""

from __future__ import annotations

from collections.abc import Callable

from packhound.core.caching import ByteLru
from packhound.grep import Alternatives, Source
from packhound.index import Snapshot
from packhound.redact import RedactionTimeout, may_add, redact, visible_text

_MAX_BYTES = 8_000_000
_ENTRY_BYTES = 150


class RedactedTexts:
    """A source of redacted texts, which remembers those that differ; thread-safe."""

    def __init__(self, source: Source) -> None:
        self._source = source
        # Most texts equal their redacted ones, for which the cache has an empty text.
        self._texts: ByteLru[bytes, bytes] = ByteLru(
            _MAX_BYTES, lambda text: len(text) + _ENTRY_BYTES
        )

    def __call__(self, path: str, snapshot: Snapshot) -> bytes | None:
        """Return the text of a file; None if it changed since or cannot be checked in time."""
        text = self._source(path, snapshot)
        if text is None:
            return None
        digest = snapshot.files[path].digest
        redacted = self._texts.get(digest)
        if redacted is None:
            redacted = _redact(text)
            if redacted is None:
                return None
            self._texts.put({digest: b"" if redacted == text else redacted})
        return redacted or text

    def prefilter(self, literals: Alternatives) -> Callable[[str, Snapshot], bool] | None:
        """Return a test of whether a file's redacted text can have what a pattern requires.

        It reads the text before redaction, which takes a hundredth of the time. None where what is
        required may be in marks of redaction.
        """
        required = [[x.lower() for x in every if not may_add(x)] for every in literals]
        if not all(required):
            return None

        def can_match(path: str, snapshot: Snapshot) -> bool:
            text = self._source(path, snapshot)
            if text is None or self._texts.get(snapshot.files[path].digest) is not None:
                return True
            lowered = text.lower()
            return any(all(literal in lowered for literal in every) for every in required)

        return can_match


def _redact(text: bytes) -> bytes | None:
    try:
        return visible_text(redact(text.decode("utf-8", "replace")).text).encode()
    except RedactionTimeout:
        return None
