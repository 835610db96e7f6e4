"""Word lists for queries, of `words.txt`. Code and its index never pass through them."""

from __future__ import annotations

import re
from pathlib import Path

_WORDS = {
    name: frozenset(words.split())
    for name, words in re.findall(
        r"^(\w+):\n((?:.+\n)+)", Path(__file__).with_name("words.txt").read_text("ascii"), re.M
    )
}
STOP_WORDS = _WORDS["stop"]
"""English words that say nothing about code; dropped from prose, never from code."""
PROSE_WORDS = _WORDS["prose"]
"""Any of these makes a query prose rather than a list of key words."""
ASKING_WORDS = _WORDS["asking"]
"""Words around the one word that a short question is about."""
REPORT_WORDS = _WORDS["report"]
"""Words that bug reports are full of whatever the bug is; they count little in reports."""
TEMPLATE_WORDS = _WORDS["template"]
"""Words of templates' headings beside those of reports; elsewhere they may be topics."""
TEST_WORDS = _WORDS["test"]
"""Any of these in a query says that tests are wanted, so test paths are not held against it."""
EXAMPLE_WORDS = _WORDS["example"]
"""Likewise for examples and demos."""

LANGUAGE_NAMES = {
    "c++": "cpp",
    "cs": "csharp",
    "c#": "csharp",
    "golang": "go",
    "js": "javascript",
    "kt": "kotlin",
    "md": "markdown",
    "py": "python",
    "rb": "ruby",
    "rs": "rust",
    "sh": "bash",
    "shell": "bash",
    "ts": "typescript",
}
"""Aliases of languages after `lang:`."""
