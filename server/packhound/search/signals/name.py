"""What the names in a file, and the name of the file, say of all its nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, Mask
from packhound.index.path_table import WordLists
from packhound.search.kinds import KIND_RANK, REST
from packhound.search.query.parse import STOPS
from packhound.search.retrieve.term_matches import BODY, NAME
from packhound.search.signals.bloom import pairs_of
from packhound.search.signals.context import View, no_file, relative
from packhound.text.conflation import aggressive_stem
from packhound.text.tokenizer import stem

Numbers = NDArray[np.signedinteger[Any]]

_WORDS = re.compile(r"[^\W_]+")


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
    rank = KIND_RANK.take(view.kinds)
    return view.candidates.best(rank * view.named_folded)


def defines_size(view: View) -> Floats:
    """How long the definition of the query's name is."""
    if not view.query.names:
        return no_file(view)
    length = np.log1p(view.node(view.snapshot.lengths[BODY]).astype(np.float32))
    return view.candidates.best(length * view.named_folded)


def defines_with_owner(view: View) -> Floats:
    """The file defines a qualified name of the query with the owner that the query gives it."""
    return view.candidates.best(view.owned.astype(np.float32))


def stem_is_name(view: View) -> Floats:
    """The file is called like a name of the query."""
    found = no_file(view)
    for name in {name.replace("_", "").lower() for name in view.query.names}:
        found[_having(view.snapshot.path_table.stems.of(name), view.candidates.files)] = 1
    return found


def query_in_stem(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, that the file's name has."""
    return _weighed(view, _term_weights(view), view.kept(_terms_in_stem))


def query_in_folders(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, that the folders have."""
    return _weighed(view, _term_weights(view), view.kept(_terms_in_folders))


def common_stem(view: View) -> Floats:
    """How many files of the corpus share the file's name (`utils`, `index`, `mod`)."""
    return np.log(view.file(view.corpus.n_stems))


def mentioned(view: View) -> Floats:
    """The query mentions the file's path or name with its ending."""
    paths = [f"/{path.strip('/.~')}" for path in view.query.paths]
    paths += [frame.path for frame in view.query.frames]
    if not paths:
        return no_file(view)
    entries = view.candidates.entries
    return np.array([any(_path_agrees(e.path, p) for p in paths) for e in entries], np.float32)


def stem_in_query_kin(view: View) -> Floats:
    """Share of the words in the file's name of whose family the query has a word."""
    found = np.zeros(len(view.candidates.files), np.intp)
    for here in view.kept(_roots_in_stem).values():
        found += here
    return (found / np.maximum(1, view.file(view.corpus.n_roots))).astype(np.float32)


def query_in_path_kin(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, of whose family the path is."""
    return _weighed(view, view.kept(_root_weights), view.kept(_roots_in_path))


def first_words_in_stem(view: View) -> Floats:
    """Words at the start of the query that the file's name has, in their family."""
    places: dict[str, float] = {}
    for place, term in enumerate(view.query.terms):
        places.setdefault(aggressive_stem(term), 1 / (1 + place))
    return _weighed(view, places, view.kept(_roots_in_stem))


def neighbours_in_name(view: View) -> Floats:
    """The file defines a name in which neighbouring words of the query are neighbours."""
    found = no_file(view)
    words = _WORDS.findall(view.query.title.lower())
    wanted = pairs_of(word for word in words if stem(word) not in STOPS)
    if wanted:
        # Names that have no word of the query but in its family are not looked at.
        at = np.flatnonzero(view.lexical.name_hits)
        node_ids = view.candidates.node_ids.take(at)
        several = view.snapshot.lengths[NAME].take(node_ids) > 1
        several &= REST.take(view.kinds.take(at)) == 0
        numbers = view.snapshot.name_of.take(node_ids[several])
        here = view.corpus.pairs.having(view.snapshot.name_table.names, numbers, wanted)
        found[view.candidates.owner.take(at[several][here])] = 1
    return found


def entry_file(view: View) -> Floats:
    """A file that stands for its folder (`index`, `mod`, `__init__`, `main`)."""
    return view.flags("is_entry")


def grab_bag(view: View) -> Floats:
    """A file of helpers (`utils`, `common`, `helpers`)."""
    return view.flags("is_grab_bag")


def file_mentioned(view: View) -> Floats:
    """How strongly the report mentions names that the file defines."""
    if view.mentioned is None:
        return no_file(view)
    return relative(np.log1p(view.candidates.total(view.mentioned)))


def file_framed(view: View) -> Floats:
    """The file is in a stack trace of the report, more so near its end."""
    return no_file(view) if view.framed is None else view.candidates.best(view.framed)


def module_mentioned(view: View) -> Floats:
    """Share of the path's parts that a dotted name of the report spells out."""
    spelled = [frozenset(p.lower() for p in parts) for parts in view.query.qualified]
    if view.query.kind != "report" or not spelled:
        return no_file(view)
    found = []
    for entry in view.candidates.entries:
        path = [part.lower() for part in re.split(r"[/.]", entry.path)[:-1]]
        own = {part.strip("_") for part in path[-2:]}
        found.append(max(len(own & names) for names in spelled))
    return np.array(found, np.float32)


def _files(view: View) -> Numbers:
    """The candidate files, in the type of numbers that lists of words have."""
    return view.candidates.files.astype(np.int32)


def _term_weights(view: View) -> dict[str, float]:
    return dict(zip(view.query.terms, view.lexical.idfs, strict=True))


def _root_weights(view: View) -> dict[str, float]:
    """The families of the query's words and what the heaviest word of each weighs."""
    weights: dict[str, float] = {}
    for term, weight in _term_weights(view).items():
        root = aggressive_stem(term)
        weights[root] = max(weight, weights.get(root, 0.0))
    return weights


def _terms_in_stem(view: View) -> dict[str, Mask]:
    return _marks(view.snapshot.path_table.words, view.query.terms, view.kept(_files))


def _terms_in_folders(view: View) -> dict[str, Mask]:
    words = view.snapshot.path_table.folder_words
    return _marks(words, view.query.terms, view.file(view.corpus.folder))


def _roots_in_stem(view: View) -> dict[str, Mask]:
    roots = view.snapshot.path_table.roots
    return _marks(roots, view.kept(_root_weights), view.kept(_files))


def _roots_in_path(view: View) -> dict[str, Mask]:
    roots = view.snapshot.path_table.folder_roots
    found = _marks(roots, view.kept(_root_weights), view.file(view.corpus.folder))
    for root, here in view.kept(_roots_in_stem).items():
        found[root] = found[root] | here if root in found else here
    return found


def _marks(lists: WordLists, words: Iterable[str], numbers: Numbers) -> dict[str, Mask]:
    """For each word that any of the files or folders has, which of them do."""
    marks = ((word, _having(lists.of(word), numbers)) for word in words)
    return {word: here for word, here in marks if here.any()}


def _having(known: Numbers, numbers: Numbers) -> Mask:
    """Which of `numbers` are among those known, which ascend."""
    if not len(known):
        return np.zeros(len(numbers), np.bool_)
    found: Mask = known.take(known.searchsorted(numbers), mode="clip") == numbers
    return found


def _weighed(view: View, weights: dict[str, float], marks: dict[str, Mask]) -> Floats:
    """What the words of each file weigh, as a share of all words."""
    total = np.zeros(len(view.candidates.files), np.float64)
    # In the order of the words, whatever that of the query: equal words give equal bits.
    for word in sorted(marks):
        total += weights[word] * marks[word]
    return (total / (sum(weights.values()) or 1.0)).astype(np.float32)


def _path_agrees(path: str, mention: str) -> bool:
    return f"/{path}".endswith(mention) or (mention.count("/") > 1 and mention.endswith(f"/{path}"))
