"""Occurrences of a query's words in its hits: what a reason can name and a person can check."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, contained_in
from packhound.core.types import NodeRef
from packhound.search.query.parse import ParsedQuery
from packhound.search.signals.context import SignalContext
from packhound.text import MAX_WORD, fold_identifier, parts, runs, terms, terms_of_run

_MAX_WORDS = 12
"""Heaviest words of a report that reasons name."""
_MAX_CHARACTERS = 2_000
"""Of a query or a comment that are compared."""
_MAX_SOURCE = 20_000
"""Of the text of a node that words are looked for in."""
_MAX_PHRASE = 8
MAX_LINE = 200


class QueryWord(NamedTuple):
    """A word of a query as it is typed, or a part of an identifier."""

    text: str
    term: str
    idf: float


class WordMatches(NamedTuple):
    """The words of a query that one hit has: in any field or its path, and in each place."""

    anywhere: tuple[QueryWord, ...] = ()
    name: tuple[QueryWord, ...] = ()
    signature: tuple[QueryWord, ...] = ()
    doc: tuple[QueryWord, ...] = ()
    path: tuple[QueryWord, ...] = ()

    def outside(self, *fields: tuple[QueryWord, ...]) -> tuple[QueryWord, ...]:
        """Return the words that are in none of some fields."""
        elsewhere = {word for words in fields for word in words}
        return tuple(word for word in self.anywhere if word not in elsewhere)


def words_of(context: SignalContext) -> tuple[QueryWord, ...]:
    """Return the words of a query in their order, of many the heaviest."""
    query, idfs = context.query, context.retrieval.matches.idfs
    spelling = _spell(query)
    words = [
        QueryWord(spelling[term], term, idf)
        for term, idf in zip(query.terms, idfs, strict=True)
        if term in spelling
    ]
    heaviest = set(sorted(words, key=lambda word: -word.idf)[:_MAX_WORDS])
    return tuple(word for word in words if word in heaviest)


def match_words(
    context: SignalContext, words: Sequence[QueryWord], node_ids: NDArray[np.integer[Any]]
) -> list[WordMatches]:
    """Look words of the query up in the fields of some nodes."""
    rows = {term: row for row, term in enumerate(context.query.terms)}
    masks = np.zeros((len(words), len(WordMatches._fields), len(node_ids)), np.bool_)
    file_ids = context.snapshot.file_of.take(node_ids)
    for mask, word in zip(masks, words, strict=True):
        match, start = context.retrieval.matches.terms[rows[word.term]], 0
        mask[0] = contained_in(node_ids, match.nodes[0])
        if not mask[0].any():
            continue
        for field, count in enumerate(match.field_counts, 1):
            mask[field] = contained_in(node_ids, match.field_hits[0][start : start + count])
            start += count
        mask[-1] = contained_in(file_ids, match.in_paths)
    return [
        WordMatches(*(tuple(w for w, has in zip(words, row, strict=True) if has) for row in rows))
        for rows in masks.transpose(2, 1, 0).tolist()
    ]


def _spell(query: ParsedQuery) -> dict[str, str]:
    """Return the spelling of each term that is a word or a part of one."""
    spelling: dict[str, str] = {}
    for run in runs(query.text[: 10 * _MAX_CHARACTERS]):
        found = terms_of_run(run)
        if len(found) == 1:  # Its stem, or itself, as identifiers of several parts have it.
            spelling.setdefault(found[0], run)
            spelling.setdefault(fold_identifier(run), run)
        # The last of several terms is the identifier as a whole.
        for term, part in zip(found[:-1], parts(run), strict=False):
            spelling.setdefault(term, part)
    return spelling


def as_written(words: Sequence[QueryWord], text: str, *, in_parts: bool = False) -> str:
    """Return those of some words that a text has as they stand there, whole or as parts of names.

    A run that is no word, such as a sentence in a script without spaces, is left out.
    """
    written: dict[str, str] = {}
    for run in runs(text[:_MAX_SOURCE]):
        pieces = parts(run) if in_parts else [run]
        for piece in pieces if len(run) <= MAX_WORD else ():
            for term in terms_of_run(piece):
                written.setdefault(term, piece)
    present = [written[word.term] for word in words if word.term in written]
    return ", ".join(dict.fromkeys(present))


def shared_phrase(query: ParsedQuery, doc: str, words: Sequence[QueryWord]) -> str:
    """Return neighbouring words of the query that a comment has too, if `words` are all in them."""
    typed = [run.lower() for run in runs(query.title[:_MAX_CHARACTERS])]
    positions = [typed.index(word.text.lower()) for word in words if word.text.lower() in typed]
    if len(positions) < len(words) or len(typed) < 2:
        return ""
    first, last = min(positions), max(positions) + 1
    if last - first > _MAX_PHRASE:
        return ""
    text = f" {' '.join(runs(doc[:_MAX_CHARACTERS].lower()))} "
    # With the words around it, as far as the comment has them: "after a timeout".
    while first > 0 and f" {' '.join(typed[first - 1 : last])} " in text:
        first -= 1
    while last < len(typed) and f" {' '.join(typed[first : last + 1])} " in text:
        last += 1
    phrase = " ".join(typed[first:last])
    return phrase if last - first > 1 and f" {phrase} " in text else ""


def best_line(node: NodeRef, words: Sequence[QueryWord]) -> str:
    """Return the line of a node's signature and comment with the most weight of the words."""
    lines = [node.signature, *node.doc[:_MAX_CHARACTERS].splitlines()]
    lines = [line for line in map(str.strip, lines) if line]
    weights = {word.term: word.idf for word in words}

    def weight(line: str) -> float:
        # Exact in any order, since a set has none: lines with the same words are equal.
        return math.fsum([weights.get(term, 0.0) for term in set(terms(line))])

    # Of equal lines the first, which is the signature.
    return max(lines, key=weight, default="")[:MAX_LINE]


def meaning_ranks(similarity: Floats, positions: NDArray[np.integer[Any]]) -> list[int]:
    """Return the ranks of some candidates by their likeness of meaning to the query, from 1."""
    chosen = similarity.take(positions)
    ranks: list[int] = ((similarity > chosen[:, None]).sum(axis=1) + 1).tolist()
    return ranks
