"""What editors write, as what the engine means, and back: URIs, positions, ranges, kinds.

Editors count lines and characters from 0 and end ranges before their last character; the engine
has UTF-8 offsets. This is the only place that knows both.
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
from pathlib import PureWindowsPath
from urllib.parse import quote_from_bytes, unquote, unquote_to_bytes

from lsprotocol import types

from packhound.core.types import Kind, Span
from packhound.text.text_buffer import Encoding, Position, characters_in

WINDOWS = os.name == "nt"
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-32", "utf-16")
"""Legal position encodings, the cheapest for us first."""

_FILE_URI = re.compile(r"file:(?://(?P<host>[^/?#]*))?(?P<path>/[^?#]*)", re.IGNORECASE)
_DRIVE = re.compile(r"^/([A-Za-z]):(?:/|$)")
_LONG = re.compile(r"^\\\\\?\\(UNC\\)?")
"""What Windows puts in front of paths of any length."""

SYMBOL_KINDS: dict[Kind, int] = {
    "function": 12,
    "method": 6,
    "class": 5,
    "struct": 23,
    "enum": 10,
    "interface": 11,
    "trait": 11,
    "impl": 19,
    "module": 2,
    "type": 26,
    "constant": 14,
    "macro": 12,
    "test": 12,
    "section": 15,
    "file": 1,
    "window": 1,
}
# Clients that do not list the kinds they know, know the first eighteen.
_OLD_KINDS = {19: 5, 23: 5, 26: 5}


def choose_encoding(offered: object) -> Encoding:
    """The encoding to count characters in, of those that the client offers."""
    found = offered if isinstance(offered, list) else []
    return next((encoding for encoding in ENCODINGS if encoding in found), "utf-16")


def path_of(uri: str, *, windows: bool = WINDOWS) -> str | None:
    """The normal absolute path of a `file` URI; None for what is not on this machine's disk."""
    match = _FILE_URI.fullmatch(uri)
    if match is None:
        return None
    octets = unquote_to_bytes(match["path"])
    if b"\0" in octets:
        return None
    return _windows_path(match["host"] or "", octets) if windows else _posix_path(match, octets)


def uri_of(path: str, *, windows: bool = WINDOWS) -> str:
    """The URI of an absolute path."""
    if not windows:
        return "file://" + quote_from_bytes(os.fsencode(path), safe="/~")
    plain = _LONG.sub(lambda prefix: "\\\\" if prefix[1] else "", path)
    slashed = PureWindowsPath(plain).as_posix().encode("utf-8", "surrogatepass")
    if slashed.startswith(b"//"):
        return "file:" + quote_from_bytes(slashed, safe="/~")
    return "file:///" + quote_from_bytes(slashed, safe="/~")


def range_of(span: Span, source: bytes | None, encoding: Encoding) -> types.Range:
    """The range of a span; whole lines where the text is not known any more."""
    if source is None or span.end > len(source):
        return _range((span.start_line, 0), (span.end_line + 1, 0))
    return _range(
        (span.start_line, _character(source, span.start, encoding)),
        _end_of(span, source, encoding),
    )


def symbol_kind(kind: Kind, *, all_kinds: bool) -> int:
    """The protocol's number for a kind of node."""
    number = SYMBOL_KINDS[kind]
    return number if all_kinds else _OLD_KINDS.get(number, number)


def _end_of(span: Span, source: bytes, encoding: Encoding) -> Position:
    if span.end > span.start and source[span.end - 1] in b"\r\n":
        return span.end_line + 1, 0
    return span.end_line, _character(source, span.end, encoding)


def _character(source: bytes, offset: int, encoding: Encoding) -> int:
    start = max(source.rfind(b"\n", 0, offset), source.rfind(b"\r", 0, offset)) + 1
    # Four more bytes hold the rest of a character that the offset is inside of.
    return characters_in(source[start : offset + 4], offset - start, encoding)


def _range(start: Position, end: Position) -> types.Range:
    return types.Range(types.Position(*start), types.Position(*end))


def _posix_path(match: re.Match[str], octets: bytes) -> str | None:
    if (match["host"] or "").lower() not in ("", "localhost"):
        return None
    # Two leading slashes mean the same as one here, though POSIX lets systems differ.
    return posixpath.normpath("/" + os.fsdecode(octets).lstrip("/"))


def _windows_path(host: str, octets: bytes) -> str:
    text = octets.decode("utf-8", "surrogateescape")
    if host.lower() not in ("", "localhost"):
        # Shares have names with signs that are escaped, as that of a Linux on Windows: wsl$.
        text = f"//{unquote(host)}{text}"
    # Drives are upper case, however the client writes them, so that paths compare.
    text = _DRIVE.sub(lambda drive: f"{drive[1].upper()}:/", text)
    return ntpath.normpath(text)
