"""Nodes that the encoder fails at are counted, named with the reason, and tried again."""

from __future__ import annotations

import numpy as np
import pytest

from packhound.core.errors import ModelError
from packhound.index.writer import Index
from tests.support.index_corpus import BagOfWords, file


class Failing(BagOfWords):
    """Encoder that fails at texts with the word `bad`, or at all of them."""

    def __init__(self, *, fast: bool = True, reads_runs: bool = False) -> None:
        super().__init__(fast=fast)
        self.reads_runs = reads_runs
        self.broken = False
        self.fails_at = "bad"
        self.n_calls = 0

    def encode(self, texts):
        self._check(" ".join(texts), len(texts))
        return super().encode(texts)

    def encode_runs(self, nodes):
        self._check(" ".join(nodes.runs), len(nodes.lengths))
        return np.ones((len(nodes.lengths), self.dim), np.float32)

    def _check(self, text: str, n_texts: int) -> None:
        self.n_calls += 1
        if self.broken or self.fails_at in text.split():
            raise ModelError(f"the model failed at {n_texts} texts")


def embed(index: Index) -> int:
    """Encode all that is due; return how many live nodes have a vector."""
    while index.embed_some():
        index.publish()
    return index.publish().vectors.usable.sum()


SOURCE = "\n".join(f"function f{n}: {'bad' if n == 11 else 'load'}" for n in range(20))
ENCODERS = {
    "fast": lambda: Failing(),
    "slow": lambda: Failing(fast=False),
    "runs": lambda: Failing(reads_runs=True),
}


@pytest.fixture(params=ENCODERS)
def encoder(request) -> Failing:
    return ENCODERS[request.param]()


def test_one_bad_text_keeps_no_other_from_a_vector(encoder, caplog):
    index = Index(encoder, retry_s=0.0)
    index.replace([file("a.py", SOURCE)], {})
    index.publish()
    assert embed(index) == 19
    (note,) = index.health().notes
    assert note == "indexed 19 of 20 nodes by meaning; 1 failed: the model failed at 1 texts"
    assert len([record for record in caplog.records if "no vector" in record.message]) == 1


def test_a_model_that_recovers_encodes_what_failed(encoder):
    index = Index(encoder, retry_s=0.0)
    encoder.broken = True
    index.replace([file("a.py", SOURCE), file("b.py", "function g: parse")], {})
    index.publish()
    assert embed(index) == 0
    assert "indexed 0 of 21 nodes by meaning; 21 failed" in index.health().notes[0]
    encoder.broken, encoder.fails_at = False, "-"
    assert embed(index) == 21
    assert index.health().notes == () and index.embed_retry_s is None


def test_a_retry_waits_and_a_broken_model_is_not_asked_for_each_node(encoder):
    index = Index(encoder, retry_s=30.0)
    encoder.broken = True
    index.replace([file("a.py", SOURCE)], {})
    index.publish()
    assert embed(index) == 0
    assert 0 < index.embed_retry_s <= 30
    n_calls = encoder.n_calls
    assert n_calls <= 3 and not index.embed_some() and encoder.n_calls == n_calls


def test_nodes_that_died_are_not_tried_again(encoder):
    index = Index(encoder, retry_s=0.0)
    index.replace([file("a.py", SOURCE), file("b.py", "function g: bad")], {})
    index.publish()
    embed(index)
    index.remove(["a.py"])
    index.publish()
    assert "indexed 0 of 1 nodes by meaning; 1 failed" in index.health().notes[0]
    index.replace([file("b.py", "function g: good")], {})
    index.publish()
    assert embed(index) == 1
    assert index.health().notes == ()
