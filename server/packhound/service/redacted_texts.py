"""The texts of a snapshot as they leave: without secrets, hidden characters made visible."""

from __future__ import annotations

from collections.abc import Callable

from packhound.grep import Alternatives, Source
from packhound.index import Snapshot
from packhound.redact import CleanTexts, RedactionTimeout, may_add


class RedactedTexts:
    """A source of texts without secrets; thread-safe."""

    def __init__(self, source: Source, clean_texts: CleanTexts) -> None:
        self._source, self._clean_texts = source, clean_texts

    def __call__(self, path: str, snapshot: Snapshot) -> bytes | None:
        """Return the text of a file; None if it changed since or cannot be checked in time."""
        text = self._source(path, snapshot)
        if text is None:
            return None
        try:
            return self._clean_texts.of(snapshot.files[path].digest, text)
        except RedactionTimeout:
            return None

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
            if text is None or self._clean_texts.has(snapshot.files[path].digest):
                return True
            lowered = text.lower()
            return any(all(literal in lowered for literal in every) for every in required)

        return can_match
