"""What the words, the meaning and the nature of a file say of all its nodes.

Each signal is one small function and its docstring is its meaning, as users are shown it.
"""

from __future__ import annotations

import numpy as np

from packhound.core.arrays import Floats
from packhound.search.signals.context import View, no_file, ranks, relative
from packhound.search.signals.node import dense_node


def lexical(view: View) -> Floats:
    """Query words in the file's best node, raised by how many of its nodes match."""
    return relative(view.base)


def lexical_rank(view: View) -> Floats:
    """Place of the file when files are ordered by their words alone."""
    return ranks(view.base)


def best_node(view: View) -> Floats:
    """Query words in the file's best node."""
    return relative(view.best)


def all_nodes(view: View) -> Floats:
    """Query words in all nodes of the file together."""
    return relative(view.total)


def whole_file_rank(view: View) -> Floats:
    """Place of the file when files are read as one text each."""
    return ranks(view.lexical.file)


def path_words(view: View) -> Floats:
    """Query words in the path."""
    return relative(view.lexical.path)


def path_rank(view: View) -> Floats:
    """Place of the file when files are ordered by the words of their paths."""
    return ranks(view.lexical.path)


def best_name(view: View) -> Floats:
    """Query words in the best name or signature of the file."""
    scores = view.lexical.name + view.lexical.signature
    return relative(view.candidates.best(scores))


def file_coverage(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, that the file has anywhere."""
    return view.lexical.file_covered


def compound_file(view: View) -> Floats:
    """Neighbouring words of the query written as one identifier in the file or its path."""
    return relative(view.candidates.best(view.compounds))


def dense_best(view: View) -> Floats:
    """Likeness of meaning between the query and the file's best node."""
    return view.candidates.best(dense_node(view))


def dense_file(view: View) -> Floats:
    """Likeness of meaning between the query and the file's four best nodes."""
    return view.kept(_four_best_of_query)


def dense_title_file(view: View) -> Floats:
    """Likeness of meaning between the report's title and the file's four best nodes."""
    if view.title_similarity is None:
        return no_file(view)
    return _four_best(view, view.title_similarity)


def dense_rank(view: View) -> Floats:
    """Place of the file when files are ordered by meaning alone."""
    return ranks(view.kept(_four_best_of_query))


def dense_centroid(view: View) -> Floats:
    """Likeness of meaning between the query and the file as a whole."""
    if view.centroid is None:
        return np.zeros(len(view.candidates.files), np.float32)
    return view.centroid


def test_path(view: View) -> Floats:
    """A test, when the query does not ask for tests."""
    return no_file(view) if view.query.wants_tests else view.flags("is_test")


def example_path(view: View) -> Floats:
    """An example, benchmark or document, when the query does not ask for examples."""
    return no_file(view) if view.query.wants_examples else view.flags("is_example")


def stale_path(view: View) -> Floats:
    """Generated, vendored, deprecated or a build script."""
    return view.flags("is_stale")


def internal_path(view: View) -> Floats:
    """In a folder or file that is called internal or private."""
    return view.flags("is_internal")


def prose_file(view: View) -> Floats:
    """Prose rather than code."""
    return view.flags("is_prose")


def setting_file(view: View) -> Floats:
    """Settings or data rather than code."""
    return view.flags("is_setting")


def header_file(view: View) -> Floats:
    """A header or a declaration file."""
    return view.flags("is_header")


def depth(view: View) -> Floats:
    """Folders below the shallowest file."""
    return view.file(view.corpus.depth)


def node_count(view: View) -> Floats:
    """How many nodes the file has (logarithm)."""
    return np.asarray(np.log1p(view.file(view.corpus.n_nodes)), np.float32)


def _four_best_of_query(view: View) -> Floats:
    return _four_best(view, dense_node(view))


def _four_best(view: View, similarity: Floats) -> Floats:
    """Cosine of the best node, half the second, a quarter of the third, an eighth of the fourth."""
    candidates = view.candidates
    left = np.maximum(0, similarity)
    best = candidates.best(left)
    total: Floats = best.copy()
    first = np.empty(len(candidates.files), np.intp)
    for weight in (0.5, 0.25, 0.125):
        at = np.flatnonzero(left == best.take(candidates.owner))[::-1]
        # Of equal nodes the first is taken: assigned last, it is the one that stays.
        first[candidates.owner[at]] = at
        left[first] = 0
        best = candidates.best(left)
        total += np.float32(weight) * best
    return total
