"""What a file's place and size say about it before any query is known.

One `Facts` belongs to one index and follows it from snapshot to snapshot: an edit costs the facts
of the edited file only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from packhound.index.entries import FileEntry
from packhound.index.names import NameTable
from packhound.index.snapshot import Snapshot
from packhound.ranking.kin import roots_of
from packhound.text.tokens import folded, terms
from packhound.types import FIELDS

Floats = NDArray[np.float32]
BODY = FIELDS.index("body")

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


@dataclass(slots=True, eq=False)
class FileFacts:
    """What one file's path says: the words of its stem and folders, and where it belongs."""

    entry: FileEntry
    stem: str
    stem_words: frozenset[str]
    stem_roots: frozenset[str]
    folder_words: frozenset[str]
    folder_roots: frozenset[str]
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
        rows = [snapshot.vector(label) for label in labels.tolist()]
        length = float(np.linalg.norm(np.sum(rows, axis=0)))
        if snapshot.has_vector[labels].all():
            self._centroid_length = length
        return length


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The facts of all files of one snapshot; arrays have one row per file id."""

    generation: int
    files: list[FileFacts | None]
    n_nodes: Floats
    size: Floats
    depth: Floats
    plain: NDArray[np.bool_]
    stems: Counter[str]
    min_depth: int


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
                known = _corpus(snapshot, self._corpus.files if self._corpus else [])
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


def _corpus(snapshot: Snapshot, before: list[FileFacts | None]) -> Corpus:
    files: list[FileFacts | None] = [None] * snapshot.n_file_ids
    for entry in snapshot.files.values():
        file_id = entry.file_id
        known = before[file_id] if file_id < len(before) else None
        if known is None or known.entry is not entry:
            known = _facts(entry, known)
        files[file_id] = known
    live = [file for file in files if file is not None]
    min_depth = min((file.depth for file in live), default=0)
    n_labels = np.bincount(snapshot.file_of[snapshot.live], minlength=snapshot.n_file_ids)
    depth = [file.depth - min_depth if file else 0 for file in files]
    plain = [file is not None and not (file.is_test or file.is_example) for file in files]
    return Corpus(
        generation=snapshot.generation,
        files=files,
        n_nodes=n_labels.astype(np.float32),
        size=snapshot.file_lengths((BODY,)).astype(np.float32),
        depth=np.array(depth, np.float32),
        plain=np.array(plain, np.bool_),
        stems=Counter(file.stem for file in live),
        min_depth=min_depth,
    )


def _facts(entry: FileEntry, known: FileFacts | None) -> FileFacts:
    if known is not None and known.entry.path == entry.path:
        return _with_entry(known, entry)
    path = entry.path
    pure = PurePosixPath(path)
    stem = pure.name.split(".", 1)[0] if not pure.name.startswith(".") else pure.name
    suffix = ".d.ts" if path.endswith(".d.ts") else pure.suffix.lower()
    stem_words = frozenset(terms(stem))
    folder_words = frozenset(terms(" ".join(pure.parts[:-1])))
    return FileFacts(
        entry=entry,
        stem=folded(stem.replace("-", "_")),
        stem_words=stem_words,
        stem_roots=_part_roots(stem_words),
        folder_words=folder_words,
        folder_roots=_part_roots(folder_words),
        depth=path.count("/"),
        is_test=bool(_TEST.search(path)),
        is_example=bool(_EXAMPLE.search(path)),
        is_stale=bool(_STALE.search(path)),
        is_internal=bool(_INTERNAL.search(path)),
        is_prose=entry.language in _PROSE or suffix in _PROSE_SUFFIXES or not suffix,
        is_setting=suffix in _SETTING_SUFFIXES,
        is_header=suffix in _HEADER_SUFFIXES,
    )


def _part_roots(words: Iterable[str]) -> frozenset[str]:
    """Families of the parts of names; whole names of several parts are no family."""
    return roots_of(word for word in words if not _is_joined(word, words))


def _is_joined(word: str, words: Iterable[str]) -> bool:
    return any(part != word and word.startswith(part) for part in words)


def _with_entry(known: FileFacts, entry: FileEntry) -> FileFacts:
    return replace(known, entry=entry, _centroid_length=None)
