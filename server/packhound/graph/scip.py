"""Names as an index in the folder resolves them: `index.scip`, made by a compiler of the language.

The format has no digests, and the texts seldom. So a file counts as the one that was indexed only
if its text has each name where the index has it; of any other the index says nothing.
"""

from __future__ import annotations

import logging
import os
import re
import stat
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from packhound.core.caching import ByteLru

Message: TypeAlias = Any
_MAX_BYTES = 1 << 29
_CACHED_BYTES, _BYTES_OF_NAME = 1 << 25, 200
_DEFINITION, _ENCODINGS = 1, {1: "utf-8", 2: "utf-16-le", 3: "utf-32-le"}
_BYTES, _INTEGER, _STRING = 12, 5, 9
"""Types of fields, by the numbers of protobuf."""
_MESSAGES: dict[str, list[tuple[str, int, str | int, bool]]] = {
    "Index": [("metadata", 1, "Metadata", False), ("documents", 2, _BYTES, True)],
    "Metadata": [("tool_info", 2, "ToolInfo", False)],
    "ToolInfo": [("name", 1, _STRING, False)],
    "Document": [
        *(("relative_path", 1, _STRING, False), ("occurrences", 2, "Occurrence", True)),
        *(("text", 5, _STRING, False), ("position_encoding", 6, _INTEGER, False)),
    ],
    "Occurrence": [
        *(("range", 1, _INTEGER, True), ("symbol", 2, _STRING, False)),
        ("symbol_roles", 3, _INTEGER, False),
    ],
}
"""Fields of the format that are read: name, number, type, and if it is a list."""
_DESCRIPTOR = re.compile(r"(`(?:[^`]|``)+`|[\w+$-]+)(?:\(\w*\)\.|[/#.:!]|\)|\])\Z")
_WORD = re.compile(rb"[\w$\x80-\xff]+")
_TEXT = re.compile(rb"[\w$.#@!~'\"`/\x80-\xff-]*(?:\s+as\s+[\w$\x80-\xff]+)?")
_IN_NAME = re.compile(rb"[\w$\x80-\xff]{2}")
_log = logging.getLogger(__name__)


class Names(NamedTuple):
    """The symbol of each name of a file by its offset, and where it defines some of them."""

    uses: dict[int, str]
    definitions: dict[str, list[int]]


_CHANGED = Names({}, {})


class ScipIndex:
    """An index of the folder as it was when a tool read it; thread-safe."""

    def __init__(self, data: bytes) -> None:
        """Raise ValueError for what is no index."""
        self._messages = _messages()
        index = self._decoded("Index", data)
        self.tool: str = index.metadata.tool_info.name or "SCIP"
        # A tenth of the size; few are asked for.
        self._documents = {
            self._decoded("Document", document).relative_path: zlib.compress(document, 1)
            for document in index.documents
        }
        self._names = ByteLru[tuple[str, bytes], Names](
            _CACHED_BYTES, lambda names: _BYTES_OF_NAME * (1 + len(names.uses))
        )

    def _decoded(self, message: str, data: bytes) -> Message:
        from google.protobuf.message import DecodeError

        try:
            return self._messages[f"scip.{message}"].FromString(data)
        except DecodeError as problem:
            raise ValueError(str(problem)) from None

    def names(self, path: str, source: bytes, digest: bytes) -> Names | None:
        """Return the names of a file, None where it is not the one that was indexed."""
        if (document := self._documents.get(path)) is None:
            return None
        names = self._names.get((path, digest))
        if names is None:
            names = _read(self._decoded("Document", zlib.decompress(document)), source)
            self._names.put({(path, digest): names})
        return None if names is _CHANGED else names


class ScipFile:
    """The index in a folder, read anew when it has changed; thread-safe."""

    def __init__(self, root: Path) -> None:
        self._path, self._lock = root / "index.scip", threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self._index: ScipIndex | None = None

    def current(self) -> ScipIndex | None:
        """Return the index, None where there is none that can be read."""
        try:
            status = self._path.lstat()
        except OSError:
            return None
        stamp = status.st_mtime_ns, status.st_size
        with self._lock:
            if stamp != self._stamp:
                self._stamp, self._index = stamp, self._load()
            return self._index

    def _load(self) -> ScipIndex | None:
        try:
            with open(self._path, "rb", opener=_open_no_link) as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):
                    raise ValueError("it is no regular file")
                if status.st_size > _MAX_BYTES:
                    raise ValueError(
                        f"it has {status.st_size:,} bytes; up to {_MAX_BYTES:,} are read"
                    )
                return ScipIndex(file.read(_MAX_BYTES))
        except (OSError, ValueError) as problem:
            _log.warning("index.scip is not read: %s", problem)
            return None


def _open_no_link(path: str, flags: int) -> int:
    """Open what a stranger's folder has: no link out of it, and no pipe that is waited for."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def name_of(symbol: str) -> str:
    """Return the name that a symbol ends with, "" for one that has none in the text."""
    match = _DESCRIPTOR.search(symbol)
    return match[1].strip("`") if match else ""


def _read(document: Message, source: bytes) -> Names:
    """Return the names of a document, `_CHANGED` where a text is another one."""
    if document.text and document.text.encode() != source:
        return _CHANGED
    names, local_names = Names({}, {}), dict[str, list[bytes]]()
    for start, end, symbol, is_definition in _places(document, source):
        text, name = source[start:end], name_of(symbol).encode()
        if start < 0 or end < start or not _TEXT.fullmatch(text):
            return _CHANGED
        if text and any(edge and _IN_NAME.match(source, edge - 1) for edge in (start, end)):
            return _CHANGED
        if symbol.startswith("local "):
            bound = text.split()[-1:]  # As of `name as other`.
            if local_names.setdefault(symbol, bound) != bound:
                return _CHANGED
        elif is_definition and text and _WORD.fullmatch(name) and not _is_name(name, text):
            return _CHANGED
        elif text:
            names.uses[start] = symbol
            if is_definition:
                names.definitions.setdefault(symbol, []).append(start)
    return names


def _is_name(name: bytes, text: bytes) -> bool:
    """Return True for a text that is a name; scip-typescript numbers those of keys."""
    return name.startswith(text) and name[len(text) :].isdigit() | (name == text)


def _places(document: Message, source: bytes) -> Iterator[tuple[int, int, str, bool]]:
    """Yield start, end and symbol of each name of one line, and whether it is defined there.

    They are -1 where the text has no such place.
    """
    lines = source.split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    encoding = _ENCODINGS.get(document.position_encoding, "utf-16-le")
    for each in document.occurrences:
        if len(each.range) != 3:
            continue
        number, *columns = each.range
        ends = [_column(lines[number], c, encoding) if number < len(lines) else -1 for c in columns]
        start, end = (starts[number] + c if c >= 0 else -1 for c in ends)
        yield start, end, each.symbol, bool(each.symbol_roles & _DEFINITION)


def _column(line: bytes, column: int, encoding: str) -> int:
    """Return the byte of a column of a line, -1 for one behind its end."""
    if encoding == "utf-8" or line.isascii():
        return column if column <= len(line) else -1
    width = 4 if encoding == "utf-32-le" else 2
    text = line.decode("utf-8", "replace").encode(encoding)
    is_inside = column * width <= len(text)
    return len(text[: column * width].decode(encoding, "ignore").encode()) if is_inside else -1


def _messages() -> dict[str, Message]:
    """Return the classes of `_MESSAGES`."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="scip.proto", package="scip", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind, is_list in fields:
            entry = message.field.add(name=field, number=number, label=3 if is_list else 1)
            if isinstance(kind, str):
                entry.type, entry.type_name = 11, f".scip.{kind}"
            else:
                entry.type = kind
    pool = descriptor_pool.DescriptorPool()
    messages: dict[str, Message] = message_factory.GetMessages([file], pool=pool)
    return messages
