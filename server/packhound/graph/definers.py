"""Who defines a name, as the files of one family of languages see it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

NodeIdTuple: TypeAlias = tuple[int, ...]

_FAMILIES = {
    **dict.fromkeys(("javascript", "typescript", "tsx", "jsx", "vue", "svelte"), "javascript"),
    **dict.fromkeys(("c", "cpp", "objc", "cuda"), "c"),
    **dict.fromkeys(("java", "kotlin", "scala", "groovy"), "jvm"),
}


def family_of(language: str) -> str:
    """Languages whose files refer to each other are one."""
    return _FAMILIES.get(language, language)


def folder_of(path: str) -> str:
    """The folder of a file, "" for the root."""
    return path.rpartition("/")[0]


class Definers:
    """The files of one family of languages that define a name."""

    def __init__(self, node_ids: Mapping[str, NodeIdTuple]) -> None:
        """`node_ids` is in the order of the paths."""
        self._node_ids = node_ids
        self.all: NodeIdTuple = tuple(node_id for found in node_ids.values() for node_id in found)
        by_folder: dict[str, list[int]] = defaultdict(list)
        for path, found in node_ids.items():
            by_folder[folder_of(path)] += found
        self.by_folder = {folder: tuple(found) for folder, found in by_folder.items()}

    def among(self, paths: Iterable[str]) -> NodeIdTuple:
        """The definitions in some files."""
        if self._node_ids.keys().isdisjoint(paths):
            return ()
        here = sorted(self._node_ids.keys() & paths)
        return tuple(node_id for path in here for node_id in self._node_ids[path])
