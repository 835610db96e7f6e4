"""Version of everything but the source that nodes depend on: queries, grammars and code.

It is asked for in processes that parse nothing, so no grammar is loaded.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

QUERIES = Path(__file__).parent / "queries"

_RULES = 17
"""Counts changes of the code in this package that change nodes."""

_PACKAGES = ("tree_sitter", "tree_sitter_language_pack")


@cache
def grammar_version() -> str:
    """Return a text that changes with every query, grammar release and rule."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(QUERIES.glob("*.scm")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    for package in _PACKAGES:
        digest.update(_release(package).encode() + b"\0")
    return f"{_RULES}-{digest.hexdigest()}"


def _release(package: str) -> str:
    """Return the release of an installed package, by the name of its metadata folder."""
    spec = PathFinder.find_spec(package)
    if spec is not None and spec.origin is not None:
        metadata = Path(spec.origin).parents[1].glob(f"{package}-*.dist-info")
        if names := " ".join(sorted(folder.name for folder in metadata)):
            return names
    from importlib.metadata import version  # Takes longer to import than all else here.

    return version(package)
