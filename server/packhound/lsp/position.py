"""Positions, ranges and symbol kinds of the protocol, from the engine's spans and kinds.

LSP counts lines from 0 and characters in the negotiated unit, and excludes a range's end; the
engine has UTF-8 byte offsets. This is the only module that knows both.
"""

from __future__ import annotations

from lsprotocol import types

from packhound.core.types import Span
from packhound.service import Engine
from packhound.text import Encoding, LineIndex, Position, characters_in, offset_in

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-32", "utf-16")
"""Supported position encodings, the cheapest for us first."""

SYMBOL_KINDS: dict[str, int] = {
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
# Clients that send no `symbolKind.valueSet` support the eighteen kinds of LSP 1.0 only.
_LSP_1_KINDS = {19: 5, 23: 5, 26: 5}


def choose_encoding(offered: object) -> Encoding:
    """Return the preferred encoding among those that the client offers, or the default UTF-16."""
    offers = offered if isinstance(offered, list) else []
    return next((encoding for encoding in ENCODINGS if encoding in offers), "utf-16")


def range_of_span(span: Span, source: bytes | None, encoding: Encoding) -> types.Range:
    """Return the range of a span; whole lines if the text it refers to is no longer available."""
    if source is None or span.end > len(source):
        return _range((span.start_line, 0), (span.end_line + 1, 0))
    return _range(
        (span.start_line, _character(source, span.start, encoding)),
        _end_position(span, source, encoding),
    )


def column_of(engine: Engine, path: str, position: Position, encoding: Encoding) -> int:
    """Return the code points before a position in its line; -1 without the text."""
    if (source := engine.source(path)) is None:
        return -1
    start = LineIndex(source).offset(position[0], 0)
    offset = offset_in(source, position, encoding)
    return characters_in(source[start : offset + 4], offset - start, "utf-32")


def symbol_kind(kind: str, *, all_kinds: bool) -> int:
    """Return the protocol's SymbolKind, reduced to those of LSP 1.0 unless `all_kinds`."""
    number = SYMBOL_KINDS[kind]
    return number if all_kinds else _LSP_1_KINDS.get(number, number)


def _end_position(span: Span, source: bytes, encoding: Encoding) -> Position:
    if span.end > span.start and source[span.end - 1] in b"\r\n":
        return span.end_line + 1, 0
    return span.end_line, _character(source, span.end, encoding)


def _character(source: bytes, offset: int, encoding: Encoding) -> int:
    start = max(source.rfind(b"\n", 0, offset), source.rfind(b"\r", 0, offset)) + 1
    # Four more bytes hold the rest of a character that the offset is inside of.
    return characters_in(source[start : offset + 4], offset - start, encoding)


def _range(start: Position, end: Position) -> types.Range:
    return types.Range(types.Position(*start), types.Position(*end))
