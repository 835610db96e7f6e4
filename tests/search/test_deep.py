"""The deep model adds one more reason, for all of the best hits or for none."""

from __future__ import annotations

import math
import random
import threading
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from packhound.core.errors import Cancelled, ModelError
from packhound.core.settings_reader import settings_from
from packhound.core.types import Budget, NodeRef, Query, Results
from packhound.encoder import Interruption
from packhound.index import scales_of
from packhound.search.pipeline import explain, search
from packhound.search.rank.deep import DEPTH, DeepRanker, DeepText, ReadNodes
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

    def encode(self, text: str, interruption: Interruption | None = None) -> np.ndarray:
        self.during()
        self.texts.append(text)
        return np.array([1.0 if self.word in text or text == QUERY.text else -1.0, 0.3], np.float32)

    def encode_query(self, text: str) -> np.ndarray:
        return self.encode(text)


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


def test_a_model_that_fails_to_load_is_tried_again() -> None:
    failures = [ModelError("the deep model is broken")]

    def load() -> Encoder:
        if failures:
            raise failures.pop()
        return Encoder("charge")

    ranker = DeepRanker(load)
    assert "the deep model is broken" in ask(ranker).notes
    assert ask(ranker).hits[0].node.name == "Charge"


def test_a_model_that_loads_slowly_is_there_for_the_next_search() -> None:
    may_load, is_loaded = threading.Event(), threading.Event()

    def load() -> Encoder:
        assert may_load.wait(60)
        is_loaded.set()
        return Encoder("charge")

    ranker = DeepRanker(load)
    results = ask(ranker, replace(QUERY, budget=Budget(time_ms=300)))
    assert order(results) == order(search(snapshot(), QUERY, environment()))
    assert results.truncated and not is_loaded.is_set()
    assert any("the deep model, which is being loaded" in note for note in results.notes)
    may_load.set()
    patient = replace(QUERY, budget=Budget(time_ms=60_000))
    assert ask(ranker, patient).hits == ask(DeepRanker(lambda: Encoder("charge")), patient).hits


def test_a_search_that_waits_for_the_model_can_be_cancelled() -> None:
    cancel, may_load = threading.Event(), threading.Event()

    def load() -> Encoder:
        cancel.set()
        assert may_load.wait(60)
        return Encoder("charge")

    with pytest.raises(Cancelled):
        ask(DeepRanker(load), replace(QUERY, budget=Budget(time_ms=60_000)), cancel)
    may_load.set()


def test_hits_keep_their_siblings() -> None:
    plain = search(snapshot(), QUERY, environment())
    results = ask(DeepRanker(lambda: Encoder("no such word")))
    assert any(hit.siblings for hit in plain.hits)
    assert any(hit.siblings for hit in results.hits)


def test_explain_gives_the_score_that_ranked() -> None:
    ranker = DeepRanker(lambda: Encoder("charge"))
    best = ask(ranker).hits[0]
    explained = explain(snapshot(), QUERY, best.node.node_id, environment_of(ranker))
    assert explained.rank == best.rank == 1
    assert explained.explanation().beside == best.explanation().beside
    assert math.isclose(explained.score, best.score)


@pytest.mark.parametrize("seed", range(6))
def test_the_order_does_not_depend_on_which_vectors_are_on_disk(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    cold = Noise()
    expected = ask(DeepRanker(lambda: cold)).hits
    store = VectorStore(tmp_path / "index")
    read = [deep_text_of(node) for node in snapshot().refs_below("", "") if rng.random() < seed / 5]
    store.put(cold.fingerprint, {text.digest: text.encode(Noise()).tobytes() for text in read})
    warm = Noise()
    environment = replace(
        environment_of(DeepRanker(lambda: warm)), vectors=NodeVectors(store, lambda node: True)
    )
    assert search(snapshot(), QUERY, environment).hits == expected
    assert len(warm.texts) < len(cold.texts) if seed else warm.texts == cold.texts
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
    digests = {hit.node.path: deep_text_of(hit.node).digest for hit in hits}
    assert len(digests) > 1 and digests[saved] in store.get(encoder.fingerprint, digests.values())
    del digests[saved]
    assert not store.get(encoder.fingerprint, digests.values())


def test_each_folder_of_a_process_has_its_vectors_on_disk(tmp_path: Path) -> None:
    encoder = Noise()
    ranker, n_read = DeepRanker(lambda: encoder), []
    for folder in (tmp_path / "tree", tmp_path / "other tree"):
        vectors = NodeVectors(VectorStore(folder), lambda node: True)
        hits = search(snapshot(), QUERY, replace(environment_of(ranker), vectors=vectors)).hits
        digests = [deep_text_of(hit.node).digest for hit in hits]
        assert {*VectorStore(folder).get(encoder.fingerprint, digests)} == {*digests}
        n_read.append(sum(text != QUERY.text for text in encoder.texts))
    assert n_read[0] == n_read[1] > 0


def test_reading_in_advance_stops_when_it_may_not_go_on(tmp_path: Path) -> None:
    encoder, store = Noise(), VectorStore(tmp_path / "index")
    ranker = DeepRanker(lambda: encoder)
    texts = [deep_text_of(node) for node in snapshot().refs_below("", "")]
    permissions = iter([True, True, False])
    assert ranker.read_ahead(texts, store, lambda: next(permissions), Interruption()) is None
    assert len(encoder.texts) == 2
    saved = store.get(encoder.fingerprint, [text.digest for text in texts])
    assert len(saved) == 2
    codes = ranker.read_ahead(texts, store, lambda: True, Interruption())
    assert codes is not None and codes.tolist() == [text.encode(Noise()).tolist() for text in texts]
    assert len(encoder.texts) == len({text.digest for text in texts})


def test_a_text_that_was_interrupted_is_read_when_it_may_go_on(tmp_path: Path) -> None:
    class Interrupted(Noise):
        def encode(self, text: str, interruption: Interruption | None = None) -> np.ndarray:
            vector = super().encode(text)
            if len(self.texts) == 1:
                raise Cancelled("an edit came")
            return vector

    encoder, store = Interrupted(), VectorStore(tmp_path / "index")
    texts = [deep_text_of(node) for node in snapshot().refs_below("", "")]
    ranker = DeepRanker(lambda: encoder)
    codes = ranker.read_ahead(texts, store, lambda: True, Interruption())
    assert codes is not None and len(codes) == len(texts)
    digests = {text.digest for text in texts}
    assert {*store.get(encoder.fingerprint, digests)} == digests
    assert len(encoder.texts) == len(digests) + 1


def read_nodes(encoder: Encoder, n_wanted: int) -> ReadNodes:
    nodes = sorted(snapshot().refs_below("", ""), key=lambda node: node.node_id)
    codes = np.array([deep_text_of(node).encode(encoder) for node in nodes])
    node_ids = np.array([node.node_id for node in nodes], np.int32)
    return ReadNodes(snapshot().epoch, n_wanted, node_ids, codes, scales_of(codes))


def test_a_node_that_was_read_in_advance_is_found_by_nothing_but_the_model() -> None:
    encoder = Encoder("charge")
    few = settings_from({"words": {"topK": 1}, "meaning": {"topK": 1}})
    alone = replace(environment_of(DeepRanker(lambda: encoder)), settings=few)
    assert all(hit.node.name != "Charge" for hit in search(snapshot(), QUERY, alone).hits)
    read = replace(alone, read_nodes=read_nodes(encoder, len(snapshot().live)))
    results = search(snapshot(), QUERY, read)
    best = results.hits[0]
    assert best.node.name == "Charge" and best.why[-1].signal == "deep_similarity"
    assert math.isclose(best.score, math.fsum(reason.contribution for reason in best.why))
    explained = explain(snapshot(), QUERY, best.node.node_id, read)
    assert math.isclose(explained.score, best.score)
    filtered = search(
        snapshot(), replace(QUERY, text=f"{QUERY.text} path:shop/validation.py"), read
    )
    assert {hit.node.path for hit in filtered.hits} == {"shop/validation.py"}
    assert not any("has read" in note for note in results.notes)


def test_a_folder_that_is_half_read_says_so() -> None:
    encoder = Encoder("charge")
    read = read_nodes(encoder, 2_000)
    half = replace(environment_of(DeepRanker(lambda: encoder)), read_nodes=read)
    note = f"{len(read.node_ids)} of 2,000 definitions read closely so far"
    assert note in search(snapshot(), QUERY, half).notes
    names = search(snapshot(), Query("FormValidator"), half)
    assert note not in names.notes


def test_nodes_read_before_the_index_was_numbered_anew_are_left_out() -> None:
    ranker = DeepRanker(lambda: Encoder("charge"))
    of_before = read_nodes(Encoder("charge"), 10)._replace(epoch=-1)
    before = replace(environment_of(ranker), read_nodes=of_before)
    assert search(snapshot(), QUERY, before).hits == ask(ranker).hits


def deep_text_of(node: NodeRef) -> DeepText:
    return DeepText(node.qualname, text_of(node).partition("\n")[2])


class Noise(Encoder):
    """Encodes a text as numbers that follow from it alone."""

    def __init__(self) -> None:
        super().__init__("")

    def encode(self, text: str, interruption: Interruption | None = None) -> np.ndarray:
        self.texts.append(text)
        return (
            np.random.default_rng(zlib.crc32(text.encode())).standard_normal(384).astype(np.float32)
            / 20
        )


@pytest.mark.parametrize("is_read", [False, True])
def test_an_answer_is_as_sure_however_many_hits_are_asked_for(is_read: bool) -> None:
    for text in (QUERY.text, "how a path is matched against routes", "photons in a cavity"):
        answers = [
            ask(DeepRanker(), query) if is_read else search(snapshot(), query, environment())
            for query in (Query(text, limit=n, budget=Budget(60_000)) for n in (1, 2, 5, 20))
        ]
        assert len({(each.confidence, each.confidence_word) for each in answers}) == 1
        chances = [[hit.confidence for hit in each.hits] for each in answers]
        assert all(chances[-1][: len(each)] == each for each in chances)


def test_a_name_is_as_sure_however_many_hits_are_asked_for() -> None:
    queries = [Query("load", mode="symbol", limit=n) for n in (0, 1, 2, 20)]
    answers = [search(snapshot(), query, environment()) for query in queries]
    assert [len(each.hits) for each in answers[:3]] == [0, 1, 2]
    assert len({(each.confidence, each.confidence_word) for each in answers}) == 1


def test_an_answer_is_rated_by_what_the_model_makes_of_its_hits() -> None:
    unlike, like = (ask(DeepRanker(lambda word=word: Encoder(word))) for word in ("zzz", "form"))
    assert unlike.confidence < like.confidence
    assert unlike.confidence < search(snapshot(), QUERY, environment()).confidence
