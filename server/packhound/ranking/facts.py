"""What a file's place and size say about it before any query is known.

One `Facts` belongs to one index and follows it from snapshot to snapshot: an edit costs the facts
of the edited file only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import compress
from operator import is_not
from posixpath import splitext
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from packhound.index.entries import FileEntry
from packhound.index.names import NameTable
from packhound.index.snapshot import Snapshot
from packhound.ranking.kin import roots_of
from packhound.ranking.matches import INSIDE, MatchCache
from packhound.text.tokens import folded, terms

Floats = NDArray[np.float32]

_TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|test_?helpers?|testdata|test-?utils?|e2e|[a-z]+[-_]tests?"
    r"|(common|jvm|js|native|unit|integration)_?tests?)/"
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
_PROSE = frozenset({"markdown", "rst", "text"})
_PROSE_SUFFIXES = frozenset({".md", ".rst", ".txt", ".adoc", ".mdx", ".org", ".tex", ".html"})
_SETTING_SUFFIXES = frozenset(
    {".json", ".yml", ".yaml", ".toml", ".cfg", ".ini", ".xml", ".lock", ".properties", ".csproj"}
    | {".gradle", ".kts", ".sbt", ".cmake", ".mk", ".css", ".scss", ".svg", ".csv", ".sln", ".conf"}
)
_HEADER_SUFFIXES = frozenset({".h", ".hpp", ".hh", ".hxx", ".d.ts", ".mli", ".pyi", ".hrl"})


FLAGS = (
    *("is_test", "is_example", "is_stale", "is_internal"),
    *("is_prose", "is_setting", "is_header"),
)
"""The yes-or-no facts of a file."""


@dataclass(slots=True, eq=False)
class FileFacts:
    """What one file's path says: the words of its stem and folders, and where it belongs."""

    entry: FileEntry
    stem: str
    stem_words: frozenset[str]
    stem_roots: frozenset[str]
    folder_words: frozenset[str]
    path_roots: frozenset[str]
    depth: int
    is_test: bool
    is_example: bool
    is_stale: bool
    is_internal: bool
    is_prose: bool
    is_setting: bool
    is_header: bool
    _centroid_length: float | None = None

    def centroid_length(self, snapshot: Snapshot) -> float:
        """Length of the sum of the file's vectors: what makes a sum of cosines one cosine."""
        if self._centroid_length is not None:
            return self._centroid_length
        labels = self.entry.labels
        length = float(np.linalg.norm(snapshot.vectors.rows(labels).sum(axis=0)))
        if snapshot.has_vector[labels].all():
            self._centroid_length = length
        return length


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The facts of all files of one snapshot; arrays have one row per file id.

    `n_terms` counts the terms inside each file, `flags` has a row per name in `FLAGS`, `depth` is
    counted from the shallowest file, `plain` says that a file is neither test nor example.
    """

    generation: int
    entries: tuple[FileEntry, ...]
    files: list[FileFacts | None]
    n_nodes: Floats
    n_terms: NDArray[np.float64]
    depth: Floats
    flags: Floats
    plain: NDArray[np.bool_]
    stems: Counter[str]
    matches: MatchCache


class Facts:
    """The facts of one index, brought up to date by the first search of a generation."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._corpus: Corpus | None = None

    def at(self, snapshot: Snapshot) -> Corpus:
        """The facts of this snapshot."""
        known = self._corpus
        if known is None or known.generation != snapshot.generation:
            with self._lock:
                known = _corpus(snapshot, self._corpus)
                self._corpus = known
        return known


_OF_INDEX: WeakKeyDictionary[NameTable, Facts] = WeakKeyDictionary()


def facts_of(snapshot: Snapshot) -> Corpus:
    """The facts of a snapshot; the name table that its index shares with all its snapshots keeps
    those of unchanged files."""
    facts = _OF_INDEX.get(snapshot.name_table)
    if facts is None:
        facts = _OF_INDEX.setdefault(snapshot.name_table, Facts())
    return facts.at(snapshot)


_FEW = 200
"""Changed files whose facts are mended one by one; after more, all arrays are made anew."""


def _corpus(snapshot: Snapshot, before: Corpus | None) -> Corpus:
    entries = tuple(snapshot.files.values())
    # A file that came and went between two searches leaves nothing but its id.
    same_ids = before and len(before.files) == snapshot.n_file_ids
    if before and same_ids and len(entries) == len(before.entries):
        changed = [*compress(entries, map(is_not, entries, before.entries))]
        known = before.files
        # As many files as before, and all of them known: no path came or went.
        edited = len(changed) <= _FEW and all(known[entry.file_id] for entry in changed)
        if edited:
            return _edited(snapshot, before, entries, changed)
    return _gathered(snapshot, before, entries)


def _edited(
    snapshot: Snapshot,
    before: Corpus,
    entries: tuple[FileEntry, ...],
    changed: Iterable[FileEntry],
) -> Corpus:
    """The facts after edits that neither made nor removed a file."""
    files = before.files.copy()
    n_nodes, n_terms = before.n_nodes.copy(), before.n_terms.copy()
    for entry in changed:
        at = entry.file_id
        files[at] = _facts(entry, before.files[at])
        n_nodes[at], n_terms[at] = len(entry.labels), _n_terms(snapshot, entry)
    return replace(
        before,
        generation=snapshot.generation,
        entries=entries,
        files=files,
        n_nodes=n_nodes,
        n_terms=n_terms,
        matches=MatchCache(),
    )


def _gathered(snapshot: Snapshot, before: Corpus | None, entries: tuple[FileEntry, ...]) -> Corpus:
    n = snapshot.n_file_ids
    files: list[FileFacts | None] = [None] * n
    known = [*before.files, *files[len(before.files) :]] if before else files.copy()
    for entry in entries:
        old = known[entry.file_id]
        current = old is not None and old.entry is entry
        files[entry.file_id] = old if current else _facts(entry, old)
    live = [file for file in files if file is not None]
    ids = [file.entry.file_id for file in live]
    flags = np.zeros((len(FLAGS), n), np.float32)
    flags[:, ids] = np.array([[getattr(file, flag) for file in live] for flag in FLAGS])
    depth = np.zeros(n, np.float32)
    depths = [file.depth for file in live]
    depth[ids] = np.array(depths) - min(depths, default=0)
    plain = np.zeros(n, np.bool_)
    plain[ids] = [not (file.is_test or file.is_example) for file in live]
    return Corpus(
        generation=snapshot.generation,
        entries=entries,
        files=files,
        n_nodes=np.bincount(snapshot.file_of[snapshot.live], minlength=n).astype(np.float32),
        n_terms=_all_n_terms(snapshot),
        depth=depth,
        flags=flags,
        plain=plain,
        stems=Counter(file.stem for file in live),
        matches=MatchCache(),
    )


def _n_terms(snapshot: Snapshot, entry: FileEntry) -> int:
    return sum(int(snapshot.lengths[field][entry.labels].sum()) for field in INSIDE)


def _all_n_terms(snapshot: Snapshot) -> NDArray[np.float64]:
    counted = np.zeros(snapshot.n_labels, np.int64)
    for field in INSIDE:
        counted += snapshot.lengths[field]
    alive = (counted * snapshot.live).astype(np.float64)
    return np.asarray(np.bincount(snapshot.file_of, alive, snapshot.n_file_ids), np.float64)


def is_test(path: str) -> bool:
    """Whether a path is that of tests."""
    return bool(_TEST.search(path))


def _facts(entry: FileEntry, known: FileFacts | None) -> FileFacts:
    if known is not None and known.entry.path == entry.path:
        return _with_entry(known, entry)
    path = entry.path
    parent, _, name = path.rpartition("/")
    folder = _folder_facts(parent)
    stem = name.split(".", 1)[0] if not name.startswith(".") else name
    suffix = ".d.ts" if name.endswith(".d.ts") else splitext(name)[1].lower()
    stem_words = frozenset(terms(stem))
    stem_roots = _part_roots(stem_words)
    return FileFacts(
        entry=entry,
        stem=folded(stem.replace("-", "_")),
        stem_words=stem_words,
        stem_roots=stem_roots,
        folder_words=folder.words,
        path_roots=stem_roots | folder.roots,
        depth=path.count("/"),
        is_test=folder.is_test or bool(_TEST.search(name)),
        is_example=folder.is_example or bool(_EXAMPLE.search(name)),
        is_stale=folder.is_stale or bool(_STALE.search(name)),
        is_internal=folder.is_internal or bool(_INTERNAL.search(name)),
        is_prose=entry.language in _PROSE or suffix in _PROSE_SUFFIXES or not suffix,
        is_setting=suffix in _SETTING_SUFFIXES,
        is_header=suffix in _HEADER_SUFFIXES,
    )


@dataclass(frozen=True, slots=True)
class _FolderFacts:
    """What the path of a folder says of all its files."""

    words: frozenset[str]
    roots: frozenset[str]
    is_test: bool
    is_example: bool
    is_stale: bool
    is_internal: bool


@lru_cache(maxsize=4_096)
def _folder_facts(path: str) -> _FolderFacts:
    words = frozenset(terms(path.replace("/", " ")))
    found = [
        bool(p.search(f"{path}/")) if path else False for p in (_TEST, _EXAMPLE, _STALE, _INTERNAL)
    ]
    return _FolderFacts(words, _part_roots(words), *found)


def _part_roots(words: Iterable[str]) -> frozenset[str]:
    """Families of the parts of names; whole names of several parts are no family."""
    return roots_of(word for word in words if not _is_joined(word, words))


def _is_joined(word: str, words: Iterable[str]) -> bool:
    return any(part != word and word.startswith(part) for part in words)


def _with_entry(known: FileFacts, entry: FileEntry) -> FileFacts:
    return replace(known, entry=entry, _centroid_length=None)
