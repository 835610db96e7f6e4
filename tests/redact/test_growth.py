"""The time of a redaction grows with the length of a text, not with its square, and has an end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from packhound.core.errors import Cancelled
from packhound.redact.calls import CALL_RULES
from packhound.redact.patterns import CURL_RULES, DOCUMENT_RULES, LINE_RULES, TEXT_RULES
from packhound.redact.redact import RedactionTimeout, redact
from packhound.redact.token_prefixes import PREFIXED, SERVICES

FILLERS = ("", " ", "\n", "a1", "=", "-", ".", ':"', "a1Z-", "/x", "\\n", "\n  a: b1")
NAMES = (
    'api_key: str = "',
    'token("',
    "basic_auth('a', ",
    "password",
    "secret",
    "token",
    "api_key=",
    "Authorization: ",
    "identified by",
    "passwd[",
)
FORMATS = (
    *("-----BEGIN PRIVATE KEY-----\n", "PRIVATE KEY-----\n", "kind: Secret\n", "data:\n a: b\n"),
    *("Private-Lines: 9\n", 'variable "password" {', "- name: PASSWORD\n", "<password>", '"kty"'),
)
SMALL, TIMES = 4_000, 4
MAX_GROWTH = 9.0
"""Time at four times the length: 4 where it is linear, 16 where it is quadratic."""


def texts(start: str, filler: str) -> Iterator[Callable[[int], str]]:
    """Texts by length: a start over and over, and one start with much behind it."""
    unit = start + filler
    yield lambda n: (unit * (n // len(unit) + 1))[:n]
    if filler:
        yield lambda n: f"x1 {start}{(filler * (n // len(filler)))} 1"


def seconds(text: str) -> float:
    """The least of some measurements of this thread alone."""
    took = []
    for _ in range(3):
        began = time.thread_time()
        redact(text, budget_s=60.0)
        took.append(time.thread_time() - began)
    return min(took)


def growth(text: Callable[[int], str]) -> float:
    """How much longer four times the length takes, beyond what any text costs."""
    base = seconds("x")
    small = seconds(text(SMALL)) - base + 1e-3
    return (seconds(text(SMALL * TIMES)) - base) / small


def check(start: str, fillers: tuple[str, ...]) -> None:
    for filler in fillers:
        for text in texts(start, filler):
            # A busy machine may spoil a measurement, but not each of three.
            assert any(growth(text) < MAX_GROWTH for _ in range(3)), (start, filler)


STARTS = sorted(
    {
        word
        for rule in (*TEXT_RULES, *CALL_RULES, *DOCUMENT_RULES, *CURL_RULES)
        for word in rule.literals
    }
    | {word for rule in LINE_RULES for word in rule.literals}
    | {*NAMES, *FORMATS}
)
SELDOM = [start for n, start in enumerate(STARTS) if n % 5]
# Kinds of tokens differ by what may follow, and by whether a prefix may stand in its own token.
TOKENS = {(tail, prefix[-1].isalnum()): prefix for _, prefix, _, tail in PREFIXED}


@pytest.mark.parametrize(
    "start",
    [*STARTS[::5], *(pytest.param(start, marks=pytest.mark.slow) for start in SELDOM)],
)
def test_no_rule_takes_the_square_of_the_length(start: str) -> None:
    check(start, FILLERS[len(start) % 6 :: 6])


@pytest.mark.parametrize("prefix", ["NRAA-", "NRRA-", "SWMKEY-1-", "ABSK", *TOKENS.values()])
def test_no_prefix_takes_the_square_of_the_length(prefix: str) -> None:
    check(prefix, ("", "a1Z-"))


@pytest.mark.release
@pytest.mark.parametrize(
    "start", sorted({*STARTS, *SERVICES, *(prefix for _, prefix, _, _ in PREFIXED)})
)
def test_no_start_takes_the_square_of_the_length(start: str) -> None:
    check(start, FILLERS)


@pytest.mark.parametrize("prefix", ["NRAA-", "NRRA-", "SWMKEY-1-", "ABSK"])
def test_a_long_line_of_prefixes_is_read_at_once(prefix: str) -> None:
    # It ends at all: at each prefix the rest of the line was read again.
    token = f"{prefix}{'hT7kq92LwzP04vbn' * 8}"
    assert token not in redact(f"{prefix * 80_000} {token}", budget_s=60.0).text


def test_a_redaction_ends_when_it_is_cancelled_or_out_of_time() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        redact("password = 'hT7kq92Lw'\n", cancel=stop)
    with pytest.raises(RedactionTimeout):
        redact("password = 'hT7kq92Lw'\n", budget_s=0.0)
