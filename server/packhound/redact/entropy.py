"""Randomness and placeholders: does a text look drawn at random rather than written."""

from __future__ import annotations

import math
import re
from collections import Counter

_CHANGE = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_ANY_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z\d])|(?<=[A-Z])(?=[a-z\d])|(?<=\d)(?=[A-Za-z])")
_MIN_CHANGES = 0.45
"""Changes of class a character: random text has more, joined words have fewer."""
_PLACEHOLDER_WORDS = (
    r"example|sample|dummy|placeholder|change_?me|your[_-]|my[_-]|insert|redacted|xxxx|\*\*\*"
    r"|\.\.\.|\$\(|%\(|todo|fixme|foobar|abcdef|123456|012345|deadbeef|fake|mock|test"
    r"|lorem|secret|passw|token|none|null|undefined|false|true|default|localhost"
)
_PLACEHOLDER = re.compile(rf"(?i){_PLACEHOLDER_WORDS}|<|>|\{{|\}}")
_TEMPLATE = re.compile(rf"(?i){_PLACEHOLDER_WORDS}|<[\w .-]+>|\{{\{{|[$#%]\{{|^\{{[\w.]+\}}$")


def entropy(text: str) -> float:
    """Return the Shannon entropy in bits a character, from the text's own character counts."""
    n = len(text)
    return -sum(c / n * math.log2(c / n) for c in Counter(text).values()) if n else 0.0


def is_random(value: str, min_entropy: float = 3.0) -> bool:
    """Return True if letters and digits alternate often with enough entropy, or digits are many."""
    digits = sum(character.isdigit() for character in value)
    if digits == len(value):
        return len(value) >= 14 and len(set(value)) >= 6
    if len(value) >= 16 and len(_ANY_CHANGE.findall(value)) >= _MIN_CHANGES * len(value):
        return entropy(value) >= min_entropy
    changes = len(_CHANGE.findall(value))
    return changes >= max(2, len(value) // 16) and entropy(value) >= min_entropy


def has_mixed_letters(value: str) -> bool:
    """Return True for letters whose case changes too often for joined words."""
    return len(value) >= 14 and len(_ANY_CHANGE.findall(value)) >= 0.36 * len(value)


def is_placeholder(value: str) -> bool:
    """Return True if the value says of itself that it is none."""
    return bool(_PLACEHOLDER.search(value)) or len(set(value)) <= 4


def is_template(value: str) -> bool:
    """As `is_placeholder`, for values that may hold single brackets."""
    return bool(_TEMPLATE.search(value)) or len(set(value)) <= 4
