"""Exponential backoff for what may succeed another time: files, saves, models, whole steps."""

from __future__ import annotations

import time
from math import inf


class RetryBackoff:
    """Delay before the next attempt: it doubles with every failure in a row, up to a limit."""

    def __init__(self, first_s: float, longest_s: float = inf) -> None:
        self._first_s, self._longest_s = first_s, longest_s
        self._retry_at = 0.0
        self.failures = 0
        """Failures in a row."""

    @property
    def delay_s(self) -> float:
        """Seconds from the last failure to the next attempt; at first those after no failure."""
        return float(min(self._first_s * 2**self.failures, self._longest_s))

    @property
    def remaining_s(self) -> float:
        """Seconds from now to the next attempt."""
        return max(0.0, self._retry_at - time.monotonic())

    @property
    def due(self) -> bool:
        """Return True if the next attempt may be made."""
        return self.remaining_s == 0.0

    def fail(self) -> None:
        """Note a failure: the next attempt is due after `delay_s`, and the delay doubles."""
        self._retry_at = time.monotonic() + self.delay_s
        self.failures += 1

    def reset(self) -> None:
        """Note a success: the next attempt is due at once."""
        self.failures, self._retry_at = 0, 0.0
