"""Breaks between two sides of a folder: by a patch, or by what differs from a commit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from packhound.core.types import NodeRef
from packhound.git import PatchedFile
from packhound.impact.provided import find_missing_imports
from packhound.impact.required import find_lacking
from packhound.impact.verdict import Break, Side, find_uses
from packhound.text import is_test


class Breaks(NamedTuple):
    """Definitions that are gone, and what breaks.

    That is uses that resolve no more, calls of another length, types without a member that a base
    requires, and imports that nothing provides.
    """

    removed: tuple[NodeRef, ...] = ()
    unresolved: tuple[Break, ...] = ()
    calls: tuple[Break, ...] = ()
    lacking: tuple[Break, ...] = ()
    imports: tuple[Break, ...] = ()

    @property
    def tests(self) -> list[str]:
        """Paths of the tests in which something breaks."""
        breaks = (*self.unresolved, *self.calls, *self.lacking, *self.imports)
        return [*dict.fromkeys(each.node.path for each in breaks if is_test(each.node.path))]


def find_breaks(before: Side, after: Side, root: str, files: Mapping[str, PatchedFile]) -> Breaks:
    """Return what is gone after some files have changed, and what is known to break by it."""
    removed, unresolved, calls = find_uses(before, after, root, files)
    named = {(each.node.path, each.line) for each in unresolved}
    imports = find_missing_imports(before, after, root, files)
    return Breaks(
        removed=tuple(removed),
        unresolved=tuple(unresolved),
        calls=tuple(calls),
        lacking=tuple(find_lacking(before, after, root, files)),
        imports=tuple(each for each in imports if (each.node.path, each.line) not in named),
    )
