"""One document to its primary nodes. Parsing never raises: at worst it yields window nodes."""

from __future__ import annotations

import re

from packhound.syntax.grammar import grammar_of, grammar_version
from packhound.syntax.languages import (
    BY_NAME,
    HEADER_SUFFIXES,
    Language,
    language_for,
    language_of,
)
from packhound.syntax.nodes import Reader
from packhound.syntax.outline import outline
from packhound.syntax.windows import is_binary, windows
from packhound.types import Document, ParsedFile

__all__ = ["GRAMMAR_VERSION", "language_of", "parse", "windowed"]

GRAMMAR_VERSION: str
"""Changes whenever the nodes of some source may; computed when first asked for."""

MAX_PARSE_BYTES = 1_000_000
"""Larger sources are generated or data, and a tree takes some 200 times their size of memory."""

_SCRIPT = re.compile(rb"(<script\b[^>]*>)(.*?)(?:</script\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_BATS_TEST = re.compile(rb"^(@test[ \t]+[^\n]*?)([ \t]*\{[ \t]*)$", re.MULTILINE)
_SETEXT = re.compile(
    rb"^(?<![^\n]\n)(?![#>|\-*+`\d])(\S[^\n]{3,120})(\r?\n)(={3,}|-{3,})([ \t]*)(?=\r?\n|\Z)",
    re.MULTILINE,
)
_NOT_LINE_END = re.compile(rb"[^\r\n]")


def parse(document: Document) -> ParsedFile:
    """The nodes and imports of `document`, whatever it holds."""
    language = language_for(document.path, document.source, document.language)
    if is_binary(document.source):
        return ParsedFile(document.path, language or "text", (), degraded="binary content")
    if language is None:
        return ParsedFile(document.path, "text", windows(document))
    if len(document.source) > MAX_PARSE_BYTES:
        return windowed(document, f"larger than {MAX_PARSE_BYTES:,} bytes")
    return _parsed(document, language)


def windowed(document: Document, why: str) -> ParsedFile:
    """What is left of a document that cannot be parsed."""
    language = language_for(document.path, document.source, document.language) or "text"
    return ParsedFile(document.path, language, windows(document), degraded=why)


def _parsed(document: Document, language: str) -> ParsedFile:
    try:
        grammar = grammar_of(language)
    except (LookupError, OSError, ImportError):
        return windowed(document, f"no grammar for {language} is installed")
    row = BY_NAME[language]
    code = _rewritten(document, row)
    captures = grammar.captures(grammar.parse(code))
    header = "." + document.path.rpartition(".")[2] in HEADER_SUFFIXES
    found = outline(code, captures, merges=row.merges, header=header or language == "typescript")
    reader = Reader(document.path, document.source, row, grammar.keywords)
    nodes = reader.nodes(found, captures, code)
    return ParsedFile(document.path, language, nodes, reader.imports(captures))


def _rewritten(document: Document, row: Language) -> bytes:
    """The source as the grammar can read it, byte for byte in the same place."""
    if row.in_scripts:
        return _scripts(document.source)
    if document.path.endswith(".bats"):
        return _BATS_TEST.sub(_bats_function, document.source)
    if row.name == "markdown":
        return _SETEXT.sub(_atx_heading, document.source)
    return document.source


def _bats_function(test: re.Match[bytes]) -> bytes:
    return b"t" * (len(test[1]) - 2) + b"()" + test[2]


def _atx_heading(setext: re.Match[bytes]) -> bytes:
    """An underlined heading, which the grammar does not take for the start of a section."""
    title, line_end, underline, rest = setext.groups()
    marks = b"# " if underline.startswith(b"=") else b"## "
    return marks + b"x" * (len(title) - len(marks)) + line_end + b" " * len(underline) + rest


def _scripts(page: bytes) -> bytes:
    """The page with blanks in the place of everything outside its script elements."""
    parts, at = [], 0
    for match in _SCRIPT.finditer(page):
        start, end = match.span(2)
        parts += [_NOT_LINE_END.sub(b" ", page[at:start]), page[start:end]]
        at = end
    return b"".join([*parts, _NOT_LINE_END.sub(b" ", page[at:])])


def __getattr__(name: str) -> str:
    if name == "GRAMMAR_VERSION":
        return grammar_version()
    raise AttributeError(name)
