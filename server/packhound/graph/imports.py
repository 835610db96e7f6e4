"""What a file imports, resolved to files of the same root where their paths give it away.

Languages write imports as dotted modules, as paths or as namespaces. All are read as a list of
path components that some file or folder must end with; nothing is executed and no build file read.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable

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
_SEPARATORS = re.compile(r"[./\\:]+")

Components = tuple[str, ...]


class Importable:
    """The files of a root, by the components that an import of them could end with."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_stem: dict[Components, list[str]] = defaultdict(list)
        self._by_folder: dict[Components, list[str]] = defaultdict(list)
        self._components: dict[str, Components] = {}
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}
        for path in sorted(paths):
            self._add(path)

    def resolve(self, importer: str, module: str) -> tuple[str, ...]:
        """Files that `module`, as `importer` writes it, most likely means; none if unsure."""
        key = (posixpath.dirname(importer), module)
        if key not in self._known:
            self._known[key] = self._resolve(*key)
        return self._known[key]

    def _add(self, path: str) -> None:
        *folders, name = path.split("/")
        stem = name.split(".")[0]
        self._components[path] = own = (*folders, stem)
        ways = [(self._by_stem, own)]
        if folders:
            ways.append((self._by_folder, own[:-1]))
            if stem in _PACKAGE_STEMS:
                ways.append((self._by_stem, own[:-1]))
        for named, way in ways:
            # What an import of one component ends with, and one of several.
            for end in {way[-1:], way[-2:]}:
                named[end].append(path)

    def _resolve(self, folder: str, module: str) -> tuple[str, ...]:
        wanted, absolute = components(folder, module)
        for length in range(len(wanted), max(0, len(wanted) - 2), -1):
            found = self._ending_with(wanted[:length], absolute, folder)
            if found:
                return found
        return ()

    def _ending_with(
        self, wanted: Components, absolute: bool, importer_folder: str
    ) -> tuple[str, ...]:
        best: list[str] = []
        best_length = floor = 0
        # A folder stands for its files only where no file names it better.
        for named in (self._by_stem, self._by_folder):
            for path in named.get(wanted[-2:], ()):
                length = self._overlap(path, wanted)
                if length <= floor or not _enough(path, length, wanted, absolute, importer_folder):
                    continue
                if length > best_length:
                    best, best_length = [], length
                if length == best_length and path not in best:
                    best.append(path)
            floor = best_length
        return tuple(best) if len(best) <= _MAX_FILES else ()

    def _overlap(self, path: str, wanted: Components) -> int:
        """How many components at the end of `wanted` the path, or its folder, ends with too."""
        own = self._components[path]
        ways = [own, own[:-1]] if own[-1] != wanted[-1] or own[-1] in _PACKAGE_STEMS else [own]
        return max(_common_tail(way, wanted) for way in ways)


def components(folder: str, module: str) -> tuple[Components, bool]:
    """The path components that an import asks for, and whether they start at the root."""
    module = module.strip().strip("\"'<>`;").replace("\\", "/")
    if module.startswith(("./", "../")) or module in (".", ".."):
        joined = posixpath.normpath(posixpath.join(folder, _SUFFIX.sub("", module)))
        return tuple(part for part in joined.split("/") if part not in (".", "..")), True
    if module.startswith("."):
        level = len(module) - len(module.lstrip("."))
        base = folder.split("/") if folder else []
        base = base[: len(base) - (level - 1)] if level > 1 else base
        return (*base, *(part for part in module.split(".") if part)), True
    parts = [part for part in _SEPARATORS.split(_SUFFIX.sub("", module)) if part]
    while parts and parts[0] in _ANCHORS:
        parts.pop(0)
    return tuple(parts), False


def _common_tail(left: Components, right: Components) -> int:
    length = 0
    for mine, other in zip(reversed(left), reversed(right), strict=False):
        if mine != other:
            break
        length += 1
    return length


def _enough(path: str, length: int, wanted: Components, absolute: bool, folder: str) -> bool:
    if absolute:
        return length == len(wanted)
    return length >= min(2, len(wanted)) and (len(wanted) > 1 or _near(path, folder))


def _near(path: str, folder: str) -> bool:
    """One bare word means a neighbour or a top-level module, not any file of that name."""
    own = path.rpartition("/")[0]
    return own == folder or "/" not in own or own.rpartition("/")[0] == folder
