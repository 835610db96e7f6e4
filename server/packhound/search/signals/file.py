"""Signals of a file: its words, its meaning and its nature.

Each signal is one small function and its docstring is its meaning, as users are shown it.
"""

from __future__ import annotations

import re

import numpy as np

from packhound.core.arrays import Floats, contained_in
from packhound.search.kinds import REST
from packhound.search.query.parse import STOPS
from packhound.search.retrieve.term_matches import BODY, NAME
from packhound.search.signals.bloom import bigrams_of
from packhound.search.signals.context import (
    SignalContext,
    ranks,
    relative,
    top_four,
    zeros_per_file,
    zeros_per_node,
)
from packhound.search.signals.node import dense_node
from packhound.text import aggressive_stem, stem

_WORDS = re.compile(r"[^\W_]+")


def lexical(context: SignalContext) -> Floats:
    """Query words in the file's best part, raised by how many of its parts match."""
    return relative(context.file_words)


def lexical_rank(context: SignalContext) -> Floats:
    """Place of the file when files are ordered by their words alone."""
    return ranks(context.file_words)


def best_node(context: SignalContext) -> Floats:
    """Query words in the file's best part."""
    return relative(context.file_best)


def all_nodes(context: SignalContext) -> Floats:
    """Query words in all parts of the file together."""
    return relative(context.file_sum)


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


def defines_times(context: SignalContext) -> Floats:
    """Number of definitions in the file that have a name of the query."""
    return np.log1p(context.candidates.file_sum(context.named_folded.astype(np.float32)))


def defines_size(context: SignalContext) -> Floats:
    """Length of the definition of the query's name."""
    if not context.query.names:
        return zeros_per_file(context)
    length = np.log1p(context.node(context.snapshot.lengths[BODY]).astype(np.float32))
    return context.candidates.file_max(length * context.named_folded)


def defined_elsewhere(context: SignalContext) -> Floats:
    """In a test, example or old copy, and code that is none defines the name of the query too."""
    values = zeros_per_node(context)
    rows = np.flatnonzero(context.named)
    aside = test_path(context) + example_path(context) + stale_path(context)
    is_aside = aside[context.candidates.owner[rows]] > 0
    if not is_aside.all():
        values[rows] = is_aside
    return values


def stem_is_name(context: SignalContext) -> Floats:
    """The file is called like a name of the query."""
    mask = np.zeros(len(context.candidates.files), np.bool_)
    for name in {name.replace("_", "").lower() for name in context.query.names}:
        mask |= contained_in(context.candidates.files, context.snapshot.path_table.stems.of(name))
    return mask.astype(np.float32)


def query_in_folders(context: SignalContext) -> Floats:
    """Share of the query's words, rare ones counting more, that the folders have."""
    words = context.path_words
    return words.share(words.weights, words.in_folders)


def mentioned(context: SignalContext) -> Floats:
    """The query mentions the file's path or name with its ending."""
    paths = [f"/{path.strip('/.~')}" for path in context.query.paths]
    paths += [frame.path for frame in context.query.frames]
    if not paths:
        return zeros_per_file(context)
    entries = context.candidates.entries
    return np.array([any(_path_agrees(e.path, p) for p in paths) for e in entries], np.float32)


def stem_in_query_kin(context: SignalContext) -> Floats:
    """Share of the words in the file's name of whose family the query has a word."""
    matches = np.zeros(len(context.candidates.files), np.intp)
    for mask in context.path_words.groups_in_stem.values():
        matches += mask
    return (matches / np.maximum(1, context.file(context.stats.n_stem_groups))).astype(np.float32)


def first_words_in_stem(context: SignalContext) -> Floats:
    """Words at the start of the query that the file's name has, in their family."""
    weights: dict[str, float] = {}
    for position, term in enumerate(context.query.terms, 1):
        weights.setdefault(aggressive_stem(term), 1 / position)
    words = context.path_words
    return words.share(weights, words.groups_in_stem)


def neighbours_in_name(context: SignalContext) -> Floats:
    """The file defines a name in which neighbouring words of the query are neighbours."""
    matches = zeros_per_file(context)
    words = _WORDS.findall(context.query.title.lower())
    bigrams = bigrams_of(word for word in words if stem(word) not in STOPS)
    if bigrams:
        # Names that match a word of the query by its stem group alone are left out.
        nodes = np.flatnonzero(context.lexical.name)
        node_ids = context.candidates.node_ids.take(nodes)
        eligible = context.snapshot.lengths[NAME].take(node_ids) > 1
        eligible &= REST.take(context.kinds.take(nodes)) == 0
        name_ids = context.snapshot.name_of.take(node_ids[eligible])
        names = context.snapshot.name_table.names
        mask = context.stats.bigrams.match_any(names, name_ids, bigrams)
        matches[context.candidates.owner.take(nodes[eligible][mask])] = 1
    return matches


def entry_file(context: SignalContext) -> Floats:
    """A file that stands for its folder (`index`, `mod`, `__init__`, `main`)."""
    return context.flags("is_entry")


def grab_bag(context: SignalContext) -> Floats:
    """A file of helpers (`utils`, `common`, `helpers`)."""
    return context.flags("is_grab_bag")


def file_mentioned(context: SignalContext) -> Floats:
    """The report mentions names that the file defines."""
    if context.mentioned is None:
        return zeros_per_file(context)
    return relative(np.log1p(context.candidates.file_sum(context.mentioned)))


def file_framed(context: SignalContext) -> Floats:
    """The file is in a stack trace of the report, more so near its end."""
    if context.framed is None:
        return zeros_per_file(context)
    return context.candidates.file_max(context.framed)


def module_mentioned(context: SignalContext) -> Floats:
    """Share of the path's parts that a dotted name of the report spells out."""
    dotted = [frozenset(p.lower() for p in parts) for parts in context.query.qualified]
    if context.query.kind != "report" or not dotted:
        return zeros_per_file(context)
    overlaps = []
    for entry in context.candidates.entries:
        path = [part.lower() for part in re.split(r"[/.]", entry.path)[:-1]]
        module = {part.strip("_") for part in path[-2:]}
        overlaps.append(max(len(module & names) for names in dotted))
    return np.array(overlaps, np.float32)


def _path_agrees(path: str, mention: str) -> bool:
    return f"/{path}".endswith(mention) or (mention.count("/") > 1 and mention.endswith(f"/{path}"))
