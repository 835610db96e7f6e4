"""Definitions of a name in one family of languages, looked up by file and by folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TypeAlias

NodeIdTuple: TypeAlias = tuple[int, ...]

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

    def in_files(self, paths: Iterable[str]) -> NodeIdTuple:
        """Return the definitions in some files."""
        if self._node_ids.keys().isdisjoint(paths):
            return ()
        defining = sorted(self._node_ids.keys() & paths)
        return tuple(chain.from_iterable(self._node_ids[path] for path in defining))
