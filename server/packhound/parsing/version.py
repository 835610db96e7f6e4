"""What the nodes of a source come from but the source: queries, grammars and rules, as one text.

Asked in processes that parse nothing, so no grammar is loaded for it.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

QUERIES = Path(__file__).parent / "queries"

_RULES = 3
"""Counts changes of the code in this room that change nodes."""

_PACKAGES = ("tree_sitter", "tree_sitter_language_pack")


@cache
def grammar_version() -> str:
    """Changes whenever the nodes of some source may: with a query, the grammars or the rules."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(QUERIES.glob("*.scm")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    for package in _PACKAGES:
        digest.update(_release(package).encode() + b"\0")
    return f"{_RULES}-{digest.hexdigest()}"


def _release(package: str) -> str:
    """Which release of a package is installed, as the folder of metadata beside it is named."""
    found = PathFinder.find_spec(package)
    if found is not None and found.origin is not None:
        beside = Path(found.origin).parents[1].glob(f"{package}-*.dist-info")
        if names := " ".join(sorted(folder.name for folder in beside)):
            return names
    from importlib.metadata import version  # Takes longer to import than all else here.

    return version(package)
