"""Words of a prompt that make a line of code worth keeping within an elided body."""

from __future__ import annotations

import re

from packhound.text import identifiers

_MAX_PROMPT = 20_000
_MAX_WORDS = 40
_MIN_LENGTH = 5


def compile_prompt_words(prompt: str) -> re.Pattern[str] | None:
    """Return a pattern of the identifiers that look like code, None where there are none."""
    code_words = filter(_looks_like_code, identifiers(prompt[:_MAX_PROMPT]))
    words = list(dict.fromkeys(code_words))[:_MAX_WORDS]
    return re.compile("|".join(map(re.escape, words))) if words else None


def _looks_like_code(name: str) -> bool:
    """Return True for names with an underscore, or capitals inside."""
    mixed_case = not (name.islower() or name.isupper() or name.istitle())
    return len(name) >= _MIN_LENGTH and (mixed_case or "_" in name.strip("_"))
