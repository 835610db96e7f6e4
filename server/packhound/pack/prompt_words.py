"""Words of a prompt that make a line of code worth keeping within an elided body."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

from packhound.search import STOPS

_MAX_PROMPT = 20_000
_PART = re.compile("[A-Z]?[a-z]{3,}|[A-Z]{3,}|[0-9]{3,}")
_PREFIX = 6
"""Characters by which the parts of words are compared, so that endings do not count."""


class PromptWords:
    """The words of a prompt, identifiers, literals and error texts among them."""

    def __init__(self, prompt: str) -> None:
        self._prefixes = _prefixes(prompt[:_MAX_PROMPT]) - _stop_prefixes()

    def weigh(self, lines: Sequence[str]) -> list[float]:
        """Return what each line of a body has of the prompt; words of many lines weigh less."""
        if not self._prefixes:
            return [0.0] * len(lines)
        matches = [_prefixes(line) & self._prefixes for line in lines]
        counts = Counter(prefix for prefixes in matches for prefix in prefixes)
        return [sum(1.0 / counts[prefix] for prefix in prefixes) for prefixes in matches]


def _prefixes(text: str) -> set[str]:
    return {part[:_PREFIX].lower() for part in _PART.findall(text)}


@cache
def _stop_prefixes() -> set[str]:
    return _prefixes(" ".join(STOPS)) | {"self", "cls", "return", "import", "def", "true", "none"}
