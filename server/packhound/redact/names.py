"""Names whose values are secrets: the parts of `secret_names.txt` as patterns."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path


def _read_parts() -> dict[str, list[str]]:
    """Return the parts of names by kind, the longest first."""
    parts: dict[str, list[str]] = defaultdict(list)
    for line in Path(__file__).with_name("secret_names.txt").read_text("ascii").splitlines():
        if line and not line.startswith("#"):
            kind, *words = line.split()
            parts[kind] += [word.replace("_", "[ _.-]?") for word in words]
    return {kind: sorted(words, key=len, reverse=True) for kind, words in parts.items()}


_PARTS = _read_parts()
_SHORT = "|".join(_PARTS["word"])
_SHORT_IN_CAMEL_CASE = "|".join(map(str.capitalize, _PARTS["word"]))

PASSWORD = "|".join(_PARTS["password"])
"""Of text in lower case, as `LONG` and `NAME`."""
LONG = f"{PASSWORD}|{'|'.join(_PARTS['secret'])}|(?:{'|'.join(_PARTS['key'])})[ _.-]?keys?"
"""Parts that are secret within any word."""
PASSWORD_NAME = f"(?:(?:{PASSWORD})s?|(?<![a-z])(?:{_SHORT}))"
NAME = f"(?:(?:{LONG})s?|(?<![a-z])(?:{_SHORT}))"

IDENTIFIER = re.compile(
    rf"(?:(?P<password>(?i:{PASSWORD})(?:[\w.-]{{0,20}}(?<![.-]))"
    rf"|(?P<word>(?<![A-Za-z])(?i:{_SHORT})|(?<=[a-z0-9])(?:{_SHORT_IN_CAMEL_CASE})))|(?i:{LONG}))"
    r"s?(?:[_.-]?(?:\d{1,3}|(?i:value|prod|production|dev|staging|live|base|default|v\d|raw"
    r"|(?:base)?64|hex|str|string|bytes)))?(?![A-Za-z0-9_])"
)
"""The end of a name of a secret, of text in its own case."""
