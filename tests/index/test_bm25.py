"""Scores are those of the textbook, computed here the slow way."""

from __future__ import annotations

from collections import Counter
from math import log

import pytest
from index_corpus import file

from packhound.index.bm25 import bm25, bm25f, file_bm25
from packhound.index.index import Index
from packhound.index.snapshot import Snapshot
from packhound.text.tokens import terms
from packhound.types import FIELDS

TEXTS = {
    "a.py": "function load: load config load x\nclass tree: parse tree",
    "b.py": "function parse: config config\ntest load: tree x x x",
}
QUERY = terms("load config unheard load parse")
BODY = FIELDS.index("body")


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
    """Terms by field of every node, in the order of their labels."""
    found = []
    for path, text in TEXTS.items():
        for line in text.splitlines():
            head, _, body = line.partition(":")
            name = head.split()[1]
            found.append(
                {
                    "name": terms(name),
                    "path": terms(path),
                    "signature": terms(f"def {name}"),
                    "doc": [],
                    "body": terms(body),
                }
            )
    return found


def textbook_idf(n: int, df: int) -> float:
    return log(1 + (n - df + 0.5) / (df + 0.5))


def test_one_field(snapshot):
    docs = [node["body"] for node in nodes()]
    average = sum(map(len, docs)) / len(docs)
    scores = bm25(snapshot, BODY, QUERY, k1=1.2, b=0.75)[snapshot.live]
    for score, doc in zip(scores, docs, strict=True):
        expected = 0.0
        for term in QUERY:
            tf = Counter(doc)[term]
            norm = 1.2 * (1 - 0.75 + 0.75 * len(doc) / average)
            df = sum(term in other for other in docs)
            expected += textbook_idf(4, df) * tf * 2.2 / (tf + norm)
        assert score == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("weights", [(3.0, 1.0, 2.0, 1.0, 1.5), (3.0, 0.0, 0.0, 0.0, 1.5)])
def test_all_fields(snapshot, weights):
    docs, b = nodes(), (0.3, 0.0, 0.5, 0.5, 0.75)
    average = {f: sum(len(doc[f]) for doc in docs) / len(docs) for f in FIELDS}
    scores = bm25f(snapshot, QUERY, weights, b, k1=1.2)[snapshot.live]
    for score, doc in zip(scores, docs, strict=True):
        expected = 0.0
        for term in QUERY:
            tf = 0.0
            for field, weight, slope in zip(FIELDS, weights, b, strict=True):
                relative = len(doc[field]) / (average[field] or 1)
                tf += weight * Counter(doc[field])[term] / (1 - slope + slope * relative)
            df = sum(any(term in other[f] for f in FIELDS) for other in docs)
            expected += textbook_idf(4, df) * tf * 2.2 / (tf + 1.2)
        assert score == pytest.approx(expected, rel=1e-5)


def test_whole_files(snapshot):
    body = {
        path: [t for line in text.splitlines() for t in terms(line.partition(":")[2])]
        for path, text in TEXTS.items()
    }
    average = sum(map(len, body.values())) / 2
    scores = file_bm25(snapshot, QUERY, (BODY,))
    for path, doc in body.items():
        expected = 0.0
        for term in QUERY:
            tf = Counter(doc)[term]
            df = sum(term in other for other in body.values())
            norm = 1.2 * (1 - 0.75 + 0.75 * len(doc) / average)
            expected += textbook_idf(2, df) * tf * 2.2 / (tf + norm)
        assert scores[snapshot.files[path].file_id] == pytest.approx(expected, rel=1e-5)


def test_an_empty_index_scores_nothing():
    empty = Index(None).snapshot
    assert len(bm25(empty, BODY, QUERY)) == len(file_bm25(empty, QUERY, (BODY,))) == 0
    assert len(bm25f(empty, QUERY, (1.0,) * 5, (0.5,) * 5)) == 0
