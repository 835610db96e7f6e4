"""Order in which a pass reads files: near open documents first, and what a query asks for.

A name of a query is looked for as bytes in the files that are not read yet: those that define it
come first, then those whose lines look like its definition, then those that have it at all.
"""

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
"""Files that are read late, and those that are read last: in these no name is looked for."""
_MAX_FILES = 32
"""Files that a query has read first: a second's work for a parser."""
_MAX_NAMES = 12
_SEEK_S = 5.0
"""Time to look for the names of a query in files that are not read yet."""
_DEFINITION = (
    rb"\b(?:class|const|data|define|def|defmacro|defmodule|defp|enum|fn|fun|func|function|"
    rb"interface|let|macro_rules!|mod|module|namespace|newtype|object|protocol|record|struct|sub|"
    rb"trait|type|typedef|union|val|var)[ \t]+"
    rb"(?:\([^()\n]{0,80}\)[ \t]*)?(?:[\w$]+[.:#]+)*(?:%s)\b"
)
_LIKE_DEFINITION = (
    rb"[ \t]*(?!(?:await|case|else|in|new|not|return|throw|yield)\b)"
    rb"(?:[\w:<>,*&?.@$\[\]]+[ \t]+)*[*&]*(?:[\w$]+(?:[.:]+))*(?:%s)[ \t]*"
    rb"(?::=|::|=(?![=~])|:[^=\n]{1,60}=(?!=)"
    rb"|\((?:[^;\n]*(?:\)[^;\n)]*(?:\n[ \t]*)?\{|,))?[ \t\r]*(?:\n|$))"
)
"""Such as `char *dump(int n) {`, `dump(int n,`, `dump(`, `dump: Type = ` or `dump :: Type`."""
_BEFORE, _LENGTH = 200, 400
"""Bytes before a name, and from there on, that say if it is defined there."""
_DEFINES = 2
_MAX_PLACES = 100
"""Places of names in one file that are looked at."""


class ReadingOrder:
    """Files that are not read yet. Two threads take them, any thread says which come first."""

    def __init__(self, root: Path, paths: Iterable[str], near: Collection[str] = ()) -> None:
        """Begin near the files `near`; what is as near begins with small sources."""
        self._root = root
        self._near = tuple(near)
        self._lock = threading.Lock()
        self._unread: OrderedDict[str, None] = OrderedDict.fromkeys(paths)
        self._last = frozenset[str]()
        self._first, self._next = deque[str](), deque[str]()
        self._taken, self._parsed, self._awaited = set[str](), set[str](), set[str]()
        self._asked: list[tuple[Sequence[str], Collection[str]]] = []
        self._sought: set[str] = set()
        self._seeking = threading.Lock()

    def __iter__(self) -> Iterator[str]:
        """Take files, but those that are asked for."""
        self._sort()
        while True:
            with self._lock:
                if not self._unread:
                    return
                path, _ = self._unread.popitem(last=False)
                self._taken.add(path)
            yield path

    @property
    def is_seeking(self) -> bool:
        """Return True if it is not yet known which files are read first."""
        return bool(self._asked)

    @property
    def is_awaited(self) -> bool:
        """Return True until the files that may define what was asked for are published."""
        # In the order in which a file goes through them, so that none is missed without the lock.
        return bool(self._asked or self._first or self._awaited)

    @property
    def has_first(self) -> bool:
        """Return True if there is a file that may define what was asked for."""
        return bool(self._first)

    def take_asked(self) -> str | None:
        """Take a file that was asked for, the likeliest first; None where there is none."""
        with self._lock:
            if not (queue := self._first or self._next):
                return None
            self._taken.add(queue[0])
            if queue is self._first:
                self._awaited.add(queue[0])
            return queue.popleft()

    def mark_parsed(self, path: str) -> bool:
        """Note that a file was parsed, or cannot be; return True if somebody awaits all such."""
        with self._lock:
            self._parsed.add(path)
            return bool(self._awaited) and not self._first and self._awaited <= self._parsed

    def mark_published(self) -> None:
        """Note that the parsed files are visible."""
        with self._lock:
            self._taken -= self._parsed
            self._awaited -= self._parsed
            self._parsed.clear()

    def add(self, path: str) -> None:
        """Add a file, before the first one is taken."""
        with self._lock:
            self._unread[path] = None

    def ask(self, text: str, near: Collection[str] = ()) -> None:
        """Note that `seek` is to prefer what is around `near`, or is or defines what a text names.

        Names that were sought before are not sought again.
        """
        words = [word for word in dict.fromkeys(identifiers(text)) if len(word) > 2]
        with self._lock:
            names = [word for word in words if word not in self._sought][:_MAX_NAMES]
            self._sought.update(names)
            if names or near:
                self._asked.append((names, near))

    def seek(self) -> None:
        """Prefer the files of all that was asked for; one thread at a time, the others wait."""
        with self._seeking:
            with self._lock:
                asked, unread = tuple(self._asked), (*self._taken, *self._unread)
            names = [name for names, _ in asked for name in names][-_MAX_NAMES:]
            try:
                self._prefer_near({path for _, near in asked for path in near}, unread)
                self._prefer_named(names, unread)
            finally:
                with self._lock:
                    del self._asked[: len(asked)]

    def _prefer_near(self, near: Collection[str], unread: Sequence[str]) -> None:
        if near:
            self._prefer([path for path in unread if path in near])
            by_distance = sorted((_distance(path, near), path) for path in unread)
            self._prefer([path for n, path in by_distance[:_MAX_FILES] if n < _FAR], self._next)

    def _prefer_named(self, names: Sequence[str], unread: Sequence[str]) -> None:
        if names:
            stems = set(map(fold_identifier, names))
            is_named = (path for path in unread if file_stem(PurePosixPath(path).name) in stems)
            self._prefer([*islice(is_named, _MAX_FILES)])
            self._seek([name.encode() for name in names], unread)

    def _sort(self) -> None:
        keys = {path: self._key(path) for path in tuple(self._unread)}
        with self._lock:
            self._last = frozenset(path for path, key in keys.items() if key[0])
            self._unread = OrderedDict.fromkeys(sorted(self._unread, key=lambda path: keys[path]))

    def _key(self, path: str) -> tuple[bool, int, bool, bool, str, str]:
        try:
            size = (self._root / path).stat().st_size
        except (OSError, ValueError):
            size = _LARGE_BYTES + 1
        name, is_large = path.rpartition("/")[2], size > _LARGE_BYTES
        # Neighbours share a grammar, so that not every process must load each of them.
        suffix, distance = name.rpartition(".")[2], _distance(path, self._near)
        return size > _MAX_BYTES, distance, _is_aside(path), is_large, suffix, path

    def _prefer(self, paths: Iterable[str], queue: deque[str] | None = None) -> None:
        """Move files that are not taken yet to a queue, `_first` if none is given.

        Those that are taken for `_first` are awaited. Of one that takes seconds the order stays.
        """
        with self._lock:
            for path in paths:
                if path in self._unread and path not in self._last:
                    del self._unread[path]
                    (self._first if queue is None else queue).append(path)
                elif path in self._taken and queue is None:
                    self._awaited.add(path)

    def _seek(self, names: Sequence[bytes], paths: Iterable[str]) -> None:
        """Prefer files that define a name, like ones, and those that have an unusual one."""
        seeker = _Seeker(names)
        unusual = [name for name in names if b"_" in name or not name[1:].islower()]
        n_defining, until = 0, time.monotonic() + _SEEK_S
        like, naming = list[str](), list[str]()
        for path in paths:
            source = self._source(path)
            if any(name in source for name in names):
                if (evidence := seeker.evidence(source)) == _DEFINES:
                    self._prefer([path])
                    n_defining += 1
                elif evidence:
                    like.append(path)
                elif any(name in source for name in unusual):
                    naming.append(path)
            if n_defining >= _MAX_FILES or time.monotonic() > until:
                break
        n_left = _MAX_FILES - n_defining
        self._prefer(like[:n_left])
        naming = naming[: max(0, n_left - len(like))]
        self._prefer(naming, self._next if n_defining or like else self._first)

    def _source(self, path: str) -> bytes:
        try:
            file = read_bytes(self._root, path, _MAX_BYTES)
        except (OSError, ValueError):
            return b""
        return file[0] if file else b""


class _Seeker:
    """Test of what a source says of some names."""

    def __init__(self, names: Sequence[bytes]) -> None:
        any_name = b"|".join(map(re.escape, names))
        self._place = re.compile(rb"\b(?:%s)\b" % any_name)
        self._definition = re.compile(_DEFINITION % any_name)
        self._like_definition = re.compile(_LIKE_DEFINITION % any_name)

    def evidence(self, source: bytes) -> int:
        """Return `_DEFINES`, 1 where a line looks like the definition of a name, else 0."""
        is_like = False
        for place in islice(self._place.finditer(source), _MAX_PLACES):
            first = max(0, place.start() - _BEFORE)
            start = source.rfind(b"\n", first, place.start()) + 1 or first
            line = source[start : start + _LENGTH]
            if self._definition.search(line.partition(b"\n")[0]):
                return _DEFINES
            is_like = is_like or self._like_definition.match(line) is not None
        return int(is_like)


def _is_aside(path: str) -> bool:
    """Return True for tests, and for what is in folders of examples and the like."""
    return any(folder_facts(path.rpartition("/")[0]).flags[:3]) or is_test(path)


def _distance(path: str, near: Collection[str]) -> int:
    """Return the steps between the folders of a file and of the nearest other, `_FAR` at most."""
    folders = path.split("/")[:-1]
    return min((_steps(folders, other.split("/")[:-1]) for other in near), default=_FAR)


def _steps(folders: Sequence[str], others: Sequence[str]) -> int:
    return min(len(folders) + len(others) - 2 * common_prefix_length(folders, others), _FAR)
