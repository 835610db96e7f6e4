"""Secrets that the text around them gives away; most rules are in `secret_rules.txt`.

Every repetition is bounded, or begins where no other match of the same rule can, so that the time
of a rule grows with the length of the text and not with its square.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from packhound.redact import values
from packhound.redact.names import LONG, NAME, PASSWORD_NAME


class Rule(NamedTuple):
    """One way to find secrets: the first group of `pattern`, where `accepts` takes it.

    A text without any of `literals`, in lower case, is not searched.
    """

    kind: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool]


BARE = re.compile(
    rf"^[ \t]*(?:export[ \t]+|-[ \t]+)?[\w.-]{{0,80}}(?:{LONG})[\w-]{{0,60}}[ \t]{{0,2}}[:=]"
    r"[ \t]{0,2}(?P<value>[^\s'\"`#;,(){}\[\]<>$]{10,200})\s{0,80}$"
)
"""A value without quotes as the whole of a line. Like those below: of text in lower case."""

INLINE = re.compile(
    rf"(?:{LONG})s?['\"\])]{{0,2}}(?:[ \t]{{0,2}}(?:=>|=|:[=-]?|%3d)[ \t]{{0,2}}|[ \t]+)['\"]?"
    r"(?P<value>[a-z0-9][\w+/=.~-]{11,200})(?=['\"`\s,;&)}%<\\]|$)"
)
"""The same anywhere in a line: in prose, on a command line, in the query of a URL."""

SERVICE_VALUE = (
    r"[\w.\[\]'\"` \t-]{0,30}?(?:=>|\?=|:{0,3}=|:|,|\|\||>)[\s=('\"`]{0,6}"
    r"(?P<secret>[\w=/+.:%~-]{14,400})(?=['\"`\s;,)\\\]}]|$)"
)
"""What can be between the name of a service and its key."""


PASSWORDS: tuple[re.Pattern[str], ...] = (
    # In prose, on a command line, in a connection string.
    re.compile(
        rf"{PASSWORD_NAME}(?:[ \t]{{0,2}}(?:=>|:=|=|:)[ \t]{{0,2}}|[ \t]+)['\"]?"
        r"(?P<value>[^\s'\"`(){}\[\]<>,;|&\\]{6,64})(?=['\"`\s,;)\]}<&|]|$)"
    ),
    # In SQL.
    re.compile(
        r"\b(?:identified(?:\s{1,20}with\s{1,20}\w{1,60})?\s{1,20}by|password)"
        r"(?:\s{0,20}=|\s{1,20}values?)?\s{0,20}(?:\(\s{0,20})?['\"]"
        r"(?P<value>[^\s'\"]{6,64})['\"]"
    ),
)
"""Values that people choose, recognised by their name and their mix of characters."""

_PARTS = {
    "PAIR_NAME": r"['\"]?[ \t]{0,4}[:=][ \t]{0,4}['\"]?[\w.:/-]{0,60}?%NAME%[\w.-]{0,30}['\"]?",
    "PAIR_VALUE": r"value['\"]?[ \t]{0,4}[:=][ \t]{0,4}"
    r"(?P<quote>['\"]?)(?P<secret>[^\s'\"]{6,200})(?P=quote)",
    "NAME": NAME,
}
"""Patterns by their names between % in the rules."""


def _read_rules(place: str) -> Iterator[Rule]:
    """Yield the rules of a place, in the order of the file."""
    text = Path(__file__).with_name("secret_rules.txt").read_text("ascii")
    for head, body in re.findall(rf"^{place} (.+)\n((?: {{4}}.+\n)+)", text, re.M):
        kind, accepts, *words = head.split()
        pattern = re.sub(r"^ {4}|\n", "", body, flags=re.M)
        for name, part in _PARTS.items():
            pattern = pattern.replace(f"%{name}%", part)
        literals = tuple(word.replace(r"\s", " ") for word in words)
        for of_rule in zip(literals) if "%LITERAL%" in pattern else (literals,):
            of_literal = pattern.replace("%LITERAL%", of_rule[0])
            yield Rule(kind, of_rule, re.compile(of_literal), getattr(values, accepts))


TEXT_RULES = tuple(_read_rules("text"))
DOCUMENT_RULES = tuple(_read_rules("document"))
CURL_RULES = tuple(_read_rules("curl"))
LINE_RULES = tuple(_read_rules("line"))
