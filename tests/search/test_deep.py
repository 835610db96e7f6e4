"""The deep model adds one more reason, for all of the best hits or for none."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest

from packhound.core.errors import Cancelled, ModelError
from packhound.core.types import Budget, NodeRef, Query, Results
from packhound.encoder import node_text
from packhound.search.pipeline import explain, search
from packhound.search.rank.deep import DEPTH, DeepRanker
from packhound.search.stages import NodeVectors
from packhound.storage import VectorStore
from tests.support.shop import FILES, environment, snapshot

QUERY = Query("how are the errors of a form collected", limit=5)


class Encoder:
    """Finds texts with one word similar to everything, and counts what it reads."""

    fingerprint = "test"

    def __init__(self, word: str, during: Callable[[], None] = lambda: None) -> None:
        self.word = word
        self.during = during
        self.texts: list[str] = []

    def encode(self, text: str) -> np.ndarray:
        self.during()
        self.texts.append(text)
        return np.array([1.0 if self.word in text or text == QUERY.text else -1.0, 0.3], np.float32)


def text_of(node: NodeRef) -> str:
    source = FILES[node.path].encode()
    return f"{node.path}\n{source[node.span.start : node.span.end].decode()}"


def ask(ranker: DeepRanker, query: Query = QUERY, cancel: threading.Event | None = None) -> Results:
    return search(snapshot(), query, environment_of(ranker), cancel)


def environment_of(ranker: DeepRanker):
    return replace(environment(), stages=(ranker,), text_of=text_of)


def order(results: Results) -> list[tuple[str, int]]:
    return [(hit.node.path, hit.node.span.start) for hit in results.hits]


def test_similarity_counts_and_is_one_of_the_reasons() -> None:
    results = ask(DeepRanker(lambda: Encoder("charge")))
    assert results.hits[0].node.name == "Charge"
    for hit in results.hits:
        assert hit.why[-1].signal == "deep_similarity"
        assert math.isclose(hit.score, math.fsum(reason.contribution for reason in hit.why))


def test_what_was_read_before_changes_nothing() -> None:
    cold, warm = Encoder("charge"), Encoder("charge")
    ranker = DeepRanker(lambda: warm)
    ask(ranker, Query("cents of a price as people write it"))
    read = len(warm.texts)
    assert ask(ranker).hits == ask(DeepRanker(lambda: cold)).hits
    assert len(warm.texts) - read < len(cold.texts)
    assert len(cold.texts) <= DEPTH + 1


def test_a_second_search_reads_the_query_alone() -> None:
    encoder = Encoder("charge")
    ranker = DeepRanker(lambda: encoder)
    ask(ranker)
    encoder.texts.clear()
    ask(ranker)
    assert encoder.texts == [QUERY.text]


def test_no_time_leaves_the_order_of_the_first_pass() -> None:
    hurried = replace(QUERY, budget=Budget(time_ms=0.001))
    results = ask(DeepRanker(lambda: Encoder("charge")), hurried)
    assert results.hits and results.truncated
    assert any("without" in note and "the deep model" in note for note in results.notes)
    assert all(reason.signal != "deep_similarity" for hit in results.hits for reason in hit.why)


def test_names_are_not_read() -> None:
    encoder = Encoder("charge")
    results = ask(DeepRanker(lambda: encoder), Query("FormValidator"))
    assert results.hits[0].node.name == "FormValidator" and not encoder.texts


def test_a_cancelled_search_stops_reading() -> None:
    cancel = threading.Event()
    encoder = Encoder("slugify", cancel.set)
    with pytest.raises(Cancelled):
        ask(DeepRanker(lambda: encoder), cancel=cancel)
    assert len(encoder.texts) == 1


def test_a_model_that_fails_is_noted_and_loses_nothing() -> None:
    def load() -> Encoder:
        raise ModelError("the deep model is broken")

    results = ask(DeepRanker(load))
    assert order(results) == order(search(snapshot(), QUERY, environment()))
    assert "the deep model is broken" in results.notes


def test_hits_keep_their_siblings() -> None:
    plain = search(snapshot(), QUERY, environment())
    results = ask(DeepRanker(lambda: Encoder("no such word")))
    assert any(hit.siblings for hit in plain.hits)
    assert any(hit.siblings for hit in results.hits)


def test_explain_gives_the_score_that_ranked() -> None:
    ranker = DeepRanker(lambda: Encoder("charge"))
    best = ask(ranker).hits[0]
    explained = explain(snapshot(), QUERY, best.node.node_id, environment_of(ranker))
    assert math.isclose(explained.score, best.score)


@pytest.mark.parametrize("seed", range(6))
def test_the_order_does_not_depend_on_which_vectors_are_on_disk(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    cold = Noise()
    expected = ask(DeepRanker(lambda: cold)).hits
    texts = [text for text in cold.texts if text != QUERY.text and rng.random() < seed / 5]
    store = VectorStore(tmp_path / "index")
    store.put(cold.fingerprint, {digest_of(text): half(Noise().encode(text)) for text in texts})
    warm = Noise()
    environment = replace(
        environment_of(DeepRanker(lambda: warm)), vectors=NodeVectors(store, lambda node: True)
    )
    assert search(snapshot(), QUERY, environment).hits == expected
    assert len(warm.texts) == len(cold.texts) - len(texts)
    again = Noise()
    environment = replace(environment, stages=(DeepRanker(lambda: again),))
    assert search(snapshot(), QUERY, environment).hits == expected
    assert again.texts == [QUERY.text]


def test_texts_that_are_not_on_disk_leave_nothing_there(tmp_path: Path) -> None:
    encoder, store = Noise(), VectorStore(tmp_path / "index")
    saved = "shop/validation.py"
    vectors = NodeVectors(store, lambda node: node.path == saved)
    environment = replace(environment_of(DeepRanker(lambda: encoder)), vectors=vectors)
    hits = search(snapshot(), QUERY, environment).hits
    on_disk = {node_text(n.qualname, text_of(n).partition("\n")[2])
               for hit in hits if (n := hit.node).path == saved}  # fmt: skip
    known = store.get(encoder.fingerprint, map(digest_of, encoder.texts))
    assert on_disk and {digest_of(text) for text in on_disk} <= known.keys()
    others = {node_text(n.qualname, text_of(n).partition("\n")[2])
              for hit in hits if (n := hit.node).path != saved}  # fmt: skip
    assert others and known.keys().isdisjoint(map(digest_of, others))


class Noise(Encoder):
    """Encodes a text as numbers that follow from it alone."""

    def __init__(self) -> None:
        super().__init__("")

    def encode(self, text: str) -> np.ndarray:
        self.texts.append(text)
        seed = int.from_bytes(digest_of(text)[:4], "little")
        return np.random.default_rng(seed).standard_normal(384).astype(np.float32) / 20


def digest_of(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def half(vector: np.ndarray) -> np.ndarray:
    return vector.astype(np.float16)
