"""What the names in a file, and the name of the file, say of all its nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from packhound.ranking.kin import root_of, roots_of
from packhound.ranking.kinds import KIND_RANK
from packhound.ranking.matches import BODY
from packhound.ranking.view import View, no_file, relative, root_share, root_weights
from packhound.text.tokens import stem

Floats = NDArray[np.float32]


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
    rank = KIND_RANK[view.kinds]
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


def query_in_stem(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, that the file's name has."""
    return _weight_share(view, [f.stem_words for f in view.candidates.facts])


def query_in_folders(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, that the folders have."""
    return _weight_share(view, [f.folder_words for f in view.candidates.facts])


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
    roots = frozenset(root_weights(view))
    return np.array([_share(f.stem_roots, roots) for f in view.candidates.facts], np.float32)


def query_in_path_kin(view: View) -> Floats:
    """Share of the query's words, rare ones counting more, of whose family the path is."""
    return root_share(view, [f.path_roots for f in view.candidates.facts])


def first_words_in_stem(view: View) -> Floats:
    """Words at the start of the query that the file's name has, in their family."""
    places: dict[str, float] = {}
    for place, term in enumerate(view.query.terms):
        places.setdefault(root_of(term), 1 / (1 + place))
    whole = sum(places.values()) or 1.0
    return np.array([_sum(places, f.stem_roots) / whole for f in view.candidates.facts], np.float32)


def entry_file(view: View) -> Floats:
    """A file that stands for its folder (`index`, `mod`, `__init__`, `main`)."""
    return np.array([f.stem in _ENTRY for f in view.candidates.facts], np.float32)


def grab_bag(view: View) -> Floats:
    """A file of helpers (`utils`, `common`, `helpers`)."""
    return np.array([bool(f.stem_roots & _GRAB) for f in view.candidates.facts], np.float32)


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
    for f in view.candidates.facts:
        path = [part.lower() for part in re.split(r"[/.]", f.entry.path)[:-1]]
        own = {part.strip("_") for part in path[-2:]}
        found.append(max(len(own & names) for names in spelled))
    return np.array(found, np.float32)


_ENTRY = frozenset({"index", "mod", "init", "main", "lib", "package", "exports", "doc"})
_GRAB = roots_of(map(stem, ("util", "utils", "helper", "helpers", "common", "misc", "support")))


def _sum(values: dict[str, float], words: frozenset[str]) -> float:
    # Most files share no word with the query, and this is asked of every candidate.
    if words.isdisjoint(values):
        return 0.0
    return sum(values[word] for word in sorted(words & values.keys()))


def _share(words: frozenset[str], known: frozenset[str]) -> float:
    return 0.0 if words.isdisjoint(known) else len(words & known) / len(words)


def _weight_share(view: View, found: Iterable[frozenset[str]]) -> Floats:
    weights = dict(zip(view.query.terms, view.lexical.idfs, strict=True))
    whole = sum(weights.values()) or 1.0
    return np.array([_sum(weights, words) / whole for words in found], np.float32)


def _path_agrees(path: str, mention: str) -> bool:
    return f"/{path}".endswith(mention) or (mention.count("/") > 1 and mention.endswith(f"/{path}"))
