"""Paths as people write them to files of the root.

They are matched by their last components, so that a trace from another machine or an installed
package still finds its file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from packhound.core.common_prefix import common_prefix_length

_MAX_MATCHES = 3
"""A file name that more files share names none of them."""


class PathResolver:
    """Finds the files of a root that end with the components of a written path."""

    def __init__(self, files_named: Callable[[str], Iterable[str]]) -> None:
        """`files_named` gives the files whose path ends with a component."""
        self._files_named = files_named

    def resolve(self, path: str) -> tuple[str, ...]:
        """Return the files with the longest common tail; none if there are too many of them."""
        parts = [part for part in re.split(r"[/\\]+", path) if part not in ("", ".", "..")]
        if not parts:
            return ()
        tails = {
            file: common_prefix_length(reversed(file.split("/")), reversed(parts))
            for file in self._files_named(parts[-1])
        }
        longest = max(tails.values(), default=0)
        matches = sorted(file for file, length in tails.items() if length == longest)
        return tuple(matches) if longest and len(matches) <= _MAX_MATCHES else ()
