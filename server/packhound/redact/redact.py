"""Text to the same text without secrets: each is replaced by `[REDACTED:kind]`, lines stay lines.

Found are credentials in the forms that services publish, random-looking values given to names that
ask for a secret, and private keys. Values that say of themselves that they are samples stay.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TypeAlias

from packhound.redact.entropy import is_placeholder, is_random
from packhound.redact.known import PREFIXED, SERVICES
from packhound.redact.patterns import (
    ANYWHERE,
    ASSIGNED,
    BARE,
    IN_LINE,
    INLINE,
    KUBERNETES,
    KUBERNETES_VALUE,
    PASSWORDS,
    PRIVATE_KEY,
    PRIVATE_KEY_START,
    SERVICE_VALUE,
)
from packhound.redact.rules import extra_rules
from packhound.redact.scan import Beginnings, octets_of, suspicious_lines
from packhound.redact.values import (
    is_base64,
    is_chosen,
    is_drawn,
    is_dull,
    is_location,
    is_mixed,
    is_name,
    is_password,
    is_sample,
)

_PIECE = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z_]+")
"""Where a prefix may begin."""
_SHORT = 24
"""A random token of so many characters after its prefix may well have no digit."""
_PLAIN = ("AKIA", "ASIA", "ABIA", "ACCA", "LTAI")
"""Prefixes that no word begins with, though they have letters only."""
_PRIVATE, _MANIFEST = "PRIVATE KEY", ("ecret", "ata:")
"""What the secrets of several lines have."""
_KEY = 3
"""Characters of a prefix that find its rows."""

Run: TypeAlias = tuple[int, int, str]
"""Start, end and kind of a secret."""
Prefix: TypeAlias = tuple[str, str, re.Pattern[str]]
"""What a token begins with, its kind, and its form."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was taken out, and in which 0-based line."""

    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without the secrets that were found in it; it has as many lines as before."""

    text: str
    found: tuple[Finding, ...]


def redact(text: str) -> Redacted:
    """Take the secrets out of a text."""
    return without(text, _secrets(text))


def without(text: str, secrets: Iterable[Run]) -> Redacted:
    """A text without what stands at some runs of it, which may overlap."""
    runs = sorted(set(secrets), key=lambda run: (run[0], -run[1], run[2]))
    if not runs:
        return Redacted(text, ())
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    pieces, found, at = [], [], 0
    for first, end, kind in runs:
        start = max(first, at)
        if start >= end:
            continue
        line_ends = "".join(c for c in text[start:end] if c in "\r\n")
        pieces += [text[at:start], f"[REDACTED:{kind}]", line_ends]
        found.append(Finding(kind, bisect_right(starts, start) - 1))
        at = end
    return Redacted("".join((*pieces, text[at:])), tuple(found))


def _secrets(text: str) -> Iterator[Run]:
    """All secrets; they may overlap."""
    octets = octets_of(text)
    known = _literals()
    there = {literal for literal in known.begun(octets) if literal in text}
    yield from _blocks(text, there)
    yield from _foreign(text)
    for literal, kind, pattern in ANYWHERE:
        if literal in there:
            made_up = is_dull if kind.endswith("password") else is_sample
            for match in pattern.finditer(text):
                if not made_up(match[1]):
                    yield *match.span(1), kind
    for prefix in _short_prefixes().keys() & there:
        for kind, pattern in _short_prefixes()[prefix]:
            yield from _drawn(text, kind, pattern)
    lowered = octets.lower().decode("latin-1")
    spans = suspicious_lines(octets, lowered)
    if not spans:
        return
    rules = _Rules("\n".join(text[start:end] for start, end, _ in spans))
    for start, end, asks in spans:
        line, plain = text[start:end], lowered[start:end]
        found = [*rules.secrets(line, plain), *(_assigned(line, plain) if asks else ())]
        yield from ((start + first, start + last, kind) for first, last, kind in found)


_SHAPES = [(literal, row) for row, shape in enumerate(IN_LINE) for literal in shape[0]]


class _Rules:
    """The rules that could find anything in a text, which are a few of hundreds."""

    def __init__(self, text: str) -> None:
        lowered, known = text.lower(), _prefixes()
        begins = {piece[:_KEY] for piece in _PIECE.findall(text)}
        rows = [row for begin in sorted(begins & known.keys()) for row in known[begin]]
        self._prefixed = [row for row in rows if row[0] in text]
        shapes = {row for literal, row in _SHAPES if literal in lowered}
        self._shapes = [IN_LINE[row] for row in sorted(shapes)]
        services = _services().begun(octets_of(lowered))
        self._services = [service for service in services if service in lowered]

    def secrets(self, line: str, lowered: str) -> Iterator[Run]:
        """The secrets in one line of the text, which is given in lower case too."""
        for prefix, kind, pattern in self._prefixed:
            if prefix in line:
                yield from _drawn(line, kind, pattern)
        for literals, kind, pattern in self._shapes:
            if any(literal in lowered for literal in literals):
                for match in pattern.finditer(line):
                    if not is_sample(match[1]) and not is_name(match[1]):
                        yield *match.span(1), kind
        for service in self._services:
            if service in lowered:
                for match in _service(service).finditer(line):
                    value = match["value"]
                    if is_random(value) and not is_sample(value) and not is_location(value):
                        yield *match.span("value"), f"{service.replace('_', '-')}-secret"


def _blocks(text: str, there: set[str]) -> Iterator[Run]:
    """Secrets of several lines; `there` are the literals that the text has."""
    if _PRIVATE in there:
        for pattern in (PRIVATE_KEY, PRIVATE_KEY_START):
            for match in pattern.finditer(text):
                if is_base64(match["body"]):
                    yield *match.span("body"), "private-key"
    if there.issuperset(_MANIFEST):
        for pattern in KUBERNETES:
            for match in pattern.finditer(text):
                base = match.start("body")
                for value in KUBERNETES_VALUE.finditer(match["body"]):
                    yield base + value.start(1), base + value.end(1), "kubernetes-secret"


def _foreign(text: str) -> Iterator[Run]:
    """Secrets by the rules of a file of gitleaks rules, where there is one."""
    rules = extra_rules()
    lowered = text.lower() if rules else ""
    for kind, pattern, keywords in rules:
        if not keywords or any(keyword in lowered for keyword in keywords):
            for match in pattern.finditer(text):
                group = 1 if pattern.groups and match[1] else 0
                yield *match.span(group), kind


def _drawn(text: str, kind: str, pattern: re.Pattern[str]) -> Iterator[Run]:
    for match in pattern.finditer(text):
        if is_drawn(match[1]) and not is_sample(match[1]):
            yield *match.span(1), kind


def _assigned(line: str, lowered: str) -> Iterator[Run]:
    """Values by the names that they are given to; the patterns read lower case."""
    for match in ASSIGNED.finditer(lowered):
        name = line[_begin_of_name(line, match.start()) : match.end("name")]
        if is_password(name, line[slice(*match.span("value"))], quoted=True):
            yield *match.span("value"), "secret"
    for match in BARE.finditer(lowered):
        if is_password(match["name"], line[slice(*match.span("value"))], quoted=False):
            yield *match.span("value"), "secret"
    for match in INLINE.finditer(lowered):
        value = line[slice(*match.span("value"))]
        if is_mixed(value) and not is_placeholder(value):
            yield *match.span("value"), "secret"
    for i, pattern in enumerate(PASSWORDS):
        for match in pattern.finditer(lowered):
            if is_chosen(line[slice(*match.span("value"))], bare=i == 1):
                yield *match.span("value"), "password"


def _begin_of_name(line: str, at: int) -> int:
    """Where the name begins that `at` is in."""
    while at > 0 and (line[at - 1].isalnum() or line[at - 1] in "_-"):
        at -= 1
    return at


@lru_cache(maxsize=1)
def _prefixes() -> dict[str, list[Prefix]]:
    """The rows of `PREFIXED` by how they begin: at most `_KEY` characters of a piece."""
    rows: dict[str, list[Prefix]] = defaultdict(list)
    for kind, prefix, least, tail in PREFIXED:
        first = re.match(r"[0-9A-Za-z_]*", prefix)
        begin = first[0][:_KEY] if first else ""
        alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
        ends = [""] if len(begin) == _KEY or prefix != begin else list(alphabet)
        for end in ends:
            rows[begin + end].append((prefix, kind, _token(prefix, least, tail, "0-9A-Za-z_")))
    return dict(rows)


@lru_cache(maxsize=1)
def _short_prefixes() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """Of tokens so short that they may hold no digit, which is what lines are chosen by."""
    rows: dict[str, list[tuple[str, re.Pattern[str]]]] = defaultdict(list)
    for kind, prefix, least, tail in PREFIXED:
        if least <= _SHORT and (prefix in _PLAIN or not prefix.isalnum()):
            rows[prefix].append((kind, _token(prefix, least, tail, "0-9A-Za-z")))
    return dict(rows)


@lru_cache(maxsize=1)
def _literals() -> Beginnings:
    """What a text must have for the rules that read all of it."""
    anywhere = (literal for literal, *_ in ANYWHERE)
    return Beginnings({_PRIVATE, *_MANIFEST, *anywhere, *_short_prefixes()})


def _token(prefix: str, least: int, tail: str, before: str) -> re.Pattern[str]:
    """Matches where a token begins; the token itself is its group."""
    return re.compile(rf"(?<![{before}])(?=({re.escape(prefix)}[{tail}]{{{least},}}))")


@lru_cache(maxsize=1)
def _services() -> Beginnings:
    return Beginnings(SERVICES)


@lru_cache(maxsize=256)
def _service(name: str) -> re.Pattern[str]:
    # A short name is also the end of other words: `blob`.
    begin = "(?<![a-z])" if len(name) <= _KEY else ""
    return re.compile(rf"(?i){begin}{re.escape(name)}{SERVICE_VALUE}")
