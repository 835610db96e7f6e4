"""A grammar with its query, loaded once, and what one query over one tree captured.

Queries in `queries/*.scm` speak this vocabulary, and nothing else in this room knows a grammar:

@definition.<kind>      a primary node, with @name, and where they exist @body, @scope (what its
                        qualified name starts with) and @trait; a name or a body that is not
                        captured is that in the field of the same name
@value                  what a name is given to, whose fields count as well
@definition.prototype   a declaration without a body
@definition.member      a method, even if it stands inside a function
@definition.property    a property with code of its own, or worth a node like a constant
@tail                   a sibling after a definition that is its body
@namespace              a definition whose name only prefixes the names inside
@wrap                   a statement around one definition, whose head belongs to it
@attribute              a sibling that belongs to the definition after it
@comment, @string       text without identifiers; a comment can be the doc of what follows
@doc                    documentation inside a definition
@doc.leading            documentation before a definition that is no comment
@doc.following          documentation behind a definition, if a blank line is behind it in turn
@import                 the name of a module or path
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Language as TreeSitterLanguage
from tree_sitter import Node, Parser, Query, QueryCursor, Tree
from tree_sitter_language_pack import get_language

from packhound.parsing.languages import BY_NAME, Language
from packhound.parsing.lines import Run
from packhound.parsing.version import QUERIES

Match = tuple[int, str, dict[str, list[Node]]]
"""A pattern's position in its query file, what it defines, and what it captured, by its name."""

_INHERITS = re.compile(r"; inherits: (\w+)\n")
"""The first line of a query, as other users of such queries write it."""
_SUBJECTS = frozenset(
    {"definition", "namespace", "wrap", "attribute", "comment", "string", "doc", "import"}
)
"""Each pattern has one capture of these, perhaps with a dot and more behind."""

_KEYWORD_KIND = "keyword_"
_WORD = re.compile(r"[A-Za-z]\w*")
_DIGITS = "0123456789"
_REMEMBERED = 50_000
"""Words whose names are remembered: some 10 MB. A full table is emptied."""


@dataclass(slots=True)
class Captures:
    """Everything one query found in one tree; runs are in no order."""

    definitions: list[Match] = field(default_factory=list)
    wraps: list[Run] = field(default_factory=list)
    attributes: list[Run] = field(default_factory=list)
    comments: list[Run] = field(default_factory=list)
    strings: list[Run] = field(default_factory=list)
    docs: list[Run] = field(default_factory=list)
    leading_docs: list[Run] = field(default_factory=list)
    following_docs: list[Run] = field(default_factory=list)
    imports: list[Run] = field(default_factory=list)


class Grammar:
    """One language's parser and query."""

    def __init__(self, language: Language) -> None:
        grammar = get_language(language.grammar)  # type: ignore[arg-type]
        self._parser = Parser(grammar)
        self._query = Query(grammar, query_source(language.queries))
        self._said = [""] * self._query.pattern_count
        self.name_in: Callable[[str], str] = _NameIn(_keywords(grammar)).__getitem__
        """The name that a run of letters, digits and underscores is; "" for a keyword or none."""

    def parse(self, source: bytes, edited: Tree | None = None) -> Tree:
        """The tree of `source`, which holds whatever the grammar could recover.

        `edited` is a tree of an older text that was told what is not as it was.
        """
        return self._parser.parse(source, edited) if edited else self._parser.parse(source)

    def captures(self, tree: Tree) -> Captures:
        """Run the query over the whole tree."""
        found = Captures()
        runs_of = {
            "wrap": found.wraps,
            "attribute": found.attributes,
            "comment": found.comments,
            "string": found.strings,
            "doc": found.docs,
            "doc.leading": found.leading_docs,
            "doc.following": found.following_docs,
            "import": found.imports,
        }
        said = self._said
        for pattern, captured in QueryCursor(self._query).matches(tree.root_node):
            name = said[pattern] or self._learn(pattern, captured)
            runs = runs_of.get(name)
            if runs is None:
                found.definitions.append((pattern, name, captured))
            else:
                for node in captured[name]:
                    runs.append(node.byte_range)
        return found

    def _learn(self, pattern: int, captured: dict[str, list[Node]]) -> str:
        """The one capture of a pattern that says what it is about."""
        name = next(name for name in captured if name.partition(".")[0] in _SUBJECTS)
        self._said[pattern] = name
        return name


class _NameIn(dict[str, str]):
    """Words with the names in them; asking for a new one looks for it."""

    def __init__(self, keywords: frozenset[str]) -> None:
        super().__init__()
        self._keywords = keywords

    def __missing__(self, word: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        name = word.lstrip(_DIGITS)
        if len(name) < 2 or name in self._keywords:
            name = ""
        self[word] = name
        return name


def _keywords(grammar: TreeSitterLanguage) -> frozenset[str]:
    """What the grammar spells in letters, or names as a keyword."""
    words = set()
    for i in range(grammar.node_kind_count):
        name = grammar.node_kind_for_id(i) or ""
        if name.startswith(_KEYWORD_KIND):
            word = name.removeprefix(_KEYWORD_KIND)
            words |= {word, word.upper()}
        elif not grammar.node_kind_is_named(i) and _WORD.fullmatch(name):
            words.add(name)
    return frozenset(words)


@cache
def grammar_of(language: str) -> Grammar:
    """The grammar of a language in the table; raises LookupError or OSError if it is not there."""
    return Grammar(BY_NAME[language])


@cache
def query_source(name: str) -> str:
    """The text of `queries/<name>.scm`, below that of the one it says it inherits."""
    text = (QUERIES / f"{name}.scm").read_text(encoding="utf-8")
    base = _INHERITS.match(text)
    return f"{query_source(base[1])}\n{text}" if base else text
