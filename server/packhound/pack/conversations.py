"""Nodes already sent in a conversation, so that they are referred to and not sent again."""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from packhound.core import private_file
from packhound.core.errors import StoreError, os_error_as
from packhound.core.log import log

CONVERSATIONS_FILE = "conversations.json"
_MAX_CONVERSATIONS = 64
_MAX_NODES = 20_000
"""Of all conversations: some 2 MB on disk."""
_EXPIRY_S = 7 * 86_400.0
"""A conversation that rested for a week is over; its name begins a new one."""

NodeKey = tuple[str, bytes]
"""The path of a node and the digest of its text: a changed node is another node."""


@dataclass(slots=True)
class _Conversation:
    """Tiers of detail by node, the first sent first, and when the last pack was made (Unix)."""

    used_at: float
    tiers: dict[NodeKey, int] = field(default_factory=dict)

    def row(self, name: str) -> list[object]:
        """Return it as JSON."""
        nodes = [[path, digest.hex(), tier] for (path, digest), tier in self.tiers.items()]
        return [name, self.used_at, nodes]


class Conversations:
    """LRU store of the nodes sent per conversation, with their tiers of detail; thread-safe.

    With a path they are in a file of this user alone, which holds paths and digests and no text. Of
    two processes that write at once the last one wins: what the other sent may be sent again.
    """

    def __init__(self, path: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        self._path, self._clock = path, clock
        self._lock = threading.Lock()
        self._conversations: OrderedDict[str, _Conversation] = OrderedDict()
        self._stamp: tuple[int, ...] = ()

    def sent_tiers(self, conversation: str) -> dict[NodeKey, int]:
        """Return the nodes sent and their tiers; empty for a new conversation or none ("")."""
        if not conversation:
            return {}
        with self._lock:
            self._follow_file()
            sent = self._conversations.get(conversation)
            return dict(sent.tiers) if sent else {}

    def remember(self, conversation: str, nodes: Iterable[tuple[NodeKey, int]]) -> None:
        """Add nodes that have been sent."""
        if not conversation:
            return
        with self._lock:
            self._follow_file()
            now = self._clock()
            sent = self._conversations.setdefault(conversation, _Conversation(now))
            self._conversations.move_to_end(conversation)
            sent.used_at = now
            for key, tier in nodes:
                sent.tiers[key] = max(tier, sent.tiers.get(key, tier))
            self._evict(sent)
            self._save()

    def clear(self) -> None:
        """Forget all conversations, on disk too. Raises StoreError."""
        with self._lock:
            self._conversations.clear()
            self._stamp = ()
            if self._path is not None:
                forget_conversations(self._path.parent)

    def _evict(self, newest: _Conversation) -> None:
        while len(newest.tiers) > _MAX_NODES:
            newest.tiers.pop(next(iter(newest.tiers)))
        while len(self._conversations) > _MAX_CONVERSATIONS or self._n_nodes > _MAX_NODES:
            self._conversations.popitem(last=False)

    @property
    def _n_nodes(self) -> int:
        return sum(len(sent.tiers) for sent in self._conversations.values())

    def _follow_file(self) -> None:
        """Read what another process has written, and drop what has expired."""
        if self._path is not None:
            try:
                status = private_file.stat_private(self._path)
                stamp = (status.st_mtime_ns, status.st_size, status.st_ino) if status else ()
                if stamp != self._stamp:
                    self._stamp = stamp
                    self._conversations = _parse(private_file.read_private(self._path) or b"[]")
            except StoreError as problem:
                log.warning("conversations start anew: %s", problem)
        oldest = self._clock() - _EXPIRY_S
        for name in [n for n, sent in self._conversations.items() if sent.used_at < oldest]:
            del self._conversations[name]

    def _save(self) -> None:
        if self._path is None:
            return
        rows = [sent.row(name) for name, sent in self._conversations.items()]
        try:
            private_file.make_private_folder(self._path.parent)
            private_file.write_private_atomic(self._path, json.dumps(rows).encode())
            status = self._path.stat()
            self._stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        except (OSError, StoreError) as problem:
            log.warning("conversations are forgotten after a restart: %s", problem)


def forget_conversations(folder: Path) -> None:
    """Delete the conversations of the workspace of a cache folder. Raises StoreError."""
    file = folder / CONVERSATIONS_FILE
    with os_error_as(StoreError, f"'{file}' cannot be deleted"):
        file.unlink(missing_ok=True)


def _parse(data: bytes) -> OrderedDict[str, _Conversation]:
    """Return the conversations of a file; none of one that is damaged."""
    try:
        return OrderedDict(
            (
                str(name),
                _Conversation(
                    float(used_at),
                    {(str(path), bytes.fromhex(digest)): int(tier) for path, digest, tier in nodes},
                ),
            )
            for name, used_at, nodes in json.loads(data)
        )
    except (ValueError, TypeError):
        return OrderedDict()
