"""The context that signals are computed from, and the arithmetic that they share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from packhound.core.arrays import Floats, Mask, NodeIds, Positions
from packhound.index import Snapshot
from packhound.search.query.encode import QueryVectors
from packhound.search.query.mentions import Frame
from packhound.search.query.parse import ParsedQuery
from packhound.search.query.word_lists import STOP_WORDS
from packhound.search.retrieve.bm25 import LexicalScores, score_nodes, score_terms
from packhound.search.retrieve.candidates import Candidates, gather, group_by_file
from packhound.search.retrieve.corpus_stats import CorpusStats
from packhound.search.retrieve.retrieve import Retrieval, score_files
from packhound.search.signals.path_words import PathWords
from packhound.text import FLAGS, fold_identifier, stem, terms

Value = TypeVar("Value", bound=np.generic)
_WORD = re.compile(r"[^\W_]+")
_MAX_NODES = 200
"""Nodes of one name whose owner or path is compared."""


@dataclass(frozen=True, eq=False)
class SignalContext:
    """One query and its candidates. What several signals share is computed when first used.

    Signals of files are computed in the context `whole`. Arrays have one value per candidate node,
    those named `file_...` one per candidate file. They are None where there are no vectors, or
    where the query is no bug report.
    """

    query: ParsedQuery
    snapshot: Snapshot
    stats: CorpusStats
    vectors: QueryVectors
    retrieval: Retrieval

    @property
    def candidates(self) -> Candidates:
        """The nodes to rank."""
        return self.retrieval.candidates

    def with_node(self, node_id: int) -> SignalContext:
        """Return the context with one candidate more."""
        node_ids = np.append(self.candidates.node_ids, node_id)
        candidates = group_by_file(self.snapshot, node_ids)
        file_nodes = gather(self.snapshot, candidates.files, None)
        retrieval = replace(self.retrieval, candidates=candidates, file_nodes=file_nodes)
        return replace(self, retrieval=retrieval)

    @property
    def whole(self) -> SignalContext:
        """The context whose candidates are all nodes of the candidates' files."""
        # Not cached: one that held itself would wait for the garbage collector with its arrays.
        return self if self.retrieval.file_nodes is self.candidates else self._widened

    @cached_property
    def _widened(self) -> SignalContext:
        file_nodes = self.retrieval.file_nodes
        return replace(self, retrieval=replace(self.retrieval, candidates=file_nodes))

    @cached_property
    def rows(self) -> Positions:
        """Positions of the candidates among those of `whole`."""
        return self.whole.candidates.positions(self.candidates.node_ids)

    def node(self, values: NDArray[Value]) -> NDArray[Value]:
        """Take values per node id at the candidate nodes."""
        return values.take(self.candidates.node_ids)

    def file(self, values: NDArray[Value]) -> NDArray[Value]:
        """Take values per file id at the candidate files."""
        return values.take(self.candidates.files)

    def flags(self, name: str) -> Floats:
        """Return a flag of the candidate files as 0 and 1."""
        return self.file(self.stats.flags[FLAGS.index(name)])

    @cached_property
    def lexical(self) -> LexicalScores:
        """BM25 scores by field and file."""
        if self.whole is not self:
            return self.whole.lexical.at(self.rows)
        return score_terms(self.snapshot, self.stats, self.candidates, self.retrieval.matches)

    @cached_property
    def file_best(self) -> Floats:
        """BM25F of the best node of each file."""
        return self.whole.candidates.file_max(self.whole.lexical.node)

    @cached_property
    def file_sum(self) -> Floats:
        """BM25F of all nodes of each file together, added in the order of their ids."""
        candidates = self.whole.candidates
        order = np.argsort(candidates.node_ids)
        scores = self.whole.lexical.node.take(order)
        sums = np.bincount(candidates.owner.take(order), scores, len(candidates.files))
        return sums.astype(np.float32)

    @cached_property
    def file_words(self) -> Floats:
        """The first lexical score of the files."""
        plain = self.file(self.stats.plain)
        return score_files(self.file_best, self.file_sum, plain, self.query)

    @cached_property
    def compounds(self) -> Floats:
        """BM25F of adjacent words of the query as one identifier."""
        if self.whole is not self:
            return self.whole.compounds.take(self.rows)
        terms = _compound_terms(self.query)
        return score_nodes(self.snapshot, self.stats, self.candidates, terms)

    @cached_property
    def kinds(self) -> Positions:
        """Positions in `types.KINDS`."""
        return self.node(self.snapshot.kind_of).astype(np.intp)

    @cached_property
    def named(self) -> Mask:
        """Nodes with a name of the query, letter for letter."""
        return self.candidates.mask_of(self.retrieval.named_any)

    @cached_property
    def named_folded(self) -> Mask:
        """Nodes with a name of the query, in any letter case."""
        return self.candidates.mask_of(self.retrieval.named_folded)

    @cached_property
    def owned(self) -> Mask:
        """Nodes with a qualified name of the query and its owner."""
        if self.whole is not self:
            return self.whole.owned.take(self.rows)
        return self.candidates.mask_of(
            _nodes_by_qualified_name(self.snapshot, self.query.qualified)
        )

    @cached_property
    def mentioned(self) -> Floats | None:
        """Weight of the mentions of the node's name in a bug report."""
        if self.query.kind != "report":
            return None
        named, weights = self.retrieval.named, self.query.name_weights
        return self.node(_mention_scores(self.snapshot, named, weights))

    @cached_property
    def framed(self) -> Floats | None:
        """Nearness of the node to the innermost stack frame of a bug report, 0 to 1."""
        if not self.query.frames:
            return None
        return self.node(_frame_scores(self.snapshot, self.query.frames))

    @cached_property
    def similarity(self) -> Floats | None:
        """Cosine with the query."""
        if self.retrieval.cosines is not None:
            return self.node(self.retrieval.cosines)
        return self._similarity_to(self.vectors.text)

    @cached_property
    def title_similarity(self) -> Floats | None:
        """Cosine with the title of a bug report."""
        return self._similarity_to(self.vectors.title)

    @cached_property
    def code_similarity(self) -> Floats | None:
        """Cosine with the code that a bug report quotes."""
        if self.vectors.code is self.vectors.title:
            return self.title_similarity
        return self._similarity_to(self.vectors.code)

    @cached_property
    def file_centroid(self) -> Floats | None:
        """Cosine of the query with the mean vector of each file."""
        if self.similarity is None or not len(self.candidates):
            return None
        lengths = self.stats.file_centroid_lengths(self.snapshot, self.candidates.files)
        sums = self.candidates.file_sum(self.similarity)
        cosines: Floats = sums / np.maximum(lengths, np.float32(1e-3))
        return cosines

    @cached_property
    def file_similarity(self) -> Floats:
        """Cosines of the four best nodes of each file, see `top_four`."""
        return zeros_per_file(self) if self.similarity is None else top_four(self, self.similarity)

    @cached_property
    def path_words(self) -> PathWords:
        """Words of the query in the paths of the files."""
        return PathWords(
            self.snapshot.path_table,
            dict(zip(self.query.terms, self.lexical.idfs, strict=True)),
            self.candidates.files.astype(np.int32),
            self.file(self.stats.folder),
        )

    @cached_property
    def unknown_names(self) -> list[str]:
        """Identifiers of the query that no node has: as a name, in its code or its text."""
        query = self.query
        if not query.names or query.kind == "report":
            return []
        matches = zip(query.terms, self.retrieval.matches.terms, strict=True)
        absent = {term for term, match in matches if not len(match.nodes[0])}
        # A word of several parts is indexed whole too, as its last term.
        last_terms = ((name, terms(name)[-1:]) for name in query.names)
        return [name for name, last in last_terms if not absent.isdisjoint(last)]

    def _similarity_to(self, vector: Floats | None) -> Floats | None:
        if vector is None:
            return None
        return self.snapshot.similarities(vector, self.candidates.node_ids)


SignalFunction: TypeAlias = Callable[[SignalContext], Floats]
"""A signal: one value per candidate file or node."""


def relative(values: Floats) -> Floats:
    """Divide by the largest, so that queries of any length are on one scale."""
    largest = values.max(initial=0)
    return values / largest if largest > 0 else np.zeros_like(values)


def ranks(values: Floats) -> Floats:
    """Return 1 for the best, falling with the logarithm of the rank, 0 from rank 60 on."""
    falling = -values
    # Equal values share the best rank among them, so that order within ties says nothing.
    ranks = np.sort(falling).searchsorted(falling).astype(np.float32)
    scores = 1 - np.log1p(ranks) / np.float32(np.log(60.0))
    return np.asarray(np.maximum(0, scores), np.float32)


def top_four(context: SignalContext, similarity: Floats) -> Floats:
    """Sum the four best nodes of each file with the weights 1, 1/2, 1/4 and 1/8."""
    candidates = context.candidates
    remaining = np.maximum(0, similarity)
    best = candidates.file_max(remaining)
    total: Floats = best.copy()
    first = np.empty(len(candidates.files), np.intp)
    for weight in (0.5, 0.25, 0.125):
        nodes = np.flatnonzero(remaining == best.take(candidates.owner))[::-1]
        # Of equal nodes the first is taken: assigned last, it is the one that stays.
        first[candidates.owner[nodes]] = nodes
        remaining[first] = 0
        best = candidates.file_max(remaining)
        total += np.float32(weight) * best
    return total


def zeros_per_file(context: SignalContext) -> Floats:
    """Return zero for every candidate file."""
    return np.zeros(len(context.candidates.files), np.float32)


def zeros_per_node(context: SignalContext) -> Floats:
    """Return zero for every candidate node."""
    return np.zeros(len(context.candidates), np.float32)


def _compound_terms(query: ParsedQuery) -> tuple[str, ...]:
    """Return the terms of adjacent words joined, the one identifier that they may be in code."""
    if query.kind == "symbol":
        return ()
    words = [word.lower() for word in _WORD.findall(query.title)]
    compounds: dict[str, None] = {}
    for first, second in pairwise(words):
        if not {first, second} & STOP_WORDS:
            for last in dict.fromkeys((second, stem(second), second.removesuffix("s"))):
                compounds[fold_identifier(first + last)] = None
                compounds[stem(first + last)] = None
    query_terms = set(query.terms)
    return tuple(term for term in compounds if term not in query_terms)


def _nodes_by_qualified_name(snapshot: Snapshot, qualified: Iterable[tuple[str, ...]]) -> NodeIds:
    """Return the node ids of qualified names whose owner, or path, has the owner of the query."""
    matches: list[int] = []
    for parts in qualified:
        owner = parts[-2].lower()
        for node_id in snapshot.node_ids_named_folded(parts[-1].lower())[:_MAX_NODES].tolist():
            entry, position = snapshot.locate(node_id)
            owners = re.split(r"\W+", entry.qualname(position).lower())[:-1]
            if owner in owners or owner in re.split(r"[\W_]+", entry.path.lower()):
                matches.append(node_id)
    return np.array(matches, np.int32)


def _frame_scores(snapshot: Snapshot, frames: Iterable[Frame]) -> Floats:
    """Return 1 / position of the innermost stack frame of each node id, 0 where it is in none."""
    scores = np.zeros(snapshot.n_node_ids, np.float32)
    for position, frame in enumerate(frames, 1):
        for node_id in snapshot.node_ids_named(frame.function)[:_MAX_NODES].tolist():
            path = snapshot.paths[snapshot.file_of[node_id]]
            below = path.split("/", 1)[-1]
            if f"/{frame.path}".endswith(f"/{below}") or path.endswith(f"/{frame.path}"):
                scores[node_id] = max(scores[node_id], np.float32(1 / position))
    return scores


def _mention_scores(
    snapshot: Snapshot, named: Iterable[NodeIds], weights: Iterable[float]
) -> Floats:
    """Sum the weights of each node id's names, of which those of many nodes count less."""
    scores = np.zeros(snapshot.n_node_ids, np.float32)
    for node_ids, weight in zip(named, weights, strict=True):
        scores[node_ids] += np.float32(weight / (1 + np.log1p(len(node_ids))))
    return scores
