"""Nodes of a document that an extractor of an installed package returns.

It gets the path and the text, and returns nodes, mappings with the keys of `_FIELDS` and lines from
1 on, or one string: the text to search the file by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from operator import attrgetter
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from packhound.core.errors import PluginError, SettingsError
from packhound.core.typed import convert
from packhound.core.types import Document, Kind, Node, ParsedFile
from packhound.parsing.extract.definition import without
from packhound.parsing.extract.windows import windows
from packhound.parsing.extractors import Extractor
from packhound.parsing.languages import language_for
from packhound.text import LineIndex

_MAX_NODES = 10_000
_Line: TypeAlias = Annotated[int, Meta(ge=1, le=100_000_000)]


class _Fields(Struct):
    """Keys of a node; the values of all but the first three may be missing."""

    name: Annotated[str, Meta(min_length=1, max_length=1_000)]
    start_line: _Line
    end_line: _Line
    kind: Kind = "section"
    qualname: Annotated[str, Meta(max_length=4_000)] = ""
    signature: Annotated[str, Meta(max_length=20_000)] = ""
    doc: Annotated[str, Meta(max_length=100_000)] = ""
    text: Annotated[str, Meta(max_length=1_000_000)] | None = None


def extract_nodes(document: Document, extractor: Extractor) -> ParsedFile:
    """Return the nodes that an extractor finds. Raises PluginError, whatever it does."""
    try:
        module, _, attribute = extractor.target.partition(":")
        extract = attrgetter(attribute)(import_module(module))
        value = extract(document.path, document.source.decode("utf-8", "replace"))
        pairs = _windows(document, value) if isinstance(value, str) else _nodes(document, value)
    except Exception as error:
        raise PluginError(
            f"extractor {extractor.label} failed ({type(error).__name__}: {error})"
        ) from error
    language = language_for(document.path, document.source, document.language) or extractor.name
    nodes, texts = tuple(node for node, _ in pairs), tuple(text for _, text in pairs)
    return ParsedFile(document.path, language, nodes, own_texts=texts)


def _windows(document: Document, value: str) -> list[tuple[Node, bytes | None]]:
    """Return windows of a text, each over all lines of its file, since nothing else is known."""
    octets = value.encode("utf-8", "replace")
    span = LineIndex(document.source).span(0, len(document.source))
    pieces = windows(Document(document.path, octets))
    return [
        (
            node._replace(span=span, own_ranges=((span.start, span.end),)),
            octets[slice(*node.span[:2])],
        )
        for node in pieces
    ]


def _nodes(document: Document, values: Iterable[object]) -> list[tuple[Node, bytes | None]]:
    """Return the nodes of some mappings by start; what lies within another is part of it."""
    lines = LineIndex(document.source)
    pairs = [_node(document, lines, value) for value in values]
    if len(pairs) > _MAX_NODES:
        raise SettingsError(f"there are {len(pairs):,} nodes; must be at most {_MAX_NODES:,}")
    pairs.sort(key=lambda pair: (pair[0].span.start, -pair[0].span.end))
    open_positions: list[int] = []
    for position, (node, own_text) in enumerate(pairs):
        while open_positions and pairs[open_positions[-1]][0].span.end < node.span.end:
            open_positions.pop()
        if open_positions:
            parent = pairs[open_positions[-1]][0]
            ranges = tuple(without(parent.own_ranges[-1], [node.span[:2]]))
            pairs[open_positions[-1]] = (
                parent._replace(own_ranges=(*parent.own_ranges[:-1], *ranges)),
                pairs[open_positions[-1]][1],
            )
            pairs[position] = node._replace(parent=open_positions[-1]), own_text
        open_positions.append(position)
    return pairs


def _node(document: Document, lines: LineIndex, value: object) -> tuple[Node, bytes | None]:
    if not isinstance(value, Mapping):
        raise SettingsError(f"a node is {value!r:.80}; must be a mapping")
    fields = convert(_Fields, value, "key")
    first, last, n_lines = fields.start_line, fields.end_line, len(lines.starts)
    if not first <= last <= n_lines:
        raise SettingsError(f"lines {first} to {last} are not within the {n_lines:,} of the file")
    start = lines.starts[first - 1]
    end = lines.starts[last] if last < n_lines else len(document.source)
    end = start + len(document.source[start:end].rstrip(b"\r\n"))
    node = Node(
        kind=fields.kind,
        name=fields.name,
        qualname=fields.qualname or fields.name,
        span=lines.span(start, end),
        signature=fields.signature,
        doc=fields.doc,
        own_ranges=((start, end),),
    )
    return node, None if fields.text is None else fields.text.encode("utf-8", "replace")
