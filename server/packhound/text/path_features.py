"""What a path says of its file before anything is read: its words, and where it belongs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from posixpath import splitext

from packhound.text.conflation import roots_of
from packhound.text.tokenizer import folded, stem, terms

PATHS_VERSION = 2
"""Part of every saved index's identity: a change of what a path says changes this number.

1  first version
2  folders such as `t`, `Tests`, `AppTests` and `App.Tests` hold tests
"""

_TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|test_?helpers?|testdata|test-?utils?|e2e|[a-z]+[-_]tests?"
    r"|(common|jvm|js|native|unit|integration)_?tests?|[\w.]*(Tests?|Specs))/|^t/"
    r"|(^|/)(test|spec)_[^/]*$|(^|/)conftest\.py$"
    r"|[._-](test|tests|spec|specs|unittest)\.[^/]*$|[a-z](Test|Tests|Spec|IT|Suite)\.\w+$",
)
_EXAMPLE = re.compile(
    r"(^|/)_?(examples?|samples?|demos?|docs?|docs_src|documentation|tutorials?|benchmarks?|bench"
    r"|perf|fixtures?|playgrounds?|website|snippets|stubs?)/"
    r"|(^|[/_.-])(bench|benchmarks?|example|mock|mocks|fake)\.\w+$",
    re.IGNORECASE,
)
_STALE = re.compile(
    r"(^|/)(vendor|vendored|third[-_]?party|node_modules|deps|external|legacy|deprecated|compat"
    r"|generated|gen|dist|build|migrations|scripts?|tools?|hack|ci)/"
    r"|[._-](gen|generated|pb|min|d)\.\w+$|_pb2\.pyi?$",
    re.IGNORECASE,
)
_INTERNAL = re.compile(
    r"(^|/)(_?internals?|impl|details?|private|_[a-z]\w*)(/|\.|_)", re.IGNORECASE
)
_PROSE_SUFFIXES = frozenset({".md", ".rst", ".txt", ".adoc", ".mdx", ".org", ".tex", ".html"})
_SETTING_SUFFIXES = frozenset(
    {".json", ".yml", ".yaml", ".toml", ".cfg", ".ini", ".xml", ".lock", ".properties", ".csproj"}
    | {".gradle", ".kts", ".sbt", ".cmake", ".mk", ".css", ".scss", ".svg", ".csv", ".sln", ".conf"}
)
_HEADER_SUFFIXES = frozenset({".h", ".hpp", ".hh", ".hxx", ".d.ts", ".mli", ".pyi", ".hrl"})
_ENTRY = frozenset({"index", "mod", "init", "main", "lib", "package", "exports", "doc"})
_GRAB = roots_of(map(stem, ("util", "utils", "helper", "helpers", "common", "misc", "support")))

FLAGS = (
    *("is_test", "is_example", "is_stale", "is_internal"),
    *("is_prose", "is_setting", "is_header", "is_entry", "is_grab_bag"),
)
"""The yes-or-no facts of a path."""


@dataclass(frozen=True, slots=True)
class PathFacts:
    """What the last part of one path says, and `flags`, one for each name in `FLAGS`.

    `stem` is the name without its endings, folded as identifiers are. `words` are the terms of
    the stem, `roots` their families.
    """

    stem: str
    words: frozenset[str]
    roots: frozenset[str]
    flags: tuple[bool, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class FolderFacts:
    """What the path of a folder says of all its files; `flags` are the first four of `FLAGS`."""

    words: frozenset[str]
    roots: frozenset[str]
    flags: tuple[bool, ...]


def path_facts(path: str) -> PathFacts:
    """Read one path of a file, relative to the folder that is searched."""
    parent, _, name = path.rpartition("/")
    bare = _bare(name)
    suffix = ".d.ts" if name.endswith(".d.ts") else splitext(name)[1].lower()
    words = frozenset(terms(bare))
    roots = _part_roots(words)
    whole = stem_of(name)
    above = folder_facts(parent).flags
    flags = (
        *(inside or bool(p.search(name)) for inside, p in zip(above, _PLACES, strict=True)),
        suffix in _PROSE_SUFFIXES or not suffix,
        suffix in _SETTING_SUFFIXES,
        suffix in _HEADER_SUFFIXES,
        whole in _ENTRY,
        not roots.isdisjoint(_GRAB),
    )
    return PathFacts(whole, words, roots, flags, path.count("/"))


def stem_of(name: str) -> str:
    """The stem of the name of a file, as in `PathFacts`."""
    return folded(_bare(name).replace("-", "_"))


@lru_cache(maxsize=4_096)
def folder_facts(path: str) -> FolderFacts:
    """Read the path of a folder, "" for the one that is searched."""
    words = frozenset(terms(path.replace("/", " ")))
    flags = tuple(bool(path and p.search(f"{path}/")) for p in _PLACES)
    return FolderFacts(words, _part_roots(words), flags)


def is_test(path: str) -> bool:
    """Whether a path is that of tests."""
    return bool(_TEST.search(path))


def _bare(name: str) -> str:
    return name if name.startswith(".") else name.split(".", 1)[0]


_PLACES = (_TEST, _EXAMPLE, _STALE, _INTERNAL)


def _part_roots(words: Iterable[str]) -> frozenset[str]:
    """Families of the parts of names; whole names of several parts are no family."""
    return roots_of(word for word in words if not _is_joined(word, words))


def _is_joined(word: str, words: Iterable[str]) -> bool:
    return any(part != word and word.startswith(part) for part in words)
