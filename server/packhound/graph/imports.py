"""Resolution of imports to files of the same root, as far as their paths tell.

Languages write imports as dotted modules, as paths or as namespaces. All are read as a list of
path components that some file or folder must end with; nothing is executed and no build file read.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable

from packhound.core.common_prefix import common_prefix_length
from packhound.graph.definitions import folder_of

_MAX_FILES = 40
"""A folder imported as a whole stands for at most this many files: then it says little."""

_PACKAGE_STEMS = frozenset({"__init__", "index", "mod", "lib", "main"})
"""File names that stand for the folder that they are in."""

_ANCHORS = frozenset({"crate", "self", "super", "@", "~", "src", "$lib"})
"""Components that name the root of the project instead of a folder."""

_SUFFIX = re.compile(
    r"\.(?:h|hh|hpp|hxx|c|cc|cpp|inl|js|jsx|mjs|cjs|ts|tsx|mts|cts|vue|svelte|py|pyi|rb|php|lua"
    r"|dart|zig|proto|css|scss|sh|bash)$"
)
_QUOTES = " \t\r\n\"'<>`;"
_SEPARATORS = re.compile(r"[./\\:]+")

Components = tuple[str, ...]


class ImportResolver:
    """Index of the files of a root by the path components that an import could end with."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_stem: dict[Components, list[str]] = defaultdict(list)
        self._by_folder: dict[Components, list[str]] = defaultdict(list)
        self._components: dict[str, Components] = {}
        self._resolved: dict[tuple[str, str], tuple[str, ...]] = {}
        self._crates: dict[str, Components] = {}
        for path in sorted(paths):
            self._add(path)

    def resolve(self, importer: str, module: str) -> tuple[str, ...]:
        """Return the files that `module`, as `importer` writes it, most likely means."""
        is_rust = importer.endswith(".rs")
        key = (importer if is_rust else posixpath.dirname(importer), module)
        if key not in self._resolved:
            paths = self._resolve_in_crate(*key) if is_rust else ()
            paths = paths or self._resolve(posixpath.dirname(importer), module)
            suffix = _SUFFIX.search(module.strip(_QUOTES))
            exact = tuple(path for path in paths if suffix and path.endswith(suffix[0]))
            self._resolved[key] = exact or paths
        return self._resolved[key]

    def _add(self, path: str) -> None:
        *folders, name = path.split("/")
        stem = name.split(".")[0]
        self._components[path] = parts = (*folders, stem)
        if path.endswith("/src/lib.rs"):
            self._crates[folders[-2].replace("-", "_")] = tuple(folders)
        entries = [(self._by_stem, parts)]
        if folders:
            entries.append((self._by_folder, parts[:-1]))
            if stem in _PACKAGE_STEMS:
                entries.append((self._by_stem, parts[:-1]))
        for paths_by_tail, names in entries:
            # An import of one component has the shorter tail, one of several the longer.
            for tail in {names[-1:], names[-2:]}:
                paths_by_tail[tail].append(path)

    def _resolve(self, folder: str, module: str) -> tuple[str, ...]:
        return self._longest(*components(folder, module), folder)

    def _resolve_in_crate(self, importer: str, module: str) -> tuple[str, ...]:
        """Return the files that a path of Rust means, by the rules of its modules."""
        folder, _, name = importer.rpartition("/")
        stem, (first, *rest) = name.removesuffix(".rs"), module.split("::")
        base = [*folder.split("/"), *[stem] * (stem not in _PACKAGE_STEMS)]
        while first == "super" and base:
            base.pop()
            first, *rest = rest or [""]
        if first == "crate":
            base = crate_of(folder).split("/")
        elif first in self._crates:
            base = [*self._crates[first]]
        elif first not in ("self", ""):
            rest = [first, *rest]
        return self._longest((*base, *rest), True, folder)

    def _longest(self, target: Components, absolute: bool, folder: str) -> tuple[str, ...]:
        for length in range(len(target), max(0, len(target) - 2), -1):
            matches = self._paths_ending_with(target[:length], absolute, folder)
            if matches:
                return matches
        return ()

    def _paths_ending_with(
        self, target: Components, absolute: bool, importer_folder: str
    ) -> tuple[str, ...]:
        best: list[str] = []
        best_length = floor = 0
        # A folder stands for its files only where no file names it better.
        for paths_by_tail in (self._by_stem, self._by_folder):
            for path in paths_by_tail.get(target[-2:], ()):
                length, parts = self._overlap(path, target), self._components[path]
                is_meant = (
                    target in (parts, parts[:-1])
                    if absolute
                    else _is_long_enough(path, length, target, importer_folder)
                )
                if length <= floor or not is_meant:
                    continue
                if length > best_length:
                    best, best_length = [], length
                if length == best_length and path not in best:
                    best.append(path)
            floor = best_length
        return tuple(best) if len(best) <= _MAX_FILES else ()

    def _overlap(self, path: str, target: Components) -> int:
        """Return how many components the path, or its folder, and `target` end with alike."""
        parts = self._components[path]
        length = common_prefix_length(reversed(parts), reversed(target))
        if parts[-1] != target[-1] or parts[-1] in _PACKAGE_STEMS:
            return max(length, common_prefix_length(reversed(parts[:-1]), reversed(target)))
        return length


def components(folder: str, module: str) -> tuple[Components, bool]:
    """Return the path components of an import, and True if they start at the root."""
    module = module.strip(_QUOTES).replace("\\", "/")
    if module.startswith(("./", "../")) or module in (".", ".."):
        path = posixpath.normpath(posixpath.join(folder, _SUFFIX.sub("", module)))
        return tuple(part for part in path.split("/") if part not in (".", "..")), True
    if module.startswith("."):
        level = len(module) - len(module.lstrip("."))
        base = folder.split("/") if folder else []
        base = base[: len(base) - (level - 1)] if level > 1 else base
        return (*base, *(part for part in module.split(".") if part)), True
    parts = [part for part in _SEPARATORS.split(_SUFFIX.sub("", module)) if part]
    while parts and parts[0] in _ANCHORS:
        parts.pop(0)
    return tuple(parts), False


def crate_of(folder: str) -> str:
    """Return the folder of the sources of the crate of Rust that a folder is in, "" for none."""
    return (f"/{folder}/".rpartition("/src/")[0] + "/src")[1:] if "src" in folder.split("/") else ""


def _is_long_enough(path: str, length: int, target: Components, folder: str) -> bool:
    return length >= min(2, len(target)) and (len(target) > 1 or _is_near(path, folder))


def _is_near(path: str, folder: str) -> bool:
    """Return True for a neighbour or a top-level module: all that one bare word can mean."""
    parent = folder_of(path)
    top = parent.removeprefix("src/").removeprefix("lib/")
    return parent == folder or "/" not in top or folder_of(parent) == folder
