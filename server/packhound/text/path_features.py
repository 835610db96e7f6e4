"""Features of a path alone: its words, and flags such as test, example or header."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from posixpath import splitext

from packhound.text.conflation import aggressive_stems
from packhound.text.tokenizer import fold_identifier, terms
from packhound.text.tokenizer import stem as stem_word

PATHS_VERSION = 4
"""Part of every saved index's identity: a change of what a path says changes this number.

1  first version
2  folders such as `t`, `Tests`, `AppTests` and `App.Tests` hold tests
3  parts of names by families of words
4  a file of Go is a test by `_test.go` or its folder alone
"""

_TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|test_?helpers?|testdata|test-?utils?|e2e|[a-z]+[-_]tests?"
    r"|(common|jvm|js|native|unit|integration)_?tests?|[\w.]*(Tests?|Specs))/|^t/"
    r"|(^|/)(test|spec)_(?!.*\.go$)[^/]*$|(^|/)conftest\.py$|_test\.go$"
    r"|[._-](test|tests|spec|specs|unittest)\.(?!(.*\.)?go$)[^/]*$"
    r"|[a-z](Test|Tests|Spec|IT|Suite)\.(?!go$)\w+$",
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
_GRAB_BAG = aggressive_stems(
    map(stem_word, ("util", "utils", "helper", "helpers", "common", "misc", "support"))
)

FLAGS = (
    *("is_test", "is_example", "is_stale", "is_internal"),
    *("is_prose", "is_setting", "is_header", "is_entry", "is_grab_bag"),
)
"""The boolean features of a path."""


@dataclass(frozen=True, slots=True)
class PathFacts:
    """Features of a file's name, and `flags`, one for each name in `FLAGS`.

    `stem` is the name up to its first dot, folded as identifiers are. `words` are the terms of the
    stem, `stem_groups` those of its parts.
    """

    stem: str
    words: frozenset[str]
    stem_groups: frozenset[str]
    flags: tuple[bool, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class FolderFacts:
    """Features of a folder that all its files share; `flags` are the first four of `FLAGS`."""

    words: frozenset[str]
    stem_groups: frozenset[str]
    flags: tuple[bool, ...]


def path_facts(path: str) -> PathFacts:
    """Return the features of a file's path, relative to the root."""
    parent, _, name = path.rpartition("/")
    suffix = ".d.ts" if name.endswith(".d.ts") else splitext(name)[1].lower()
    words = stem_words(name)
    stem_groups = _part_stem_groups(words)
    stem = file_stem(name)
    above = folder_facts(parent).flags
    flags = (
        *(
            inside or bool(p.search(name))
            for inside, p in zip(above, _FOLDER_PATTERNS, strict=True)
        ),
        suffix in _PROSE_SUFFIXES or not suffix,
        suffix in _SETTING_SUFFIXES,
        suffix in _HEADER_SUFFIXES,
        stem in _ENTRY,
        not stem_groups.isdisjoint(_GRAB_BAG),
    )
    return PathFacts(stem, words, stem_groups, flags, path.count("/"))


def stem_words(name: str) -> frozenset[str]:
    """Return the terms of the stem of a file name, as in `PathFacts`."""
    return frozenset(terms(_before_first_dot(name)))


def file_stem(name: str) -> str:
    """Return the stem of a file name, as in `PathFacts`."""
    return fold_identifier(_before_first_dot(name).replace("-", "_"))


@lru_cache(maxsize=4_096)
def folder_facts(path: str) -> FolderFacts:
    """Return the features of a folder's path, "" for the root."""
    words = frozenset(terms(path.replace("/", " ")))
    flags = tuple(bool(path and p.search(f"{path}/")) for p in _FOLDER_PATTERNS)
    return FolderFacts(words, _part_stem_groups(words), flags)


def is_test(path: str) -> bool:
    """Return True if a path is that of tests."""
    return bool(_TEST.search(path))


def _before_first_dot(name: str) -> str:
    return name if name.startswith(".") else name.split(".", 1)[0]


_FOLDER_PATTERNS = (_TEST, _EXAMPLE, _STALE, _INTERNAL)


def _part_stem_groups(words: Iterable[str]) -> frozenset[str]:
    """Return the stem groups of words, left out those joined from several parts."""
    return aggressive_stems(word for word in words if not _is_joined(word, words))


def _is_joined(word: str, words: Iterable[str]) -> bool:
    return any(part != word and word.startswith(part) for part in words)
