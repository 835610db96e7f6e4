"""Words of a prompt that make a line of code worth showing within an elided body."""

from __future__ import annotations

import re

from packhound.text.tokenizer import identifiers

_MAX_WORDS = 40
_MIN_LENGTH = 5


def telling_words(prompt: str) -> re.Pattern[str] | None:
    """Matches identifiers that look like code: with an underscore, or capitals inside."""
    found = dict.fromkeys(name for name in identifiers(prompt[:20_000]) if _is_code(name))
    words = list(found)[:_MAX_WORDS]
    return re.compile("|".join(map(re.escape, words))) if words else None


def _is_code(name: str) -> bool:
    mixed = not (name.islower() or name.isupper() or name.istitle())
    return len(name) >= _MIN_LENGTH and (mixed or "_" in name.strip("_"))
