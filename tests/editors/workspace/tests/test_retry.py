"""Retries, tried."""

import pytest
from courier.retry import GaveUpError, backoff_delays, send_with_retries


def test_delays_grow() -> None:
    assert next(backoff_delays(3)) < 0.3


def test_send_with_retries_gives_up_after_the_last_attempt() -> None:
    def send() -> bytes:
        raise ConnectionError("down")

    with pytest.raises(GaveUpError):
        send_with_retries(send, attempts=1)
