"""An index that lived through edits equals one built anew."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhound.core.errors import ModelError
from packhound.index.writer import Index
from tests.support.index_check import contents, keys
from tests.support.index_corpus import BagOfWords, file, stamp

WORDS = ["load", "config", "parse", "tree", "ünïcode", "日本", "x1"]
bodies = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
lines = st.tuples(st.sampled_from(["function", "class", "test"]), st.sampled_from("abcd"), bodies)
texts = st.lists(lines, max_size=5).map(lambda ls: "\n".join(f"{k} {n}: {b}" for k, n, b in ls))
paths = st.sampled_from(["a.py", "b.py", "src/c.py"])
edits = st.lists(st.tuples(paths, st.none() | texts, st.booleans()), max_size=12)


def check_equals_rebuilt(index: Index, texts: dict[str, str]) -> None:
    rebuilt = Index(BagOfWords())
    rebuilt.replace([file(p, t) for p, t in texts.items()], {p: stamp() for p in texts})
    assert contents(index.publish()) == contents(rebuilt.publish())


@given(edits)
def test_any_edits_equal_a_rebuild(changes):
    index, now = Index(BagOfWords()), {}
    for path, text, publish in changes:
        if text is None:
            index.remove([path])
            now.pop(path, None)
        else:
            index.replace([file(path, text)], {path: stamp()})
            now[path] = text
        if publish:
            index.publish()
    check_equals_rebuilt(index, now)


def test_many_edits_of_one_node_equal_a_rebuild_and_stay_few_segments():
    index, now = Index(BagOfWords()), {}
    for i in range(200):
        now = {"a.py": f"function a: load {i}\nfunction b: parse", "b.py": f"class c: tree {i}"}
        index.replace([file(p, t) for p, t in now.items()], {p: stamp() for p in now})
        index.publish()
    assert len(index.snapshot.terms.segments) < 20
    check_equals_rebuilt(index, now)


def test_a_node_that_did_not_change_keeps_its_id_and_is_not_encoded_again():
    encoder = BagOfWords()
    index = Index(encoder)
    index.replace([file("a.py", "function f: load\nfunction g: parse")], {})
    before = index.publish().files["a.py"].node_ids
    encoder.encoded.clear()
    index.replace([file("a.py", "\nfunction f: load\nfunction g: parse tree")], {})
    after = index.publish().files["a.py"]
    assert after.node_ids[0] == before[0] and after.node_ids[1] != before[1]
    assert encoder.encoded == ["g parse tree"]
    assert after.nodes[0].span.start_line == 1


def test_an_undo_encodes_nothing():
    encoder = BagOfWords()
    index = Index(encoder)
    for text in ("function f: load", "function f: parse"):
        index.replace([file("a.py", text)], {})
        index.publish()
    encoder.encoded.clear()
    index.replace([file("a.py", "function f: load")], {})
    assert index.publish().has_vector[index.snapshot.files["a.py"].node_ids[0]]
    assert encoder.encoded == []


def test_equal_nodes_of_one_file_have_ids_of_their_own():
    index = Index(BagOfWords())
    index.replace([file("a.py", "function f: load\nfunction f: load")], {})
    assert len(set(index.publish().files["a.py"].node_ids.tolist())) == 2
    index.replace([file("a.py", "function f: load")], {})
    assert index.publish().n_nodes == 1


def test_a_slow_encoder_works_in_the_pauses():
    encoder = BagOfWords(fast=False)
    index = Index(encoder)
    index.replace([file("a.py", "\n".join(f"function f{i}: load" for i in range(40)))], {})
    first = index.publish()
    assert not first.has_vector.any() and len(first.postings("load").node_ids) == 40
    assert index.complete_digests("a.py") == b""  # Their texts are still wanted.
    while index.embed_some():
        index.publish()
    assert index.snapshot.has_vector.all() and not first.has_vector.any()
    assert len(encoder.encoded) == 40
    assert index.complete_digests("a.py") == index.snapshot.files["a.py"].node_digests


class Directionless(BagOfWords):
    def encode(self, texts):
        return np.full((len(texts), self.dim), np.nan, np.float32)


def test_a_text_without_direction_is_not_asked_for_again():
    index = Index(Directionless(fast=False))
    index.replace([file("a.py", "function f: x")], {})
    assert index.embed_some() and not index.embed_some()
    assert not index.publish().has_vector.any()


class Broken(BagOfWords):
    def encode(self, texts):
        raise ModelError("the model failed")


def test_a_model_that_fails_leaves_the_words(caplog):
    index = Index(Broken())
    index.replace([file("a.py", "function f: x")], {})
    snapshot = index.publish()
    assert not snapshot.has_vector.any() and len(snapshot.postings("x").node_ids) == 1
    assert "the model failed" in caplog.text


def test_nearest_finds_the_like_and_nothing_dead():
    encoder = BagOfWords()
    index = Index(encoder)
    index.replace([file("a.py", "function f: load config\nfunction g: parse tree")], {})
    snapshot = index.publish()
    node_ids, cosines = snapshot.nearest(encoder.encode_query("parse tree"), 5)
    assert keys(snapshot)[int(node_ids[0])] == ("a.py", 1) and len(node_ids) == 2
    assert cosines[0] > cosines[1]
    assert np.array_equal(
        snapshot.similarities(encoder.encode_query("parse tree"), node_ids), cosines
    )
    only = np.zeros(snapshot.n_node_ids, bool)
    only[node_ids[1]] = True
    assert snapshot.nearest(encoder.encode_query("parse tree"), 5, only)[0].tolist() == [
        node_ids[1]
    ]
    index.replace([file("a.py", "function f: load config")], {})
    later = index.publish()
    assert later.nearest(encoder.encode_query("parse tree"), 5)[0].tolist() == [node_ids[1]]
    assert later.similarities(encoder.encode_query("parse tree"))[node_ids[0]] == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_broken_query_vector_finds_nothing(bad):
    index = Index(BagOfWords())
    index.replace([file("a.py", "function f: load")], {})
    assert len(index.publish().nearest(np.full(32, bad, np.float32), 3)[0]) == 0


def test_names_are_found_exactly_folded_and_by_last_part():
    index = Index(None)
    index.replace(
        [file("a.py", "class Loader: x\nmethod Loader.readAll: x\nfunction readall: y")], {}
    )
    snapshot = index.publish()
    named = lambda node_ids: [keys(snapshot)[i][1] for i in node_ids.tolist()]  # noqa: E731
    assert named(snapshot.node_ids_named("readAll")) == [1]
    assert named(snapshot.node_ids_named_folded("readall")) == [1, 2]
    assert snapshot.names == ("Loader", "readAll", "readall")
    assert snapshot.ref(1, "/r").qualname == "Loader.readAll"
    with pytest.raises(ValueError, match="read-only"):
        snapshot.live[0] = False


def test_without_a_model_vectors_are_absent():
    index = Index(None)
    index.replace([file("a.py", "function f: load")], {})
    snapshot = index.publish()
    query = np.ones(32, np.float32)
    assert snapshot.similarities(query).tolist() == [0]
    assert len(snapshot.nearest(query, 3)[0]) == 0


def test_a_snapshot_stays_as_it_was_while_the_index_is_written():
    index = Index(BagOfWords())
    versions = [
        [file(f"{i}.py", f"function f{i}: load v{n}\nclass c{i}: tree v{n}") for i in range(5)]
        for n in range(60)
    ]
    index.replace(versions[0], {})
    index.publish()
    faults: list[str] = []
    over = threading.Event()

    def read() -> None:
        while not over.is_set():
            snapshot = index.snapshot
            first = contents(snapshot)
            words = {p[0] for p in first["postings"] if p[0][0] == "v" and len(p[0]) > 1}
            if len(words) != 1 or contents(snapshot) != first:
                faults.append(f"{snapshot.generation}: {sorted(words)}")

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for version in versions:
        index.replace(version, {})
        index.publish()
    over.set()
    for reader in readers:
        reader.join()
    assert not faults


def test_files_are_found_by_the_whole_of_their_name():
    index = Index(BagOfWords())
    paths = ["src/http_server.py", "a/http-server.ts", "http_server.py", "lib/http_server.py"]
    index.replace([file(path, "function f: load") for path in paths], {})
    index.remove(["lib/http_server.py"])
    assert sorted(index.publish().paths_named("http_server.py")) == [
        "http_server.py",
        "src/http_server.py",
    ]


def test_letters_at_the_end_of_a_word_and_the_start_of_the_next_are_in_none():
    index = Index(None)
    index.replace([file("z.py", "function load: abba cord")], {})
    terms = index.publish().terms
    assert terms.any_contains("bba") and terms.any_contains("cor")
    assert not terms.any_contains("ac") and not terms.any_contains("bac")
    index.replace([file("z.py", "function load: abba cord tract")], {})
    assert index.publish().terms.any_contains("ac")
