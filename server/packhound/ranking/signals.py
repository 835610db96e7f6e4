"""The reasons for a score: each signal is one small function, and its docstring is its meaning.

A file signal has one value per candidate file, which all nodes of the file share; a node signal
has one per candidate node. Signals whose names begin with `dense` need vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from packhound.index.snapshot import Snapshot
from packhound.ranking.candidates import Candidates
from packhound.ranking.facts import Corpus
from packhound.ranking.kin import root_of, roots_of
from packhound.ranking.lexical import BODY, DOC, NAME, Lexical
from packhound.ranking.query import ParsedQuery
from packhound.text.tokens import stem
from packhound.types import KINDS

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """All that signals may look at: one query, its candidates and what was measured of them.

    `similarity` and `compound` have one row per candidate node; `best`, `total` and `base` one
    per candidate file. `similarity` is None where there are no vectors.
    """

    query: ParsedQuery
    snapshot: Snapshot
    corpus: Corpus
    candidates: Candidates
    lexical: Lexical
    compounds: Floats
    best: Floats
    total: Floats
    base: Floats
    named: NDArray[np.bool_]
    named_folded: NDArray[np.bool_]
    owned: NDArray[np.bool_]
    similarity: Floats | None
    centroid: Floats | None
    _kept: dict[str, Floats] = field(default_factory=dict)

    def node(self, values: Floats) -> Floats:
        """Values per label, at the candidate nodes."""
        return values[self.candidates.labels]

    def file(self, values: Floats) -> Floats:
        """Values per file id, at the candidate files."""
        return values[self.candidates.files]

    def flags(self, name: str) -> Floats:
        """A yes-or-no fact of the candidate files as 0 and 1."""
        found = [getattr(facts, name) for facts in self.candidates.facts]
        return np.array(found, np.float32)

    def kept(self, name: str, make: Callable[[View], Floats]) -> Floats:
        """A value that several signals share, made once."""
        known = self._kept.get(name)
        if known is None:
            known = self._kept[name] = make(self)
        return known


Measure = Callable[[View], Floats]


def _relative(values: Floats) -> Floats:
    """Divided by the largest, so that queries of any length are on one scale."""
    largest = values.max(initial=0)
    return values / largest if largest > 0 else np.zeros_like(values)


def _ranks(values: Floats) -> Floats:
    """1 for the best, falling with the logarithm of the rank, 0 from rank 60 on."""
    order = np.argsort(-values, kind="stable")
    # Equal values share the best rank among them, so that order within ties says nothing.
    ranked = values[order]
    firsts = np.searchsorted(-ranked, -ranked, side="left")
    ranks = np.empty(len(values), np.float32)
    ranks[order] = firsts
    return np.maximum(0, 1 - np.log1p(ranks) / np.float32(np.log(60.0))).astype(np.float32)


# --- words, per file -------------------------------------------------------------------------


def lexical(view: View) -> Floats:
    """Query words in the file's best node, raised by how many of its nodes match."""
    return _relative(view.base)


def lexical_rank(view: View) -> Floats:
    """Place of the file when files are ordered by their words alone."""
    return _ranks(view.base)


def best_node(view: View) -> Floats:
    """Query words in the file's best node."""
    return _relative(view.best)


def all_nodes(view: View) -> Floats:
    """Query words in all nodes of the file together."""
    return _relative(view.total)


def whole_file(view: View) -> Floats:
    """Query words in the file read as one text."""
    return _relative(view.file(view.lexical.file))


def whole_file_rank(view: View) -> Floats:
    """Place of the file when files are read as one text each."""
    return _ranks(view.file(view.lexical.file))


def path_words(view: View) -> Floats:
    """Query words in the path."""
    return _relative(view.file(view.lexical.path))


def path_rank(view: View) -> Floats:
    """Place of the file when files are ordered by the words of their paths."""
    return _ranks(view.file(view.lexical.path))


def best_name(view: View) -> Floats:
    """Query words in the best name or signature of the file."""
    scores = view.lexical.name + view.lexical.signature
    return _relative(view.candidates.best(view.node(scores)))


def best_doc(view: View) -> Floats:
    """Query words in the best doc comment of the file."""
    return _relative(view.candidates.best(view.node(view.lexical.doc)))


def file_coverage(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, that the file has anywhere."""
    return view.file(view.lexical.file_covered)


def node_coverage(view: View) -> Floats:
    """Largest share of the query's words that one node of the file has."""
    return view.candidates.best(view.node(view.lexical.covered))


def compound_file(view: View) -> Floats:
    """Neighbouring words of the query written as one identifier in the file or its path."""
    return _relative(view.candidates.best(view.node(view.compounds)))


# --- names and paths, per file ---------------------------------------------------------------


def defines(view: View) -> Floats:
    """The file defines a name of the query, letter for letter."""
    return view.candidates.best(view.named.astype(np.float32))


def defines_folded(view: View) -> Floats:
    """The file defines a name of the query, in any letter case."""
    return view.candidates.best(view.named_folded.astype(np.float32))


def defines_times(view: View) -> Floats:
    """How many nodes of the file bear a name of the query."""
    return np.log1p(view.candidates.total(view.named_folded.astype(np.float32)))


def defines_kind(view: View) -> Floats:
    """What the query's name is here: a type counts most, then a function, then the rest."""
    rank = _KIND_RANK[view.node(view.snapshot.kind_of)]
    return view.candidates.best(rank * view.named_folded)


def defines_size(view: View) -> Floats:
    """How long the definition of the query's name is."""
    length = np.log1p(view.node(view.snapshot.lengths[BODY]).astype(np.float32))
    return view.candidates.best(length * view.named_folded)


def defines_with_owner(view: View) -> Floats:
    """The file defines a qualified name of the query with the owner that the query gives it."""
    return view.candidates.best(view.owned.astype(np.float32))


def stem_is_name(view: View) -> Floats:
    """The file is called like a name of the query."""
    names = {name.replace("_", "").lower() for name in view.query.names}
    return np.array([facts.stem in names for facts in view.candidates.facts], np.float32)


def stem_in_query(view: View) -> Floats:
    """Share of the words in the file's name that the query has."""
    words = frozenset(view.query.terms)
    return np.array(
        [_share(facts.stem_words, words) for facts in view.candidates.facts], np.float32
    )


def query_in_stem(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, that the file's name has."""
    weights = _term_weights(view)
    whole = sum(weights.values()) or 1.0
    return np.array(
        [sum(weights.get(w, 0.0) for w in f.stem_words) / whole for f in view.candidates.facts],
        np.float32,
    )


def query_in_folders(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, that the folders have."""
    weights = _term_weights(view)
    whole = sum(weights.values()) or 1.0
    return np.array(
        [sum(weights.get(w, 0.0) for w in f.folder_words) / whole for f in view.candidates.facts],
        np.float32,
    )


def common_stem(view: View) -> Floats:
    """How many files of the corpus share the file's name (`utils`, `index`, `mod`)."""
    stems = view.corpus.stems
    return np.log(np.array([stems[f.stem] for f in view.candidates.facts], np.float32))


def mentioned(view: View) -> Floats:
    """The query mentions the file's path or name with its ending."""
    paths = [f"/{path.strip('/.~')}" for path in view.query.paths]
    paths += [frame.path for frame in view.query.frames]
    found = [any(_path_agrees(f.entry.path, path) for path in paths) for f in view.candidates.facts]
    return np.array(found, np.float32)


def stem_in_query_kin(view: View) -> Floats:
    """Share of the words in the file's name of whose family the query has a word."""
    roots = frozenset(_root_weights(view))
    return np.array([_share(tuple(f.stem_roots), roots) for f in view.candidates.facts], np.float32)


def query_in_stem_kin(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, of whose family the file's name is."""
    return _root_share(view, [f.stem_roots for f in view.candidates.facts])


def query_in_path_kin(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, of whose family the path is."""
    return _root_share(view, [f.stem_roots | f.folder_roots for f in view.candidates.facts])


def first_words_in_stem(view: View) -> Floats:
    """Words at the start of the query that the file's name has, in their family."""
    places = {}
    for place, term in enumerate(view.query.terms):
        places.setdefault(root_of(term), 1 / (1 + place))
    whole = sum(places.values()) or 1.0
    return np.array(
        [sum(places.get(r, 0.0) for r in f.stem_roots) / whole for f in view.candidates.facts],
        np.float32,
    )


def entry_file(view: View) -> Floats:
    """A file that stands for its folder (`index`, `mod`, `__init__`, `main`)."""
    return np.array([f.stem in _ENTRY for f in view.candidates.facts], np.float32)


def grab_bag(view: View) -> Floats:
    """A file of helpers (`utils`, `common`, `helpers`)."""
    return np.array([bool(f.stem_roots & _GRAB) for f in view.candidates.facts], np.float32)


# --- meaning, per file -----------------------------------------------------------------------


def dense_best(view: View) -> Floats:
    """Likeness of meaning between the query and the file's best node."""
    return _best_similarity(view)


def dense_file(view: View) -> Floats:
    """Likeness of meaning between the query and the file's four best nodes."""
    return view.kept("dense4", _four_best)


def dense_file_relative(view: View) -> Floats:
    """The same, against the best file."""
    return _relative(np.maximum(view.kept("dense4", _four_best), 0))


def dense_rank(view: View) -> Floats:
    """Place of the file when files are ordered by meaning alone."""
    return _ranks(view.kept("dense4", _four_best))


def dense_centroid(view: View) -> Floats:
    """Likeness of meaning between the query and the file as a whole."""
    if view.centroid is None:
        return np.zeros(len(view.candidates.files), np.float32)
    return view.centroid


# --- what the file is ------------------------------------------------------------------------


def test_path(view: View) -> Floats:
    """A test, when the query does not ask for tests."""
    return view.flags("is_test") * np.float32(not view.query.wants_tests)


def example_path(view: View) -> Floats:
    """An example, benchmark or document, when the query does not ask for examples."""
    return view.flags("is_example") * np.float32(not view.query.wants_examples)


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
    return np.log1p(view.file(view.corpus.n_nodes))


def file_size(view: View) -> Floats:
    """How long the file is (logarithm)."""
    return np.log1p(view.file(view.corpus.size))


# --- per node --------------------------------------------------------------------------------


def node_words(view: View) -> Floats:
    """Query words in the node."""
    return _relative(view.node(view.lexical.node))


def node_name(view: View) -> Floats:
    """Query words in the node's name."""
    return _relative(view.node(view.lexical.name))


def node_signature(view: View) -> Floats:
    """Query words in the node's signature."""
    return _relative(view.node(view.lexical.signature))


def node_doc(view: View) -> Floats:
    """Query words in the node's doc comment."""
    return _relative(view.node(view.lexical.doc))


def node_covered(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, that the node has."""
    return view.node(view.lexical.covered)


def name_in_query(view: View) -> Floats:
    """Share of the words of the node's name that the query has."""
    lengths = view.node(view.snapshot.lengths[NAME])
    return np.minimum(1, view.node(view.lexical.name_hits) / np.maximum(1, lengths)).astype(
        np.float32
    )


def node_compound(view: View) -> Floats:
    """Neighbouring words of the query written as one identifier in the node."""
    return _relative(view.node(view.compounds))


def node_named(view: View) -> Floats:
    """The node defines a name of the query, letter for letter."""
    return view.named.astype(np.float32)


def node_named_folded(view: View) -> Floats:
    """The node defines a name of the query, in any letter case."""
    return view.named_folded.astype(np.float32)


def node_named_type(view: View) -> Floats:
    """The node is a type that bears a name of the query."""
    return (_TYPE[view.node(view.snapshot.kind_of)] * view.named_folded).astype(np.float32)


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


def node_documented(view: View) -> Floats:
    """The node has a doc comment."""
    return (view.node(view.snapshot.lengths[DOC]) > 0).astype(np.float32)


def node_is_type(view: View) -> Floats:
    """The node is a class, a struct, a trait or another type."""
    return _TYPE[view.node(view.snapshot.kind_of)]


def node_is_function(view: View) -> Floats:
    """The node is a function or a method."""
    return _FUNCTION[view.node(view.snapshot.kind_of)]


def node_is_rest(view: View) -> Floats:
    """The node is what a file holds outside its definitions, or a stretch of plain text."""
    return _REST[view.node(view.snapshot.kind_of)]


FILE_SIGNALS: tuple[Measure, ...] = (
    lexical,
    lexical_rank,
    best_node,
    all_nodes,
    whole_file,
    whole_file_rank,
    path_words,
    path_rank,
    best_name,
    best_doc,
    file_coverage,
    node_coverage,
    compound_file,
    defines,
    defines_folded,
    defines_times,
    defines_kind,
    defines_size,
    defines_with_owner,
    stem_is_name,
    stem_in_query,
    query_in_stem,
    query_in_folders,
    common_stem,
    mentioned,
    stem_in_query_kin,
    query_in_stem_kin,
    query_in_path_kin,
    first_words_in_stem,
    entry_file,
    grab_bag,
    dense_best,
    dense_file,
    dense_file_relative,
    dense_rank,
    dense_centroid,
    test_path,
    example_path,
    stale_path,
    internal_path,
    prose_file,
    setting_file,
    header_file,
    depth,
    node_count,
    file_size,
)
NODE_SIGNALS: tuple[Measure, ...] = (
    node_words,
    node_name,
    node_signature,
    node_doc,
    node_covered,
    name_in_query,
    node_compound,
    node_named,
    node_named_folded,
    node_named_type,
    node_owned,
    dense_node,
    node_size,
    node_documented,
    node_is_type,
    node_is_function,
    node_is_rest,
)


def _kinds(*kinds: str) -> Floats:
    return np.array([float(kind in kinds) for kind in KINDS], np.float32)


_TYPE = _kinds("class", "struct", "enum", "interface", "trait", "module", "type")
_FUNCTION = _kinds("function", "method", "macro", "test")
_REST = _kinds("file", "window", "section")
_KIND_RANK = np.float32(1) + _FUNCTION + np.float32(2) * _TYPE - _REST


def _share(words: tuple[str, ...], known: frozenset[str]) -> float:
    return sum(word in known for word in words) / len(words) if words else 0.0


def _term_weights(view: View) -> dict[str, float]:
    snapshot, query = view.snapshot, view.query
    n = max(1, snapshot.n_nodes)
    return {
        term: weight * float(np.log1p(n / (1 + snapshot.document_frequency(term))))
        for term, weight in zip(query.terms, query.weights, strict=True)
    }


_ENTRY = frozenset({"index", "mod", "init", "main", "lib", "package", "exports", "doc"})
_GRAB = roots_of(map(stem, ("util", "utils", "helper", "helpers", "common", "misc", "support")))


def _root_weights(view: View) -> dict[str, float]:
    known = view._kept.get("roots")
    if known is None:
        known = {}
        for term, weight in _term_weights(view).items():
            root = root_of(term)
            known[root] = max(weight, known.get(root, 0.0))
        view._kept["roots"] = known
    return known


def _root_share(view: View, found) -> Floats:
    weights = _root_weights(view)
    whole = sum(weights.values()) or 1.0
    return np.array(
        [sum(w for r, w in weights.items() if r in roots) / whole for roots in found], np.float32
    )


def _path_agrees(path: str, mention: str) -> bool:
    return f"/{path}".endswith(mention) or (mention.count("/") > 1 and mention.endswith(f"/{path}"))


def _best_similarity(view: View) -> Floats:
    return view.candidates.best(dense_node(view)) if len(view.candidates) else dense_node(view)


def _four_best(view: View) -> Floats:
    """Cosine of the best node, half the second, a quarter of the third, an eighth of the fourth."""
    candidates = view.candidates
    left = np.maximum(0, dense_node(view))
    total = np.zeros(len(candidates.files), np.float32)
    first = np.empty(len(candidates.files), np.intp)
    for weight in (1.0, 0.5, 0.25, 0.125):
        best = candidates.best(left)
        total += np.float32(weight) * best
        at = np.flatnonzero(left == best[candidates.owner])[::-1]
        # Of equal nodes the first is taken: assigned last, it is the one that stays.
        first[candidates.owner[at]] = at
        left[first] = 0
    return total
