"""One document to its primary nodes. Parsing never raises: at worst it yields window nodes."""

from __future__ import annotations

from packhound.core.types import Document, ParsedFile
from packhound.parsing import languages
from packhound.parsing.captured import rows_of
from packhound.parsing.extract.c_branches import select_branches
from packhound.parsing.extract.c_macros import restore_macros
from packhound.parsing.extract.incomplete_lines import blank_incomplete_lines
from packhound.parsing.extract.macro_items import add_macro_items
from packhound.parsing.extract.nodes import Reader
from packhound.parsing.extract.outline import outline
from packhound.parsing.extract.preprocess import preprocess
from packhound.parsing.extract.windows import is_binary, parse_as_windows, parse_text
from packhound.parsing.grammar import Captures, Grammar, grammar_of
from packhound.parsing.notebook import parse_notebook
from packhound.parsing.source import Source
from packhound.parsing.tree_cache import TreeCache
from packhound.text import is_notebook

MAX_PARSE_BYTES = 4_000_000
"""Larger sources are generated or data; a tree takes some 20 times their size of memory, at worst
200 times, above which a process may not go."""


def parse(document: Document, trees: TreeCache | None = None) -> ParsedFile:
    """Return the nodes and imports of `document`, whatever it holds.

    They are the same with `trees`, which save time for documents that come again after an edit.
    """
    language = languages.language_for(document.path, document.source, document.language)
    if is_binary(document.source):
        return ParsedFile(document.path, language or "text", (), degraded="binary content")
    is_large = len(document.source) > MAX_PARSE_BYTES
    if is_notebook(document.path) and not is_large:
        # Trees are kept by path, and cells are short.
        return parse_notebook(document, lambda cell, name: _parse_as(cell, name, TreeCache()))
    if language is None:
        return parse_text(document)
    if is_large:
        return parse_as_windows(document, f"larger than {MAX_PARSE_BYTES:,} bytes")
    return _parse_as(document, language, trees or TreeCache())


def _parse_as(document: Document, language: str, trees: TreeCache) -> ParsedFile:
    try:
        grammar = grammar_of(language)
    except (LookupError, OSError, ImportError):
        return parse_as_windows(document, f"no grammar for {language} is installed")
    source = Source(document.path, document.source, languages.BY_NAME[language])
    code, attributes = preprocess(source)
    in_c = language in ("c", "cpp")
    parsed_code = select_branches(document.source, code) if in_c else code
    captures = _captures(grammar, trees, document.path, parsed_code)
    captures.runs["attribute"] += attributes
    add_macro_items(code, grammar, captures)
    header = languages.name_parts(document.path)[1] in languages.HEADER_SUFFIXES
    structure = outline(code, captures, merges=source.language.merges, header=header)
    used_code = restore_macros(code, source.octets, attributes)
    reader = Reader(source, used_code, captures, grammar)
    nodes, captured = reader.nodes(structure), (*rows_of("blank", captures.blank()), *captures.rows)
    return ParsedFile(document.path, language, nodes, reader.imports(), captured=captured)


def _captures(grammar: Grammar, trees: TreeCache, path: str, code: bytes) -> Captures:
    """Run the query, in spite of lines that are still being typed."""
    tree = trees.parse(path, grammar, code)
    captures = grammar.captures(tree)
    if tree.root_node.has_error:
        without_incomplete = blank_incomplete_lines(code)
        if without_incomplete is not code:
            second = grammar.captures(trees.parse(path, grammar, without_incomplete))
            if len(second.definitions) > len(captures.definitions):
                return second
    return captures
