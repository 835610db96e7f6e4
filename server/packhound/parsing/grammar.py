"""Grammars with their queries, each loaded once, and the captures of a query over one tree.

Queries in `queries/*.scm` use this vocabulary, and nothing else in this package knows a grammar:

@definition.<kind>      a primary node, with @name, and where they exist @body, @scope (what its
                        qualified name starts with) and @trait; a name or a body that is not
                        captured is that in the field of the same name; with @trait, a
                        module is a node even if its members are all that it has
@value                  what a name is given to, whose fields count as well
@definition.prototype   a declaration without a body
@definition.member      a method, even if it stands inside a function
@definition.one_liner   a constant that is worth a node even if it has one line
@definition.property    a property with code of its own, or worth a node like a constant
@tail                   a sibling after a definition that is its body
@namespace              a definition whose name only prefixes the names inside
@wrap                   a statement around one definition, or all from the first to the last of
                        several nodes, whose head belongs to it
@attribute              a sibling that belongs to the definition after it
@comment, @string       text without identifiers; a comment can be the doc of what follows
@doc                    documentation inside a definition
@doc.leading            documentation before a definition that is no comment
@doc.following          documentation behind a definition, if a blank line is behind it in turn
@import                 the name of a module or path, which with one of these binds a name:
  @name, @alias         a name in it, and the name that is bound; an alias within the module's name
                        binds that up to its end
  @default, @all        the name for its default export; its names are visible without it
  @path                 the module's name ends with the name, or lists names in braces
@export                 the name of a module or of its default export
@local                  a local name, with the @type or @value stated for it; @name: its member
@base                   the name of a type that the type around it derives from or implements
@field                  a member of the type around it, with the @type or @value stated for it;
                        @all: the type of one of its members, which have only numbers
@result                 the name of a function, with the @type of its results
@return                 a value that a function returns, where nothing has to state its type
@property               a member that runs code without brackets, perhaps with its @type
@key                    a name of an argument or of an entry, which is no use
@arrow                  the name of a function that has the `this` of the one around it
@generic                the name of a type parameter, with the @type that it must have
@declared               the name of a function without a body, defined elsewhere
@items                  a macro's argument, whose text counts if it parses as definitions
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Language as TreeSitterLanguage
from tree_sitter import Node, Parser, Query, QueryCursor, Range, Tree
from tree_sitter_language_pack import get_language

from packhound.core.caching import BoundedMemo
from packhound.parsing.captured import KIND_OF, SCALE, SUBJECTS
from packhound.parsing.languages import BY_NAME, Language
from packhound.parsing.source import ByteRange
from packhound.parsing.version import QUERIES

Match = tuple[int, str, dict[str, list[Node]]]
"""A pattern's position in its query file, the capture it is about, and its captures by name."""

_INHERITS = re.compile(r"; inherits: (\w+)\n")
"""The first line of a query, as other users of such queries write it."""
_BLANK = ("comment", "string", "doc", "doc.leading", "doc.following")
_RUNS = (*_BLANK, "wrap", "attribute", "import")
_SUBJECTS = frozenset({"definition", "namespace", "items", *_RUNS, *SUBJECTS})
"""Each pattern has one capture of these, perhaps with a dot and more behind."""
_ROW_SUBJECTS = frozenset(SUBJECTS)

_KEYWORD_KIND = "keyword_"
_WORD = re.compile(r"[A-Za-z]\w*")
_has_sign = re.compile(rb"[^\w\x80-\xff]").search
_MARKED_NAME = re.compile(rb"[$#](?:(?<=\$)[\w$]+|(?<=\.#)\w+)")
"""A set at its start is looked for in a third of the time that two alternatives take."""
_LONGEST_KEYWORD = 24
_DIGITS = "0123456789"
_MEMO_ENTRIES = 50_000
"""Words with the names in them: some 10 MB."""


@dataclass(slots=True)
class Captures:
    """Everything that one query captures in one tree."""

    definitions: list[Match] = field(default_factory=list)
    runs: dict[str, list[ByteRange]] = field(default_factory=lambda: {run: [] for run in _RUNS})
    """Ranges by the names of their captures, in no order."""
    items: list[Node] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    """Those of `captured.py` without what is blank."""

    def blank(self) -> list[ByteRange]:
        """Return the ranges without identifiers."""
        return sorted({run for name in _BLANK for run in self.runs[name]})


class Grammar:
    """One language's parser and query."""

    def __init__(self, language: Language) -> None:
        grammar = get_language(language.grammar)  # type: ignore[arg-type]
        self._parser = Parser(grammar)
        self._query = Query(grammar, query_source(language.queries))
        self._subject_of = [""] * self._query.pattern_count
        self._keywords = _keywords(grammar)
        words = {word.encode() for word in self._keywords}
        self._soft_keywords = frozenset(filter(self._calls, words))
        self._hard_keywords = frozenset(words - self._soft_keywords)
        marks = _MARKED_NAME if self._calls(b"$a") else None
        identifier = language.identifier.encode()
        self._special = re.compile(identifier) if identifier else marks
        self.name_in: Callable[[str], str] = BoundedMemo(self._name_in, _MEMO_ENTRIES).__getitem__
        """Return the name in a run of letters, digits and underscores; "" for a keyword or none."""

    def parse(self, source: bytes, edited: Tree | None = None) -> Tree:
        """Parse `source`; a tree holds whatever the grammar could recover.

        `edited` is the tree of an older text, with its edits applied (`Tree.edit`).
        """
        return self._parser.parse(source, edited) if edited else self._parser.parse(source)

    def parse_between(self, source: bytes, first: Node, last: Node) -> Tree:
        """Parse only what is between two nodes; offsets are those in `source`."""
        between = Range(first.end_point, last.start_point, first.end_byte, last.start_byte)
        self._parser.included_ranges = [between]
        try:
            return self._parser.parse(source)
        finally:
            self._parser.included_ranges = []

    def _name_in(self, word: str) -> str:
        name = word.lstrip(_DIGITS)
        return "" if len(name) < 2 or name in self._keywords else name

    def special_names(self, code: bytes, blanked: bytes) -> list[tuple[int, str]]:
        """Return the names that `name_in` cannot see, with their offsets, in order.

        They are keywords that a call shows to be names, and names with `$` or `#` in front, or
        with what else a language has in its names.
        `blanked` is the code with blanks in place of what is in no name.
        """
        names, end = list[tuple[int, str]](), -1
        for before in code.split(b"(")[:-1]:
            end += len(before) + 1
            word = blanked[max(0, end - _LONGEST_KEYWORD) : end].rpartition(b" ")[2]
            is_member = word in self._hard_keywords and before.endswith(b"." + word)
            if is_member or word in self._soft_keywords:
                names.append((end - len(word), word.decode()))
        marked = self._special.finditer(code) if self._special else ()
        names += [(m.start(), m[0].decode("utf-8", "replace")) for m in marked if _has_sign(m[0])]
        return sorted(names)

    def _calls(self, word: bytes) -> bool:
        """Return True if the grammar takes a word in front of a bracket for a name."""
        leaf = self.parse(word + b"(1)").root_node
        if leaf.has_error:
            return False
        while leaf.children:
            leaf = leaf.children[0]
        return leaf.is_named and leaf.end_byte == len(word)

    def captures(self, tree: Tree) -> Captures:
        """Run the query over the whole tree."""
        captures = Captures()
        subject_of = self._subject_of
        for pattern, captured in QueryCursor(self._query).matches(tree.root_node):
            name = subject_of[pattern] or self._subject(pattern, captured)
            runs = captures.runs.get(name)
            if runs is not None:
                runs.append((captured[name][0].start_byte, captured[name][-1].end_byte))
            if name in _ROW_SUBJECTS:
                captures.rows += _rows(name, captured)
            elif name == "items":
                captures.items += captured[name]
            elif runs is None:
                captures.definitions.append((pattern, name, captured))
        return captures

    def _subject(self, pattern: int, captured: dict[str, list[Node]]) -> str:
        """Return the capture that a pattern is about, and remember it."""
        name = next(name for name in captured if name.partition(".")[0] in _SUBJECTS)
        self._subject_of[pattern] = name
        return name


def _rows(subject: str, captured: dict[str, list[Node]]) -> Iterator[int]:
    """Yield the rows of a match, none for an import that binds nothing."""
    parts = [kind for kind in captured if kind in KIND_OF and kind != subject]
    if parts or subject != "import":
        for node in captured[subject]:
            yield node.start_byte * SCALE + KIND_OF[subject]
            yield node.end_byte
        for part in parts:  # One of several nodes is from the first to the last.
            yield captured[part][0].start_byte * SCALE + KIND_OF[part]
            yield captured[part][-1].end_byte


def _keywords(grammar: TreeSitterLanguage) -> frozenset[str]:
    """Return the words that the grammar spells in letters or, if more, names as keywords."""
    kinds = range(grammar.node_kind_count)
    spelled = [
        grammar.node_kind_for_id(i) or ""
        for i in kinds
        if grammar.node_kind_is_visible(i) and not grammar.node_kind_is_named(i)
    ]
    names = [grammar.node_kind_for_id(i) or "" for i in kinds]
    named = {n.removeprefix(_KEYWORD_KIND) for n in names if n.startswith(_KEYWORD_KIND)}
    named |= {word.upper() for word in named}
    return max(frozenset(filter(_WORD.fullmatch, spelled)), frozenset(named), key=len)


@cache
def grammar_of(language: str) -> Grammar:
    """Return the grammar of a language in the table; raises LookupError or OSError."""
    return Grammar(BY_NAME[language])


@cache
def query_source(name: str) -> str:
    """Return the text of `queries/<name>.scm`, below that of the query it inherits."""
    text = (QUERIES / f"{name}.scm").read_text(encoding="utf-8")
    base = _INHERITS.match(text)
    return f"{query_source(base[1])}\n{text}" if base else text
