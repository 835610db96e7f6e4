"""Ids by way of runs are those of the tokenizer, for every text."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import BPE, WordPiece

from packhound.encoder.embedder import BUNDLED
from packhound.encoder.token_cache import RunTokenizer, reads_by_runs
from packhound.parsing.analysed_file import ENCODED, PARTS, NodeRuns
from packhound.text.tokenizer import runs

REPOSITORY = Path(__file__).parents[2]
LIMIT = 256

tokenizer = Tokenizer.from_file(str(BUNDLED / "tokenizer.json"))
tokenizer.enable_truncation(LIMIT)
run_tokenizer = RunTokenizer(Tokenizer.from_file(str(BUNDLED / "tokenizer.json")), LIMIT)


def by_tokenizer(text: str) -> list[int]:
    return tokenizer.encode(text, add_special_tokens=False).ids


def test_the_bundled_encoder_reads_by_runs_and_others_do_not():
    assert reads_by_runs(tokenizer)
    others = REPOSITORY.glob("fixtures/models/*/tokenizer.json")
    assert not any(reads_by_runs(Tokenizer.from_file(str(path))) for path in others)


@pytest.mark.parametrize(
    "folder",
    [
        *("fixtures", "tests/golden", "vscode-extension/src"),
        pytest.param("server", marks=pytest.mark.release),
    ],
)
def test_code_in_all_languages(folder):
    files = [path for path in sorted((REPOSITORY / folder).rglob("*")) if path.is_file()]
    texts = [p for p in files if p.suffix not in (".onnx", ".png") and p.stat().st_size < 1e6]
    assert texts
    for path in texts:
        text = path.read_text("utf-8", "replace")
        for start in range(0, len(text), 997):
            part = text[start : start + 2_000]
            assert run_tokenizer.encode(part) == by_tokenizer(part), (path, start)


@settings(max_examples=1_000)
@given(
    st.text(alphabet=st.characters(exclude_categories=("Cs",)))
    | st.text("aB cD_Z9\u0301\u00c9\u00e9\u0130\u03a3\u017f\u2160\u0663\ufb01\u01c5-\n\u2028x")
    | st.text("aAbBzZ019_ é", max_size=40)
)
def test_any_text(text):
    assert run_tokenizer.encode(text) == by_tokenizer(text)


@pytest.mark.parametrize(
    "model",
    [
        BPE({"[UNK]": 0, "a": 1, "b": 2, "ab": 3}, [], unk_token="[UNK]"),
        WordPiece({"[UNK]": 0, "ab": 1, "abab": 2}, unk_token="[UNK]", max_input_chars_per_word=3),
    ],
    ids=["a word that no merge makes", "a word too long for its model"],
)
def test_a_word_of_the_vocabulary_is_one_id_only_where_the_model_says_so(model: BPE | WordPiece):
    other = Tokenizer.from_file(str(BUNDLED / "tokenizer.json"))
    other.model = model
    for text in ("ab", "AB", "abab", "ababab", "xab ab"):
        assert (
            RunTokenizer(other, LIMIT).encode(text)
            == other.encode(text, add_special_tokens=False).ids
        )


def test_a_long_text_is_cut():
    assert len(run_tokenizer.encode("word " * 1_000)) == LIMIT


@settings(max_examples=200)
@given(st.lists(st.lists(st.text("aB cD_Z9é-\n", max_size=60), min_size=8, max_size=8), min_size=1))
def test_nodes_are_read_as_their_texts(nodes: list[list[str]]):
    ids, lengths = run_tokenizer.encode_nodes(node_runs(nodes))
    actual = [part.tolist() for part in np.split(ids, np.cumsum(lengths)[:-1])]
    assert actual == [run_tokenizer.encode(" ".join(parts[ENCODED])) for parts in nodes]


def test_a_long_node_is_cut():
    ids, lengths = run_tokenizer.encode_nodes(
        node_runs([["", "", "", "a", "b", "word " * 1_000, "", ""]] * 2)
    )
    assert lengths.tolist() == [LIMIT] * 2
    assert ids[:LIMIT].tolist() == run_tokenizer.encode("a b " + "word " * 1_000)


def node_runs(nodes: list[list[str]]) -> NodeRuns:
    parts = [runs(text) for parts in nodes for text in parts]
    distinct = [*dict.fromkeys(run for part in parts for run in part)]
    run = [distinct.index(run) for part in parts for run in part]
    lengths = np.array([*map(len, parts)], np.int32).reshape(-1, len(PARTS))
    return NodeRuns(distinct, np.array(run, np.int32), lengths)
