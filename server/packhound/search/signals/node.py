"""What is said of one node alone; these signals tell the nodes of a file apart."""

from __future__ import annotations

import numpy as np

from packhound.core.arrays import Floats
from packhound.search.kinds import FUNCTION, REST, TYPE
from packhound.search.retrieve.term_matches import BODY, NAME
from packhound.search.signals.context import View, no_node, relative


def node_words(view: View) -> Floats:
    """Query words in the node."""
    return relative(view.lexical.node)


def node_name(view: View) -> Floats:
    """Query words in the node's name."""
    return relative(view.lexical.name)


def node_signature(view: View) -> Floats:
    """Query words in the node's signature."""
    return relative(view.lexical.signature)


def node_doc(view: View) -> Floats:
    """Query words in the node's doc comment."""
    return relative(view.lexical.doc)


def node_covered(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, that the node has."""
    return view.lexical.covered


def name_in_query(view: View) -> Floats:
    """Share of the words of the node's name that the query has."""
    lengths = view.node(view.snapshot.lengths[NAME]).astype(np.float32)
    return np.minimum(1, view.lexical.name_hits / np.maximum(1, lengths))


def node_compound(view: View) -> Floats:
    """Neighbouring words of the query written as one identifier in the node."""
    return relative(view.compounds)


def node_named(view: View) -> Floats:
    """The node defines a name of the query, letter for letter."""
    return view.named.astype(np.float32)


def node_named_folded(view: View) -> Floats:
    """The node defines a name of the query, in any letter case."""
    return view.named_folded.astype(np.float32)


def node_owned(view: View) -> Floats:
    """The node bears a qualified name of the query with the owner that the query gives it."""
    return view.owned.astype(np.float32)


def dense_node(view: View) -> Floats:
    """Likeness of meaning between the query and the node."""
    if view.similarity is None:
        return np.zeros(len(view.candidates), np.float32)
    return view.similarity


def node_size(view: View) -> Floats:
    """How long the node is (logarithm)."""
    return np.log1p(view.node(view.snapshot.lengths[BODY]).astype(np.float32))


def node_is_type(view: View) -> Floats:
    """The node is a class, a struct, a trait or another type."""
    return TYPE.take(view.kinds)


def node_is_function(view: View) -> Floats:
    """The node is a function or a method."""
    return FUNCTION.take(view.kinds)


def node_is_rest(view: View) -> Floats:
    """The node is what a file holds outside its definitions, or a stretch of plain text."""
    return REST.take(view.kinds)


def node_mentioned(view: View) -> Floats:
    """How strongly the report mentions the node's name."""
    return no_node(view) if view.mentioned is None else np.log1p(view.mentioned)


def node_framed(view: View) -> Floats:
    """The node is in a stack trace of the report, more so near its end."""
    return no_node(view) if view.framed is None else view.framed


def dense_code_node(view: View) -> Floats:
    """Likeness of meaning between the code that the report quotes and the node."""
    return no_node(view) if view.code_similarity is None else view.code_similarity
