"""Signals of one node alone, which tell the nodes of a file apart."""

from __future__ import annotations

import numpy as np

from packhound.core.arrays import Floats
from packhound.search.kinds import DEFINED_TYPE, FUNCTION, IMPL, REST, TYPE
from packhound.search.retrieve.term_matches import BODY
from packhound.search.signals.context import SignalContext, relative, zeros_per_node


def node_words(context: SignalContext) -> Floats:
    """Query words in the code."""
    return relative(context.lexical.node)


def node_name(context: SignalContext) -> Floats:
    """Query words in the code's name."""
    return relative(context.lexical.name)


def node_signature(context: SignalContext) -> Floats:
    """Query words in the code's signature."""
    return relative(context.lexical.signature)


def node_doc(context: SignalContext) -> Floats:
    """Query words in the code's doc comment."""
    return relative(context.lexical.doc)


def node_covered(context: SignalContext) -> Floats:
    """Share of the query's words, rare ones counting more, that the code has."""
    return context.lexical.covered


def prints_message(context: SignalContext) -> Floats:
    """The code has the text that prints the message, whatever its values were."""
    values, printers = zeros_per_node(context), context.query.printers
    if printers:
        node_ids = np.fromiter(printers, np.intp, len(printers))
        rows, positions = context.candidates.locate(node_ids)
        shares = np.array([share for share, _ in printers.values()], np.float32)
        values[positions] = shares[rows]
    return values


def exact_match(context: SignalContext) -> Floats:
    """The code is exactly what the query says: its path, its name, or the place of its text."""
    values, matches = zeros_per_node(context), context.query.exact_matches
    if matches:
        rows, positions = context.candidates.locate(np.fromiter(matches, np.intp, len(matches)))
        levels = np.array([match.level for match in matches.values()], np.float32)
        values[positions] = levels[rows]
    return values


def node_compound(context: SignalContext) -> Floats:
    """Neighbouring words of the query written as one identifier in the code."""
    return relative(context.compounds)


def node_named(context: SignalContext) -> Floats:
    """The code defines a name of the query, letter for letter."""
    return context.named.astype(np.float32)


def node_owned(context: SignalContext) -> Floats:
    """The code bears a qualified name of the query with the owner that the query gives it."""
    return context.owned.astype(np.float32)


def node_defines_type(context: SignalContext) -> Floats:
    """The code is the class, struct, trait or other type that the query names."""
    # A type in another case counts where nothing has the name letter for letter.
    named = context.named if context.named.any() else context.named_folded
    return DEFINED_TYPE.take(context.kinds) * named.astype(np.float32)


def namesakes_above(context: SignalContext) -> Floats:
    """Number of longer impls of the type, or overloads of the function, that the query names."""
    values = zeros_per_node(context)
    rows = np.flatnonzero(context.named_folded)
    if len(rows) < 2:
        return values
    groups: dict[object, list[tuple[int, str, int, int]]] = {}
    lengths = context.node(context.snapshot.lengths[BODY])[rows].tolist()
    kinds, node_ids = context.kinds[rows].tolist(), context.candidates.node_ids[rows].tolist()
    for row, kind, node_id, length in zip(rows.tolist(), kinds, node_ids, lengths, strict=True):
        entry, position = context.snapshot.locate(node_id)
        group = kind if IMPL[kind] else (entry.path, entry.qualname(position), kind)
        # Ties by path and position, not by node id, which depends on the order of indexing.
        groups.setdefault(group, []).append((-length, entry.path, position, row))
    for group in groups.values():
        values[[row for *_, row in sorted(group)]] = np.arange(len(group))
    return values


def dense_node(context: SignalContext) -> Floats:
    """Likeness of meaning between the query and the code."""
    return zeros_per_node(context) if context.similarity is None else context.similarity


def node_size(context: SignalContext) -> Floats:
    """Length of the code."""
    return np.log1p(context.node(context.snapshot.lengths[BODY]).astype(np.float32))


def node_is_type(context: SignalContext) -> Floats:
    """The code is a class, a struct, a trait or another type."""
    return TYPE.take(context.kinds)


def node_is_function(context: SignalContext) -> Floats:
    """The code is a function or a method."""
    return FUNCTION.take(context.kinds)


def node_is_rest(context: SignalContext) -> Floats:
    """The code is what a file holds outside its definitions, or a stretch of plain text."""
    return REST.take(context.kinds)


def node_mentioned(context: SignalContext) -> Floats:
    """The report mentions the code's name."""
    return zeros_per_node(context) if context.mentioned is None else np.log1p(context.mentioned)


def dense_code_node(context: SignalContext) -> Floats:
    """Likeness of meaning between the code that the report quotes and this code."""
    return zeros_per_node(context) if context.code_similarity is None else context.code_similarity
