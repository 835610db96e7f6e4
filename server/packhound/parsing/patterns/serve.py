"""Answers of a parser process about patterns, as plain values for frames."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Any

from tree_sitter import Node

from packhound.core.types import Document
from packhound.parsing.extract.preprocess import preprocess
from packhound.parsing.languages import BY_NAME
from packhound.parsing.patterns import compile
from packhound.parsing.patterns.example import wider_patterns
from packhound.parsing.patterns.holes import HOLE
from packhound.parsing.patterns.match import find
from packhound.parsing.pool.framing import ExampleTask, PatternTask, Plain, ReadTask, RelaxTask
from packhound.parsing.source import Source

_WORD = re.compile(r"\S+")
_APART = re.compile(r"\s*(?: {2}|\n)\s*")
_PLAIN_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[\w$]")
_TYPES = frozenset({"bool", "char", "double", "float", "int", "long", "string", "void"})
_SIGN = re.compile(r"[^\w\s$'\"?!.,-]|[\w)\]]\.[\w$]|->|\$\$\$")
"""Signs of code that a sentence has not."""
_TOKEN = re.compile(
    r"""\$\$?\$?\w*|(?P<literal>"[^"\n]*"|'[^'\n]*'|`[^`\n]*`|\b\d[\w.]*)|(?P<name>\b[^\W\d]\w*)"""
)
_AMBIGUOUS = frozenset({"bash", "php", "markdown", "sql"})
"""Languages in which `$NAME` or plain words are code: a query is theirs only where it says so."""
_PROSE = frozenset({"markdown"})
_MAX_STARTS = 40


def read_pattern(task: ReadTask) -> Plain:
    """Return where the pattern in a text begins, its languages with literals, and the problem.

    The pattern of a query is what stands behind two blanks, else its longest end that parses and
    begins as code does; an explicit pattern is the whole text.
    """
    problem: tuple[str, int, str] | None = None
    for start, is_apart in [(0, True)] if task.is_explicit else _starts(task.text):
        goals: dict[str, compile.Goal] = {}
        text = task.text[start:]
        for language in task.languages:
            try:
                is_named = task.is_explicit or language not in _AMBIGUOUS
                if not is_named or not (is_apart or _may_begin(text, language)):
                    continue
                goals[language] = _compile(language, text)
            except compile.NoPattern as refused:
                refusal = language, start + refused.offset, str(refused)
                problem = max(problem or refusal, refusal, key=itemgetter(1))
            except (LookupError, OSError, ImportError):
                continue
        # What code does not read, prose does.
        if goals.keys() - _PROSE or (goals and problem is None):
            names = goals.keys() - _PROSE or goals.keys()
            literals = (
                (name, tuple(dict.fromkeys(goals[name].literals)))
                for name in goals
                if name in names
            )
            return start, tuple(literals), None
    return -1, (), problem


def _starts(text: str) -> list[tuple[int, bool]]:
    """Return where the pattern of a query may begin, in the order in which that is tried.

    The value beside it is True behind two blanks or a line end.
    """
    first = HOLE.search(text)
    if first is None:
        return []
    starts = [m.start() for m in _WORD.finditer(text) if m.start() <= first.start()]
    apart = [m.end() for m in _APART.finditer(text, 0, first.start() + 1)]
    return [(at, True) for at in apart[-1:]] + [(at, False) for at in starts[-_MAX_STARTS:]]


def _may_begin(text: str, language: str) -> bool:
    """Return True if an end of a query begins as code does, and not as a sentence."""
    word, _, rest = text.partition(" ")
    if word in _TYPES or word in _keywords(language):
        return bool(rest)
    return bool(_SIGN.search(text)) and not (_PLAIN_WORD.fullmatch(word) and _NAME.match(rest))


def relax_pattern(task: RelaxTask) -> Plain:
    """Return patterns with one further hole and what it was: literals first, then names."""
    tokens = [*_TOKEN.finditer(task.pattern)]
    tokens.sort(key=lambda token: token.lastgroup == "name")
    relaxed = list[tuple[str, str]]()
    for token in tokens:
        if not token.lastgroup or token[0] in _keywords(task.language):
            continue
        text = f"{task.pattern[: token.start()]}$_{task.pattern[token.end() :]}"
        try:
            goal = _compile(task.language, text)
        except compile.NoPattern:
            continue
        # Without a word a pattern matches everywhere, and all files are read for it.
        if any(_PLAIN_WORD.fullmatch(each.decode("utf-8", "replace")) for each in goal.literals):
            relaxed.append((text, token[0]))
    return tuple(relaxed)


def open_example(task: ExampleTask) -> Plain:
    """Return patterns of the structure of code, each wider, and what is open in each."""
    return tuple(wider_patterns(task.language, task.code))


def _errors_in(node: Node) -> Iterator[Node]:
    """Yield the nodes that the grammar could not read, or that are missing."""
    if node.is_error or node.is_missing:
        yield node
    elif node.has_error:
        for child in node.children:
            yield from _errors_in(child)


@lru_cache(maxsize=64)
def _keywords(language: str) -> frozenset[str]:
    grammar = compile.language_of(language)
    names = (
        grammar.node_kind_for_id(i) or ""
        for i in range(grammar.node_kind_count)
        if not grammar.node_kind_is_named(i)
    )
    return frozenset(name for name in names if _PLAIN_WORD.fullmatch(name))


@lru_cache(maxsize=256)
def _compile(language: str, text: str) -> compile.Goal:
    return compile.compile_pattern(language, text)


def find_pattern(task: PatternTask) -> Plain:
    """Return start, end and captures (name, start, end) of each match in a document, by start.

    Without a pattern they are the errors of its tree.
    """
    document = Document(task.path, task.source, task.language)
    code, _ = preprocess(Source(document.path, document.source, BY_NAME[task.language]))
    tree = compile.parser_of(task.language).parse(code)
    if not task.pattern:
        return tuple((n.start_byte, n.end_byte, ()) for n in _errors_in(tree.root_node))
    try:
        goal = _compile(task.language, task.pattern)
    except compile.NoPattern:
        return ()
    rows: list[Any] = []
    for found in find(compile.language_of(task.language), goal, tree):
        captures = tuple(
            (name, nodes[0].start_byte, nodes[-1].end_byte)
            for name, nodes in sorted(found.captures.items())
            if nodes
        )
        rows.append((found.node.start_byte, found.node.end_byte, captures))
    return tuple(rows)
