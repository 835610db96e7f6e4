"""Roots inside of other roots: a file belongs to the innermost, so no answer has it twice."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

_WILDCARD = re.compile(r"[\\*?\[]")


def nested_globs(root: str | PurePath, roots: Iterable[str | PurePath]) -> tuple[str, ...]:
    """Return a glob of each of `roots` inside of `root`, to be left out of its answer."""
    outer = PurePath(root)
    inner = [path.relative_to(outer) for path in map(PurePath, roots) if outer in path.parents]
    return tuple(f"/{_WILDCARD.sub(_escape, path.as_posix())}/" for path in inner)


def _escape(wildcard: re.Match[str]) -> str:
    return f"\\{wildcard[0]}"
