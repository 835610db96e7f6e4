"""Whether a text looks drawn at random rather than written."""

from __future__ import annotations

import math
import re
from collections import Counter

_CHANGE = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_ANY_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z\d])|(?<=[A-Z])(?=[a-z\d])|(?<=\d)(?=[A-Za-z])")
_RESTLESS = 0.45
"""Changes of class a character: random text has more, joined words have fewer."""
_PLACEHOLDER = re.compile(
    r"(?i)example|sample|dummy|placeholder|change_?me|your[_-]|my[_-]|insert|redacted|xxxx|\*\*\*"
    r"|\.\.\.|<|>|\{|\}|\$\(|%\(|todo|fixme|foobar|abcdef|123456|012345|deadbeef|fake|mock|test"
    r"|lorem|secret|passw|token|none|null|undefined|false|true|default|localhost"
)


def entropy(text: str) -> float:
    """Shannon entropy in bits a character, from the text's own character counts."""
    n = len(text)
    return -sum(c / n * math.log2(c / n) for c in Counter(text).values()) if n else 0.0


def is_random(value: str, least: float = 3.0) -> bool:
    """Letters and digits (or many digits) in frequent alternation, with enough entropy."""
    digits = sum(character.isdigit() for character in value)
    if digits == len(value):
        return len(value) >= 14 and len(set(value)) >= 6
    if len(value) >= 16 and len(_ANY_CHANGE.findall(value)) >= _RESTLESS * len(value):
        return entropy(value) >= least
    changes = len(_CHANGE.findall(value))
    return changes >= max(2, len(value) // 16) and entropy(value) >= least


def is_placeholder(value: str) -> bool:
    """Whether the value says of itself that it is none."""
    return bool(_PLACEHOLDER.search(value)) or len(set(value)) <= 4
