"""Answers that are kept for a while."""

import time
from dataclasses import dataclass, field


@dataclass
class CachedAnswer:
    """A body and the moment from which on it is stale."""

    body: bytes
    expires_at: float


@dataclass
class AnswerCache:
    """Keeps the latest answers by URL and throws the oldest away."""

    capacity: int = 128
    answers: dict[str, CachedAnswer] = field(default_factory=dict)

    def store(self, url: str, body: bytes, max_age_s: float) -> None:
        """Remember an answer for as long as the server allows."""
        self.answers[url] = CachedAnswer(body, time.monotonic() + max_age_s)
        while len(self.answers) > self.capacity:
            self.answers.pop(next(iter(self.answers)))

    def lookup(self, url: str) -> bytes | None:
        """The body for a URL unless it is stale."""
        answer = self.answers.get(url)
        return answer.body if answer and answer.expires_at > time.monotonic() else None

    def drop_expired(self) -> int:
        """Delete what is stale; returns how many answers went."""
        now = time.monotonic()
        stale = [url for url, answer in self.answers.items() if answer.expires_at <= now]
        for url in stale:
            del self.answers[url]
        return len(stale)
