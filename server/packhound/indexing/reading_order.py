"""Order in which a pass reads files: near open documents first, and what a query asks for."""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath

from packhound.core.common_prefix import common_prefix_length
from packhound.files import read_bytes
from packhound.text import file_stem, fold_identifier, folder_facts, identifiers, is_test

_FAR = 3
"""Steps between folders from which on files are equally far."""
_LARGE_BYTES, _MAX_BYTES = 32 * 1024, 1_000_000
"""Files that are read late, and in which no name is looked for."""
_MAX_FILES = 32
"""Files that a query has read first: a second's work for a parser."""
_MAX_NAMES = 12
_SEEK_S = 2.0
"""Time to look for the names of a query in files that are not read yet."""
_DEFINITION = (
    rb"\b(?:class|const|def|defmodule|defp|enum|fn|fun|func|function|interface|let|macro_rules!|"
    rb"module|namespace|object|protocol|record|struct|sub|trait|type|typedef|union|val|var)[ \t]+"
    rb"(?:\([^()\n]{0,80}\)[ \t]*)?(?:[\w$]+[.:#]+)*(?:%s)\b"
)


class ReadingOrder:
    """Files that are not read yet. Two threads take them, any thread says which come first."""

    def __init__(self, root: Path, paths: Iterable[str], near: Collection[str] = ()) -> None:
        """Begin near the files `near`; what is as near begins with small sources."""
        self._root = root
        self._near = tuple(near)
        self._lock = threading.Lock()
        self._unread: OrderedDict[str, None] = OrderedDict.fromkeys(paths)
        self._first: deque[str] = deque()
        self._names: list[str] = []
        self._sought: set[str] = set()
        self._seeking = threading.Lock()

    def __iter__(self) -> Iterator[str]:
        """Take files, but those that are read first."""
        self._sort()
        while True:
            with self._lock:
                if not self._unread:
                    return
                path, _ = self._unread.popitem(last=False)
            yield path

    @property
    def has_first(self) -> bool:
        """Return True if there is a file to `take_first`."""
        return bool(self._first)

    def take_first(self) -> str | None:
        """Take a file that is read first; None where there is none."""
        return self._first.popleft() if self._first else None

    def add(self, path: str) -> None:
        """Add a file, before the first one is taken."""
        with self._lock:
            self._unread[path] = None

    def read_first(self, text: str, near: Collection[str] = ()) -> None:
        """Read first what is around `near`, or is or defines what a text names."""
        words = [word for word in dict.fromkeys(identifiers(text)) if len(word) > 2]
        with self._lock:
            names = [word for word in words if word not in self._sought][:_MAX_NAMES]
            self._sought.update(names)
            self._names += names
        with self._seeking:
            self._prefer_named(near)

    def _prefer_named(self, near: Collection[str]) -> None:
        """Prefer what is around `near`, and what is or defines a name; one thread at a time."""
        with self._lock:
            names, self._names = self._names[-_MAX_NAMES:], []
            unread = tuple(self._unread)
        if near:
            by_distance = sorted((_distance(path, near), path) for path in unread)
            self._prefer([path for n, path in by_distance[:_MAX_FILES] if n < _FAR])
        if names:
            stems = set(map(fold_identifier, names))
            is_named = (path for path in unread if file_stem(PurePosixPath(path).name) in stems)
            self._prefer([*islice(is_named, _MAX_FILES)])
            self._seek([name.encode() for name in names], unread)

    def _sort(self) -> None:
        keys = {path: self._key(path) for path in tuple(self._unread)}
        with self._lock:
            self._unread = OrderedDict.fromkeys(sorted(self._unread, key=lambda path: keys[path]))

    def _key(self, path: str) -> tuple[int, bool, bool, str, str]:
        try:
            is_large = (self._root / path).stat().st_size > _LARGE_BYTES
        except (OSError, ValueError):
            is_large = True
        folder, _, name = path.rpartition("/")
        is_aside = any(folder_facts(folder).flags[:3]) or is_test(path)
        # Neighbours share a grammar, so that not every process must load each of them.
        return _distance(path, self._near), is_aside, is_large, name.rpartition(".")[2], path

    def _prefer(self, paths: Iterable[str]) -> None:
        with self._lock:
            for path in paths:
                if path in self._unread:
                    del self._unread[path]
                    self._first.append(path)

    def _seek(self, names: Sequence[bytes], paths: Iterable[str]) -> None:
        """Prefer files that define a name, and after them those that have an unusual one."""
        definition = re.compile(_DEFINITION % b"|".join(map(re.escape, names)))
        unusual = [name for name in names if b"_" in name or not name[1:].islower()]
        n_defining, naming, until = 0, list[str](), time.monotonic() + _SEEK_S
        for path in paths:
            source = self._source(path)
            if any(name in source for name in names):
                if definition.search(source):
                    self._prefer([path])
                    n_defining += 1
                elif any(name in source for name in unusual):
                    naming.append(path)
            if n_defining >= _MAX_FILES or time.monotonic() > until:
                break
        self._prefer(naming[: _MAX_FILES - n_defining])

    def _source(self, path: str) -> bytes:
        try:
            file = read_bytes(self._root, path, _MAX_BYTES)
        except (OSError, ValueError):
            return b""
        return file[0] if file else b""


def _distance(path: str, near: Collection[str]) -> int:
    """Return the steps between the folders of a file and of the nearest other, `_FAR` at most."""
    folders = path.split("/")[:-1]
    return min((_steps(folders, other.split("/")[:-1]) for other in near), default=_FAR)


def _steps(folders: Sequence[str], others: Sequence[str]) -> int:
    return min(len(folders) + len(others) - 2 * common_prefix_length(folders, others), _FAR)
