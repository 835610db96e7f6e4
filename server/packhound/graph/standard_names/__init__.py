"""Names of members of standard libraries, one list for each family of languages.

`python -m benchmarks.edges.standard_names` writes the lists; the first line of each has its source.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
_FILES = {**dict.fromkeys(("python", "rust", "go", "javascript")), "jvm": "java"}


@cache
def standard_names(family: str) -> frozenset[str] | None:
    """Return the names of members in the standard library of a family, None where none is known."""
    if family not in _FILES:
        return None
    lines = (FOLDER / f"{_FILES[family] or family}.txt").read_text("utf-8").splitlines()
    return frozenset(lines[1:])
