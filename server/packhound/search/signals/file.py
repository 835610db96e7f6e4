"""Signals of a file: its words, its meaning and its nature.

Each signal is one small function and its docstring is its meaning, as users are shown it.
"""

from __future__ import annotations

import numpy as np

from packhound.core.arrays import Floats
from packhound.search.signals.context import (
    SignalContext,
    ranks,
    relative,
    top_four,
    zeros_per_file,
)
from packhound.search.signals.node import dense_node


def lexical(context: SignalContext) -> Floats:
    """Query words in the file's best part, raised by how many of its parts match."""
    return relative(context.file(context.retrieval.file_scores))


def lexical_rank(context: SignalContext) -> Floats:
    """Place of the file when files are ordered by their words alone."""
    return ranks(context.file(context.retrieval.file_scores))


def best_node(context: SignalContext) -> Floats:
    """Query words in the file's best part."""
    return relative(context.file(context.retrieval.file_best))


def all_nodes(context: SignalContext) -> Floats:
    """Query words in all parts of the file together."""
    return relative(context.file(context.retrieval.file_sum))


def whole_file_rank(context: SignalContext) -> Floats:
    """Place of the file when files are read as one text each."""
    return ranks(context.lexical.file)


def path_words(context: SignalContext) -> Floats:
    """Query words in the path."""
    return relative(context.lexical.path)


def path_rank(context: SignalContext) -> Floats:
    """Place of the file when files are ordered by the words of their paths."""
    return ranks(context.lexical.path)


def file_coverage(context: SignalContext) -> Floats:
    """Share of the query's words, rare ones counting more, that the file has anywhere."""
    return context.lexical.file_covered


def compound_file(context: SignalContext) -> Floats:
    """Neighbouring words of the query written as one identifier in the file or its path."""
    return relative(context.candidates.file_max(context.compounds))


def dense_best(context: SignalContext) -> Floats:
    """Likeness of meaning between the query and the file's best part."""
    return context.candidates.file_max(dense_node(context))


def dense_file(context: SignalContext) -> Floats:
    """Likeness of meaning between the query and the file's four best parts."""
    return context.file_similarity


def dense_title_file(context: SignalContext) -> Floats:
    """Likeness of meaning between the report's title and the file's four best parts."""
    if context.title_similarity is None:
        return zeros_per_file(context)
    return top_four(context, context.title_similarity)


def dense_rank(context: SignalContext) -> Floats:
    """Place of the file when files are ordered by meaning alone."""
    return ranks(context.file_similarity)


def dense_centroid(context: SignalContext) -> Floats:
    """Likeness of meaning between the query and the file as a whole."""
    return zeros_per_file(context) if context.file_centroid is None else context.file_centroid


def test_path(context: SignalContext) -> Floats:
    """A test, when the query does not ask for tests."""
    return zeros_per_file(context) if context.query.wants_tests else context.flags("is_test")


def example_path(context: SignalContext) -> Floats:
    """An example, benchmark or document, when the query does not ask for examples."""
    return zeros_per_file(context) if context.query.wants_examples else context.flags("is_example")


def stale_path(context: SignalContext) -> Floats:
    """Generated, vendored, deprecated or a build script."""
    return context.flags("is_stale")


def internal_path(context: SignalContext) -> Floats:
    """In a folder or file that is called internal or private."""
    return context.flags("is_internal")


def prose_file(context: SignalContext) -> Floats:
    """Prose rather than code."""
    return context.flags("is_prose")


def setting_file(context: SignalContext) -> Floats:
    """Settings or data rather than code."""
    return context.flags("is_setting")


def header_file(context: SignalContext) -> Floats:
    """A header or a declaration file."""
    return context.flags("is_header")


def depth(context: SignalContext) -> Floats:
    """Folders below the shallowest file."""
    return context.file(context.stats.depth)


def node_count(context: SignalContext) -> Floats:
    """Number of definitions in the file."""
    return np.asarray(np.log1p(context.file(context.stats.n_nodes)), np.float32)
