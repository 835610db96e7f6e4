"""Nodes already sent in a conversation, so that they are referred to and not sent again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable

_MAX_CONVERSATIONS = 64
_MAX_NODES = 20_000

NodeKey = tuple[str, bytes]
"""The path of a node and the digest of its text: a changed node is another node."""


class Conversations:
    """LRU store of the nodes sent per conversation, with their tiers of detail; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sent: OrderedDict[str, dict[NodeKey, int]] = OrderedDict()

    def sent(self, conversation: str) -> dict[NodeKey, int]:
        """Return the nodes sent and their tiers; empty for a new conversation or none ("")."""
        with self._lock:
            return dict(self._sent.get(conversation, {})) if conversation else {}

    def remember(self, conversation: str, nodes: Iterable[tuple[NodeKey, int]]) -> None:
        """Add nodes that have been sent."""
        if not conversation:
            return
        with self._lock:
            tiers = self._sent.setdefault(conversation, {})
            self._sent.move_to_end(conversation)
            for key, tier in nodes:
                tiers[key] = max(tier, tiers.get(key, tier))
            while len(tiers) > _MAX_NODES:
                tiers.pop(next(iter(tiers)))
            while len(self._sent) > _MAX_CONVERSATIONS:
                self._sent.popitem(last=False)

    def forget(self, conversation: str) -> None:
        """Drop what was sent in a conversation."""
        with self._lock:
            self._sent.pop(conversation, None)
