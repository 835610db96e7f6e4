"""Definitions of a name in one family of languages, looked up by file and by folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

from packhound.text import is_test

NodeIdTuple: TypeAlias = tuple[int, ...]
Resolution: TypeAlias = tuple[NodeIdTuple, float]
"""The definitions that a name means in a file, and the weight of an edge to each."""
UNRESOLVED: Resolution = ((), 0.0)

_MAX_ELSEWHERE = 3
"""A name with more definitions outside of every scope stays unresolved."""
_MAX_IN_SCOPE = 30
"""A name with more definitions within one scope is a convention (`init`), not a reference."""
FILE_WEIGHT, _IMPORT_WEIGHT, _FOLDER_WEIGHT, ELSEWHERE_WEIGHT = 1.0, 0.9, 0.7, 0.4

_LANGUAGE_FAMILIES = {
    **dict.fromkeys(("javascript", "typescript", "tsx", "jsx", "vue", "svelte"), "javascript"),
    **dict.fromkeys(("c", "cpp", "objc", "cuda"), "c"),
    **dict.fromkeys(("java", "kotlin", "scala", "groovy"), "jvm"),
}


def language_family(language: str) -> str:
    """Return the family of a language: files of one family refer to each other."""
    return _LANGUAGE_FAMILIES.get(language, language)


def folder_of(path: str) -> str:
    """Return the folder of a file, "" for the root."""
    return path.rpartition("/")[0]


class Definitions:
    """Node ids of the definitions of one name, in the files of one language family."""

    def __init__(self, node_ids: Mapping[str, NodeIdTuple]) -> None:
        """`node_ids` is in the order of the paths."""
        self._node_ids = node_ids
        self.all: NodeIdTuple = tuple(chain.from_iterable(node_ids.values()))
        by_folder: dict[str, list[int]] = defaultdict(list)
        for path, ids in node_ids.items():
            by_folder[folder_of(path)] += ids
        self.by_folder = {folder: tuple(ids) for folder, ids in by_folder.items()}
        self._in_tests = frozenset(
            node_id for path, ids in node_ids.items() if is_test(path) for node_id in ids
        )

    def for_user(self, in_test: bool, folder: str | None = None) -> NodeIdTuple:
        """Return all definitions, or those of a folder, that a test or source can mean."""
        node_ids = self.all if folder is None else self.by_folder.get(folder, ())
        if in_test or not self._in_tests:
            return node_ids
        return tuple([node_id for node_id in node_ids if node_id not in self._in_tests])

    def in_files(self, paths: Iterable[str]) -> NodeIdTuple:
        """Return the definitions in some files."""
        if self._node_ids.keys().isdisjoint(paths):
            return ()
        defining = sorted(self._node_ids.keys() & paths)
        return tuple(chain.from_iterable(self._node_ids[path] for path in defining))


@dataclass(slots=True, eq=False)
class ResolvedName:
    """Cached answers about one name: by language family, and by path."""

    definitions: dict[str, Definitions] = field(default_factory=dict)
    resolutions: dict[str, Resolution] = field(default_factory=dict)


def resolve_in_scopes(
    definitions: Definitions, path: str, in_test: bool, imported: Iterable[str]
) -> Resolution:
    """Return what a name means in a file that does not define it but imports some files."""
    if not definitions.all:
        return UNRESOLVED
    scopes = (
        (definitions.in_files(imported), _IMPORT_WEIGHT, _MAX_IN_SCOPE),
        (definitions.for_user(in_test, folder_of(path)), _FOLDER_WEIGHT, _MAX_IN_SCOPE),
        (definitions.for_user(in_test), ELSEWHERE_WEIGHT, _MAX_ELSEWHERE),
    )
    for node_ids, weight, max_nodes in scopes:
        if 0 < len(node_ids) <= max_nodes:
            return node_ids, weight / len(node_ids)
    return UNRESOLVED
