"""A stage that prefers code near the file that the user is in; it runs where a query has a focus.

It rescores finished hits by what their files and names have to do with that file: no edge of the
graph is needed, so it costs nothing before the first hit and nothing without a focus.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from packhound.core.types import Focus, Hit, SignalValue
from packhound.graph import ImportResolver
from packhound.index import FileEntry, Snapshot
from packhound.search.query.parse import ParsedQuery
from packhound.search.stages import StageContext, with_reasons

WEIGHTS = {
    "near_file": 1.0,
    "near_stem": 2.0,
    "near_folder": 1.0,
    "near_import": 0.25,
    "near_name": 0.25,
    "near_use": 2.0,
    "near_edit": 1.5,
}
"""Fitted on what commits changed together (`python -m benchmarks.focus.replay`), but `near_file`:
the replay asks for other files, so it counts as much as another file of the same folder. Both have
a third more than the fit gave, as meaning has since."""

OF_THE_GRAPH = frozenset({"near_import", "near_name", "near_use"})
"""Signals that say who imports and uses whom."""

DEPTH = 100
"""Hits that compete for a place among those asked for."""

_NAMELESS = frozenset({"mod", "lib", "main", "index", "init"})
"""Stems of files that are named for their place, as `mod.rs`, `index.ts` and `__init__.py`: the
same only within a folder, where `index.test.ts` tests `index.ts`."""

_TEST_AFFIX = re.compile(r"^(?:test|spec)_?|[_-]?(?:tests?|specs?)$")


class Proximity:
    """Nearness of hits to a focus.

    `edited` are the paths of files that the user edited, the latest last.
    """

    name = "what is near"

    def __init__(self, snapshot: Snapshot, focus: Focus, edited: Sequence[str] = ()) -> None:
        self._snapshot = snapshot
        self._path = focus.path
        self._entry = snapshot.files.get(focus.path)
        self._edited = frozenset(edited)
        self._names = frozenset(filter(None, self._entry.names())) if self._entry else frozenset()
        self._used = frozenset(self._entry.references()) if self._entry else frozenset()

    def depth(self, limit: int, _query: ParsedQuery) -> int:
        """Return how many hits it needs to find the best `limit`."""
        return max(limit, DEPTH)

    def applies(self, _query: ParsedQuery) -> bool:
        """Return True: without a focus there is no such stage."""
        return True

    def rerank(self, hits: Sequence[Hit], context: StageContext) -> Sequence[Hit]:
        """Add what is near the focus to the scores."""
        if self._entry is None:
            context.run.notes.append(f"the focus '{self._path}' is no indexed file; give its path")
            return hits
        return self.rescored(hits)

    def rescored(self, hits: Sequence[Hit], without: Collection[str] = ()) -> list[Hit]:
        """Return hits with what is near the focus in their scores, but for some signals."""
        values = self.values(hits)
        return [_rescore(hit, near, without) for hit, near in zip(hits, values, strict=True)]

    def values(self, hits: Sequence[Hit]) -> list[Mapping[str, float]]:
        """Return the values of all signals, 0 to 1, of each hit."""
        linked = self._linked_paths(hit.node.path for hit in hits)
        return [self._values(hit, hit.node.path in linked) for hit in hits]

    def far(self, paths: Iterable[str]) -> frozenset[str]:
        """Return those paths of other top folders that neither import the focus nor the reverse."""
        top = self._path.partition("/")[0]
        far = frozenset(path for path in paths if path.partition("/")[0] != top)
        return far - self._linked_paths(far) - self._edited

    def _values(self, hit: Hit, is_linked: bool) -> Mapping[str, float]:
        path, name = hit.node.path, hit.node.name
        if path == self._path:
            return {"near_file": 1.0}
        entry, position = self._snapshot.locate(hit.node.node_id)
        is_beside = _folder(path) == _folder(self._path)
        uses = self._names.intersection(entry.node(position).references)
        return {
            "near_stem": float(
                _stem(path) == _stem(self._path) and (is_beside or _stem(path) not in _NAMELESS)
            ),
            "near_folder": float(is_beside),
            "near_import": float(is_linked),
            "near_name": float(bool(name) and name in self._used),
            "near_use": max((self._rarity(used) for used in uses), default=0.0),
            "near_edit": float(path in self._edited),
        }

    def _rarity(self, name: str) -> float:
        """Return one over the number of definitions of a name."""
        return 1.0 / max(1, len(self._snapshot.node_ids_named(name)))

    def _linked_paths(self, paths: Iterable[str]) -> frozenset[str]:
        """Return the paths that the focus imports, and that import it, as their names tell."""
        focus, files = self._entry, self._snapshot.files
        entries = [entry for path in {*paths} if (entry := files.get(path)) and entry is not focus]
        if focus is None:
            return frozenset()
        resolver = ImportResolver([focus.path, *(entry.path for entry in entries)])
        imported = _targets(resolver, focus)
        importers = (entry.path for entry in entries if focus.path in _targets(resolver, entry))
        return imported.union(importers)


def _targets(resolver: ImportResolver, entry: FileEntry) -> frozenset[str]:
    targets = (resolver.resolve(entry.path, module) for module in entry.imports)
    return frozenset(path for paths in targets for path in paths)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


@lru_cache(maxsize=4_096)
def _stem(path: str) -> str:
    """Return the name of a file without extensions, separators and what marks a test."""
    stem = path.rpartition("/")[2].partition(".")[0].lower()
    return re.sub("[_-]", "", _TEST_AFFIX.sub("", stem) or stem)


def _rescore(hit: Hit, values: Mapping[str, float], without: Collection[str]) -> Hit:
    near = {name: value for name, value in values.items() if value and name not in without}
    return with_reasons(hit, *(SignalValue(name, near[name], WEIGHTS[name]) for name in near))
