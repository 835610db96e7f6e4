"""The encoder that ships: small, deterministic, unit rows, and no word without tokens."""

from __future__ import annotations

import numpy as np
import pytest
from tokenizers import Tokenizer

from packhound.encoder.embedder import BUNDLED, Embedder

LARGEST = 16_000_000


@pytest.fixture(scope="module")
def encoder() -> Embedder:
    return Embedder.open()


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(BUNDLED / "tokenizer.json"))


def test_the_model_is_small_enough_to_ship() -> None:
    assert (BUNDLED / "model.onnx").stat().st_size <= LARGEST
    assert (BUNDLED / "MODEL_CARD.md").exists()


def test_rows_have_length_one_and_empty_text_has_none(encoder: Embedder) -> None:
    rows = encoder.encode(["def load_config(path):", "open the settings file", "", "   \n"])
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 1, 0, 0], atol=2e-3)


def test_a_text_has_one_vector_whatever_it_is_encoded_with(encoder: Embedder) -> None:
    texts = [f"class Reader{i}: parse the header of file {i}" for i in range(200)]
    together = encoder.encode(texts)
    apart = np.stack([encoder.encode([text])[0] for text in texts])
    assert np.array_equal(together, apart)
    assert np.array_equal(encoder.encode_query(texts[7]), together[7])


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("parse_config", ["parse", "config"]),
        ("parseConfig", ["parse", "config"]),
        ("HTTPServer", ["http", "server"]),
        ("MAX_SIZE", ["max", "size"]),
    ],
)
def test_identifiers_split_at_case_and_underscore(
    tokenizer: Tokenizer, text: str, tokens: list[str]
) -> None:
    assert tokenizer.encode(text, add_special_tokens=False).tokens == tokens


@pytest.mark.parametrize("word", ["qzxvkwjy", "frobnicatorizer", "x9q7", "zzzzzzzzzz"])
def test_unknown_words_fall_back_to_pieces(
    tokenizer: Tokenizer, encoder: Embedder, word: str
) -> None:
    tokens = tokenizer.encode(word, add_special_tokens=False).tokens
    assert "[UNK]" not in tokens
    assert "".join(token.removeprefix("##") for token in tokens) == word
    assert np.linalg.norm(encoder.encode_query(word)) == pytest.approx(1, abs=2e-3)


def test_meaning_is_nearer_than_chance(encoder: Embedder) -> None:
    code = encoder.encode(
        [
            "read_json io/json.py\ndef read_json(path):\n    return json.loads(open(path).read())",
            "Retry http/retry.py\nfor attempt in range(n):\n    time.sleep(backoff * 2**attempt)",
            "sha256 crypto/digest.py\nreturn hashlib.sha256(data).hexdigest()",
        ]
    )
    queries = [
        "parse a file into an object",
        "try again after a delay when a request fails",
        "checksum of some bytes",
    ]
    best = [int((code @ encoder.encode_query(question)).argmax()) for question in queries]
    assert best == [0, 1, 2]


def test_what_a_text_begins_with_counts_more_than_what_it_ends_with(encoder: Embedder) -> None:
    body = "for row in rows: total += weight * row; return total / len(rows)\n" * 3
    first, last = encoder.encode([f"checksum of a file\n{body}", f"{body}checksum of a file"])
    queries = encoder.encode_query("checksum of a file")
    assert float(first @ queries) > float(last @ queries) + 0.1
