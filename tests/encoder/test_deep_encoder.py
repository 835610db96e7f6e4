"""The deep model reads words as its makers meant it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from packhound.core.errors import Cancelled, ModelError
from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.encoder import deep_encoder
from packhound.encoder.deep_encoder import DeepEncoder, Interruption, node_text
from packhound.service.engine import Engine

CART = '''def total(self):
    """What the customer has to pay."""
    return sum(line.price for line in self.lines)
'''
OTHER = '''def parse(text):
    """Read a date."""
    return datetime.strptime(text, "%Y-%m-%d")
'''
QUERY = "amount of money that the customer owes"


def test_words_of_names_and_source_are_read() -> None:
    text = node_text("HTTPServer.startTLS", "def start_tls2(self): return größe + ÄHNLICH")
    assert text == "http server start tls. def start tls 2 self return größe ähnlich"


def test_a_node_is_read_to_a_bound() -> None:
    assert len(node_text("f", "x = 1\n" * 10_000)) < 1_300


def test_texts_of_one_meaning_are_similar() -> None:
    model = DeepEncoder.open()
    query, cart, other = map(model.encode, (QUERY, node_text("", CART), node_text("", OTHER)))
    assert query.shape == (384,) and np.isclose(np.linalg.norm(query), 1)
    assert query @ cart > query @ other + 0.1
    assert np.array_equal(query, model.encode(QUERY))


@pytest.mark.parametrize("text", ["", "\ud800", "x" * 10_000, "word " * 10_000, "\0", "日本語"])
def test_any_text_has_a_unit_vector(text: str) -> None:
    assert np.isclose(np.linalg.norm(DeepEncoder.open().encode(text)), 1)


def test_another_thread_can_end_a_run() -> None:
    encoder, interruption = DeepEncoder.open(), Interruption()
    interruption.set()
    with pytest.raises(Cancelled):
        encoder.encode("how are errors handled", interruption)
    interruption.clear()
    vector = encoder.encode("how are errors handled", interruption)
    assert np.array_equal(vector, encoder.encode_query("how are errors handled"))


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the model, to damage."""
    folder = tmp_path / "minilm"
    shutil.copytree(deep_encoder.FOLDER, folder)
    monkeypatch.setattr(deep_encoder, "FOLDER", folder)
    return folder


def test_other_weights_have_another_fingerprint(copied: Path) -> None:
    """Vectors that were saved with others are not compared with theirs."""
    weights = bytearray((copied / "weights.bin").read_bytes())
    before = DeepEncoder.open().fingerprint
    weights[len(weights) // 2] ^= 1
    (copied / "weights.bin").write_bytes(weights)
    assert DeepEncoder.open().fingerprint != before


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "cart.py").write_text(CART)
    (folder / "dates.py").write_text(OTHER)
    return folder


def ask(root: Path, setting: str, *, deep: bool) -> tuple[set[str], tuple[str, ...]]:
    """Return the signals of the hits, and the notes."""
    engine = Engine.open(root, settings_from({"search.deep": setting}))
    try:
        engine.settled()
        results = engine.search(Query(QUERY, deep=deep))
        return {reason.signal for hit in results.hits for reason in hit.why}, results.notes
    finally:
        engine.close()


@pytest.mark.parametrize(
    ("setting", "deep", "is_read"),
    [
        ("auto", True, True),
        ("auto", False, False),
        ("on", False, True),
        ("off", True, False),
    ],
)
def test_the_setting_and_the_query_decide(
    root: Path, setting: str, deep: bool, is_read: bool
) -> None:
    signals, _ = ask(root, setting, deep=deep)
    assert ("deep_similarity" in signals) == is_read


@pytest.mark.parametrize("name", ["weights.bin", "graph.onnx", "tokenizer.json"])
def test_a_damaged_model_says_what_to_do(copied: Path, name: str) -> None:
    (copied / name).write_bytes(b"")
    with pytest.raises(ModelError, match="install Packhound again"):
        DeepEncoder.open()


def test_the_tokenizer_is_the_models() -> None:
    folder = Path(deep_encoder.__file__).parent / "minilm"
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    assert tokenizer["model"]["type"] == "WordPiece" and len(tokenizer["model"]["vocab"]) == 30_522
    assert "Apache License" in (folder / "LICENSE").read_text("utf-8")
