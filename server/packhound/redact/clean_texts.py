"""The texts of files as they leave: without secrets, hidden characters made visible."""

from __future__ import annotations

import threading

from packhound.core.caching import ByteLru
from packhound.redact.control_characters import visible_text
from packhound.redact.redact import redact

_MAX_BYTES = 8_000_000
"""Those of some 400 files that have secrets or hidden characters; of others nothing is kept."""
_ENTRY_BYTES = 150


class CleanTexts:
    """Clean texts by the digest of their source, for greps and packs alike; thread-safe."""

    def __init__(self) -> None:
        # Most texts equal their clean ones, for which the cache has an empty text.
        self._texts = ByteLru[bytes, bytes](_MAX_BYTES, lambda text: len(text) + _ENTRY_BYTES)

    def of(self, digest: bytes, source: bytes, cancel: threading.Event | None = None) -> bytes:
        """Return the clean text of a source. Raises RedactionTimeout, or Cancelled."""
        clean = self._texts.get(digest)
        if clean is not None:
            return clean or source
        clean = visible_text(redact(source.decode("utf-8", "replace"), cancel).text).encode()
        self._texts.put({digest: b"" if clean == source else clean})
        return clean

    def has(self, digest: bytes) -> bool:
        """Return True for a source whose clean text is known."""
        return self._texts.get(digest) is not None
