"""Text to the same text without secrets: each is replaced by `[REDACTED:kind]`, lines stay lines.

Secrets are credentials in the forms that services publish, random values given to names that ask
for a secret, passwords in configurations, and private keys. Values that say of themselves that they
are samples stay.
"""

from __future__ import annotations

import re
import threading
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from typing import TypeAlias

from packhound.core.errors import Cancelled, PackhoundError
from packhound.redact import values
from packhound.redact.calls import CALL_RULES
from packhound.redact.documents import (
    BLOCK_LITERALS,
    manifest_values,
    private_keys,
)
from packhound.redact.entropy import is_random
from packhound.redact.literals import named_literals
from packhound.redact.patterns import (
    BARE,
    CURL_RULES,
    DOCUMENT_RULES,
    INLINE,
    LINE_RULES,
    PASSWORDS,
    SERVICE_VALUE,
    TEXT_RULES,
    Rule,
)
from packhound.redact.prefilter import LiteralPrefilter, suspicious_lines, to_octets
from packhound.redact.token_prefixes import PREFIXED, SERVICES, service_kind

BUDGET_S = 5.0
"""A text of the greatest size that is indexed takes a hundredth of it, a hostile one a fifth."""

_PIECE = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z_]+")
"""Where a prefix can begin."""
_SHORT_TOKEN = 24
"""A random token of so many characters after its prefix may well have no digit."""
_LETTER_PREFIXES = ("AKIA", "ASIA", "ABIA", "ACCA", "LTAI")
"""Prefixes that no word begins with, though they have letters only."""
_KEY_LENGTH = 3
"""Characters of a prefix that find its rows."""
_MAX_REJECTED = 8
"""Beginnings of a token that are tried within one run of its characters."""
_CURL_CHARACTERS, _CURL_LINES = 1_800, 5
"""How far before an option its command can begin."""
_CURL = re.compile(r"\bcurl\b")

Span: TypeAlias = tuple[int, int, str]
"""Start, end and kind of a secret."""


class RedactionTimeout(PackhoundError):  # noqa: N818 - an outcome, as Cancelled is
    """A text took so long that its secrets are not known; nothing of it may leave."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Kind of a secret that was removed, and its 0-based line."""

    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without its secrets, with as many lines as before."""

    text: str
    findings: tuple[Finding, ...]


def redact(
    text: str, cancel: threading.Event | None = None, budget_s: float = BUDGET_S
) -> Redacted:
    """Take the secrets out of a text. Raises Cancelled and RedactionTimeout."""
    deadline = time.monotonic() + budget_s
    secrets = []
    for span in _secrets(text):
        if cancel is not None and cancel.is_set():
            raise Cancelled("the redaction was cancelled")
        if time.monotonic() > deadline:
            raise RedactionTimeout(f"redaction takes longer than {budget_s:g} s")
        if span is not None:
            secrets.append(span)
    return without(text, secrets)


def without(text: str, secrets: Iterable[Span]) -> Redacted:
    """Replace spans of a text, which may overlap, by their kinds."""
    spans = sorted(set(secrets), key=lambda span: (span[0], -span[1], span[2]))
    if not spans:
        return Redacted(text, ())
    line_starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    pieces, findings, position = [], [], 0
    for first, end, kind in spans:
        start = max(first, position)
        if start >= end:
            continue
        line_ends = "".join(re.findall(r"[\r\n]", text[start:end]))
        pieces += [text[position:start], f"[REDACTED:{kind}]", line_ends]
        findings.append(Finding(kind, bisect_right(line_starts, start) - 1))
        position = end
    return Redacted("".join((*pieces, text[position:])), tuple(findings))


def _secrets(text: str) -> Iterator[Span | None]:
    """Yield all secrets, which may overlap, and None between the rules and lines."""
    octets = to_octets(text)
    lowered_octets = octets.lower()
    lowered = lowered_octets.decode("latin-1")
    literals = _literals().literals_in(lowered_octets, lowered)
    yield None
    if "private key" in literals:
        yield from private_keys(text)
    if literals.issuperset(("secret", "data:")):
        yield from manifest_values(text)
    for rule in _rules_for((*TEXT_RULES, *CALL_RULES), literals):
        yield from _matches(rule, text, text)
    for rule in _rules_for(DOCUMENT_RULES, literals):
        yield from _matches(rule, lowered, text)
    for rule in _rules_for(CURL_RULES, literals):
        for span in _matches(rule, text, text):
            if span is None or _is_option_of_curl(text, span[0]):
                yield span
    for rule in _rules_for(_short_tokens(), literals):
        yield from _tokens(rule, text)
    yield from _secrets_of_lines(text, octets, lowered)


def _secrets_of_lines(text: str, octets: bytes, lowered: str) -> Iterator[Span | None]:
    lines = suspicious_lines(octets, lowered)
    if not lines:
        return
    rules = _LineRules("\n".join(text[start:end] for start, end, _ in lines))
    for start, end, names_secret in lines:
        line, lowered_line = text[start:end], lowered[start:end]
        yield None
        for span in chain(
            rules.secrets(line, lowered_line),
            _assigned_values(line, lowered_line) if names_secret else (),
        ):
            yield span and (start + span[0], start + span[1], span[2])


def _rules_for(rules: Iterable[Rule], literals: set[str]) -> list[Rule]:
    return [rule for rule in rules if not literals.isdisjoint(rule.literals)]


def _matches(rule: Rule, searched: str, text: str) -> Iterator[Span | None]:
    """Yield what a rule finds; `searched` is `text`, or that in lower case."""
    group = rule.pattern.groupindex.get("secret", 1)
    for match in rule.pattern.finditer(searched):
        start, end = match.span(group)
        yield (start, end, rule.kind) if rule.accepts(text[start:end]) else None
    yield None


def _tokens(rule: Rule, text: str) -> Iterator[Span | None]:
    """Yield what the rule of a token finds; a sample can hide a token that begins within it."""
    position = rejected = 0
    while (match := rule.pattern.search(text, position)) is not None:
        if rule.accepts(match[1]):
            yield *match.span(1), rule.kind
            position, rejected = match.end(), 0
        elif rejected < _MAX_REJECTED:
            position, rejected = match.start() + 1, rejected + 1
            yield None
        else:
            position, rejected = match.end(), 0
    yield None


def _is_option_of_curl(text: str, position: int) -> bool:
    """Return True if a command that calls curl begins shortly before a position."""
    first = max(0, position - _CURL_CHARACTERS)
    commands = list(_CURL.finditer(text, first, position))
    return bool(commands) and text.count("\n", commands[-1].start(), position) <= _CURL_LINES


class _LineRules:
    """The rules that could find anything in the lines of a text, which are a few of hundreds."""

    def __init__(self, text: str) -> None:
        lowered, by_start = text.lower(), _tokens_by_start()
        starts = {piece[:_KEY_LENGTH] for piece in _PIECE.findall(text)}
        rows = [row for start in sorted(starts & by_start.keys()) for row in by_start[start]]
        self._tokens = [row for row in rows if row[0] in text]
        self._rules = [rule for rule in LINE_RULES if any(map(lowered.__contains__, rule.literals))]
        self._services = _SERVICES.literals_in(to_octets(lowered), lowered)

    def secrets(self, line: str, lowered: str) -> Iterator[Span | None]:
        """Yield the secrets in one line of the text."""
        for prefix, rule in self._tokens:
            if prefix in line:
                yield from _tokens(rule, line)
        for rule in self._rules:
            if any(map(lowered.__contains__, rule.literals)):
                yield from _matches(rule, line, line)
        for service in sorted(self._services):
            if service in lowered:
                yield from _matches(_service_rule(service), line, line)


def _assigned_values(line: str, lowered: str) -> Iterator[Span]:
    """Yield values by the names that they are given to; the patterns read lower case."""
    yield from named_literals(line)
    for match in BARE.finditer(lowered):
        if values.is_secret_value(line[slice(*match.span("value"))], quoted=False):
            yield *match.span("value"), "secret"
    for match in INLINE.finditer(lowered):
        if values.is_high_entropy_bare(line[slice(*match.span("value"))]):
            yield *match.span("value"), "secret"
    for i, pattern in enumerate(PASSWORDS):
        for match in pattern.finditer(lowered):
            if values.looks_like_password(line[slice(*match.span("value"))], bare=i == 0):
                yield *match.span("value"), "password"


@lru_cache(maxsize=1)
def _tokens_by_start() -> dict[str, list[tuple[str, Rule]]]:
    """Return prefix and rule of each kind of token, by the first characters of a piece."""
    alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
    rows: dict[str, list[tuple[str, Rule]]] = defaultdict(list)
    for kind, prefix, min_length, tail in PREFIXED:
        word = re.match(r"[0-9A-Za-z_]*", prefix)
        start = word[0][:_KEY_LENGTH] if word else ""
        rule = _token_rule(kind, prefix, min_length, tail, "0-9A-Za-z_")
        is_complete = len(start) == _KEY_LENGTH or prefix != start
        for end in [""] if is_complete else alphabet:
            rows[start + end].append((prefix, rule))
    return dict(rows)


@lru_cache(maxsize=1)
def _short_tokens() -> tuple[Rule, ...]:
    """Return the rules of tokens so short that they may hold no digit, as other lines do."""
    return tuple(
        _token_rule(kind, prefix, min_length, tail, "0-9A-Za-z")
        for kind, prefix, min_length, tail in PREFIXED
        if min_length <= _SHORT_TOKEN and (prefix in _LETTER_PREFIXES or not prefix.isalnum())
    )


def _token_rule(kind: str, prefix: str, min_length: int, tail: str, before: str) -> Rule:
    """Return the rule of tokens that begin with a prefix and not behind some characters."""
    pattern = rf"(?<![{before}])({re.escape(prefix)}[{tail}]{{{min_length},}})"
    return Rule(kind, (prefix.lower(),), re.compile(pattern), values.is_published_token)


@lru_cache(maxsize=1)
def _literals() -> LiteralPrefilter:
    """Return the literals of the rules that search a whole text, in lower case."""
    rules = (*TEXT_RULES, *CALL_RULES, *DOCUMENT_RULES, *CURL_RULES, *_short_tokens())
    return LiteralPrefilter({*BLOCK_LITERALS, *(word for rule in rules for word in rule.literals)})


_SERVICES = LiteralPrefilter(SERVICES)


@lru_cache(maxsize=256)
def _service_rule(name: str) -> Rule:
    # A short name is also the end of other words: `blob`.
    begin = "(?<![a-z])" if len(name) <= _KEY_LENGTH else ""
    pattern = rf"(?i){begin}{re.escape(name)}{SERVICE_VALUE}"
    return Rule(service_kind(name), (name,), re.compile(pattern), _is_service_key)


def _is_service_key(value: str) -> bool:
    return is_random(value) and not values.is_sample(value) and not values.is_location(value)
