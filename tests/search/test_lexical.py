"""Scores are those of the textbook, computed here the slow way."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
import pytest

from packhound.core.types import FIELDS
from packhound.index.snapshot import Snapshot
from packhound.index.writer import Index
from packhound.search.retrieve import term_matches
from packhound.search.retrieve.bm25 import LexicalScores, match_terms, score_terms
from packhound.search.retrieve.candidates import gather
from packhound.search.retrieve.corpus_stats import SearchCache
from packhound.search.retrieve.term_matches import LENGTH_NORMS, WEIGHTS, TermMatchCache
from packhound.text.tokenizer import terms
from tests.support.index_corpus import file

TEXTS = {
    "a.py": "function load: load config load x\nclass tree: parse tree",
    "b.py": "function parse: config config\ntest load: tree x x x",
}
QUERY = [*dict.fromkeys(terms("load config unheard a parse"))]
WEIGHTS_OF_QUERY = [2.0, 1.0, 1.0, 0.5, 1.0]
INSIDE = [field for field in FIELDS if field != "path"]


@pytest.fixture
def snapshot() -> Snapshot:
    index = Index(None)
    index.replace([file("gone.py", "function gone: load load load")], {})
    index.publish()
    index.replace([file("a.py", TEXTS["a.py"])], {})
    index.publish()
    index.replace([file("b.py", TEXTS["b.py"])], {})
    index.remove(["gone.py"])
    return index.publish()


def nodes() -> list[dict[str, list[str]]]:
    """Terms by field of every node, in the order of their node ids."""
    actual = []
    for path, text in TEXTS.items():
        for line in text.splitlines():
            head, _, body = line.partition(":")
            name = head.split()[1]
            actual.append(
                {
                    "name": terms(name),
                    "path": terms(path),
                    "signature": terms(f"def {name}"),
                    "doc": [],
                    "body": terms(body),
                }
            )
    return actual


def textbook_idf(n: int, df: int) -> float:
    return log(1 + (n - df + 0.5) / (df + 0.5))


@pytest.fixture
def scores(snapshot) -> LexicalScores:
    stats = SearchCache().stats(snapshot)
    every_file = np.array(sorted(entry.file_id for entry in snapshot.files.values()))
    candidates = gather(snapshot, every_file, None, truncated=False)
    actual = match_terms(snapshot, stats, QUERY, WEIGHTS_OF_QUERY)
    assert candidates.node_ids.tolist() == np.flatnonzero(snapshot.live).tolist()
    assert np.array_equal(
        score_terms(snapshot, stats, candidates, actual).node, actual.node_scores[1:]
    )
    return score_terms(snapshot, stats, candidates, actual)


def test_all_fields(scores):
    docs = nodes()
    average = {f: sum(len(doc[f]) for doc in docs) / len(docs) for f in FIELDS}
    for score, covered, doc in zip(scores.node, scores.covered, docs, strict=True):
        expected = share = whole = 0.0
        for term, weight in zip(QUERY, WEIGHTS_OF_QUERY, strict=True):
            tf = 0.0
            for field, factor, slope in zip(FIELDS, WEIGHTS, LENGTH_NORMS, strict=True):
                relative = len(doc[field]) / (average[field] or 1)
                tf += factor * Counter(doc[field])[term] / (1 - slope + slope * relative)
            idf = weight * textbook_idf(
                4, sum(any(term in other[f] for f in FIELDS) for other in docs)
            )
            expected += idf * tf / (tf + 1.2)
            share += idf * (tf > 0)
            whole += idf
        assert score == pytest.approx(expected, rel=1e-5)
        assert covered == pytest.approx(share / whole, rel=1e-5)


@pytest.mark.parametrize("field", ["name", "signature", "doc"])
def test_one_field(scores, field):
    docs, slope = [doc[field] for doc in nodes()], LENGTH_NORMS[FIELDS.index(field)]
    average = sum(map(len, docs)) / len(docs) or 1.0
    for score, doc in zip(getattr(scores, field), docs, strict=True):
        expected = 0.0
        for term, weight in zip(QUERY, WEIGHTS_OF_QUERY, strict=True):
            tf = Counter(doc)[term] / (1 - slope + slope * len(doc) / average)
            df = sum(term in other for other in docs)
            expected += weight * textbook_idf(4, df) * tf / (tf + 1.2)
        assert score == pytest.approx(expected, rel=1e-5)


def test_whole_files(scores):
    inside = [
        [t for doc in nodes() if doc["path"][0] == path for f in INSIDE for t in doc[f]]
        for path in ("a", "b")
    ]
    docs = nodes()
    df = {term: sum(any(term in doc[f] for f in FIELDS) for doc in docs) for term in QUERY}
    pairs = zip(QUERY, WEIGHTS_OF_QUERY, strict=True)
    idfs = {term: weight * textbook_idf(4, df[term]) for term, weight in pairs}
    for covered, doc, path in zip(scores.file_covered, inside, ("a", "b"), strict=True):
        expected = sum(idf for term, idf in idfs.items() if term in (*doc, path))
        assert covered == pytest.approx(expected / sum(idfs.values()), rel=1e-5)


def test_an_empty_index_scores_nothing():
    empty = Index(None).snapshot
    stats = SearchCache().stats(empty)
    candidates = gather(empty, np.zeros(0, np.int32), None, truncated=False)
    actual = match_terms(empty, stats, QUERY, WEIGHTS_OF_QUERY)
    scores = score_terms(empty, stats, candidates, actual)
    assert not len(actual.matched) and len(scores.node) == len(scores.file_covered) == 0


def test_what_words_match_is_looked_up_once_and_counted(snapshot):
    cache = TermMatchCache(0)
    [load, _, tree] = cache.lookup(snapshot, ["load", "config", "tree"])
    assert cache.lookup(snapshot, ["tree", "load", "tree"]) == [tree, load, tree]
    [config] = cache.lookup(snapshot, ["config"])
    assert cache.entries.n_bytes == sum(match.n_bytes for match in (load, config, tree))
    assert cache.entries.keys == ("tree", "load", "config")


def test_words_of_few_and_of_many_nodes_are_counted_alike(snapshot, monkeypatch):
    counted = []
    for are_few in (True, False):
        monkeypatch.setattr(term_matches, "_are_few", lambda *_, few=are_few: few)
        counted.append(TermMatchCache(0).lookup(snapshot, QUERY))
    for few, many in zip(*counted, strict=True):
        pairs = [*zip(few.nodes, many.nodes, strict=True), (few.in_paths, many.in_paths)]
        for ids, others in pairs:
            assert ids.dtype == others.dtype and np.array_equal(ids, others)
    assert [len(match.in_paths) for match in counted[0]] == [0, 0, 0, 1, 0]
