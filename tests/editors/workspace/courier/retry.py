"""Sending again what failed for a passing reason."""

import random
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

Answer = TypeVar("Answer")

FIRST_DELAY_S = 0.2
LONGEST_DELAY_S = 30.0


class GaveUpError(Exception):
    """Every attempt failed."""


def backoff_delays(attempts: int) -> Iterator[float]:
    """How long to wait before each new attempt: doubled every time, with some jitter."""
    delay = FIRST_DELAY_S
    for _ in range(attempts - 1):
        yield delay * random.uniform(0.8, 1.2)
        delay = min(delay * 2, LONGEST_DELAY_S)


def send_with_retries(send: Callable[[], Answer], attempts: int = 4) -> Answer:
    """Send a request again after a growing delay until it succeeds or the attempts are used up."""
    for delay in [*backoff_delays(attempts), None]:
        try:
            return send()
        except ConnectionError as error:
            if delay is None:
                raise GaveUpError(f"failed {attempts} times") from error
            time.sleep(delay)
    raise AssertionError("unreachable")
