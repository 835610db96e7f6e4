"""Models of both kinds give unit rows; folders that cannot be used say why."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from packhound.core.errors import ModelError
from packhound.encoder.embedder import BUNDLED, Embedder

MODELS = Path(__file__).parents[2] / "fixtures" / "models"
TEXTS = ["load config", "parse tree file search", "", "unheard words", "load " * 50]


@pytest.fixture(params=["static", "transformer"])
def name(request):
    return request.param


def copy_of(name: str, folder: Path) -> Path:
    return Path(shutil.copytree(MODELS / name, folder / name))


def test_a_text_has_the_same_vector_in_any_company(name):
    embedder = Embedder.open(MODELS / name)
    together = embedder.encode(TEXTS * 20)
    alone = [embedder.encode([text])[0] for text in TEXTS]
    assert together.shape == (100, embedder.dim) and together.dtype == np.float32
    assert np.abs(together[:5] - np.stack(alone)).max() < 1e-3
    assert np.array_equal(together[:5], together[95:])


def test_rows_are_unit_rows(name):
    rows = Embedder.open(MODELS / name).encode(TEXTS)
    assert np.allclose(np.linalg.norm(rows[[0, 1, 4]], axis=1), 1)


def test_kinds_are_told_apart_by_their_inputs():
    assert Embedder.open(MODELS / "static").fast
    assert not Embedder.open(MODELS / "transformer").fast


def test_no_text_gives_no_row_and_an_empty_one_no_direction():
    embedder = Embedder.open(MODELS / "static")
    assert embedder.encode([]).shape == (0, 8)
    assert not embedder.encode(["", "unheard"]).any()
    assert embedder.encode_query("load\ud800 config").shape == (8,)


def test_mean_pooling_leaves_padding_out():
    embedder = Embedder.open(MODELS / "transformer")
    short, long = embedder.encode(["load", "load config parse tree"])
    assert np.array_equal(short, embedder.encode(["load"])[0])
    assert not np.array_equal(short, long)


def test_pooling_and_prefixes_follow_the_folder(tmp_path):
    folder = copy_of("transformer", tmp_path)
    mean = Embedder.open(folder)
    settings = {"pooling": "cls", "query_prefix": "search ", "document_prefix": "file "}
    (folder / "packhound.json").write_text(json.dumps(settings))
    cls = Embedder.open(folder)
    assert cls.fingerprint != mean.fingerprint
    assert not np.array_equal(cls.encode(["load"]), mean.encode(["load"]))
    assert not np.array_equal(cls.encode_query("load"), cls.encode(["load"])[0])


def test_the_fingerprint_covers_every_file_that_decides_a_vector(tmp_path):
    folder = copy_of("transformer", tmp_path)
    first = Embedder.open(folder).fingerprint
    assert Embedder.open(MODELS / "transformer").fingerprint == first
    (folder / "README.md").write_text("words")
    assert Embedder.open(folder).fingerprint == first
    (folder / "config.json").write_text('{"pad_token_id": 1}')
    assert Embedder.open(folder).fingerprint != first


def _without(name):
    return lambda folder: (folder / name).unlink()


def _holding(name, content):
    def write(folder):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)

    return write


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (shutil.rmtree, "model.onnx or onnx/model.onnx is missing"),
        (_without("model.onnx"), "is missing"),
        (_without("tokenizer.json"), "tokenizer.json is missing"),
        (_holding("model.onnx", b"junk"), "cannot be used"),
        (_holding("model.onnx", b""), "cannot be used"),
        (_holding("tokenizer.json", b"{}"), "cannot be used"),
        (_holding("config.json", b"\xff\xfe"), "config.json cannot be read"),
        (_holding("config.json", b"[1]"), "not a JSON object"),
        (_holding("packhound.json", b'{"pooling": "median"}'), "expected one of: mean, cls, last"),
        (_holding("1_Pooling/config.json", b'{"pooling_mode_max_tokens": true}'), "supported"),
        (_holding("2_Dense/config.json", b"{}"), "2_Dense"),
    ],
)
def test_a_folder_that_cannot_be_used_says_why_in_one_line(tmp_path, spoil, says):
    folder = copy_of("transformer", tmp_path)
    spoil(folder)
    with pytest.raises(ModelError, match=says) as caught:
        Embedder.open(folder)
    assert str(folder) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["n" * 300, "n/" * 3_000, "a\0b", "\ud800"])
def test_a_folder_that_cannot_be_is_one_that_cannot_be_used(tmp_path, name):
    with pytest.raises(ModelError, match="is missing"):
        Embedder.open(tmp_path / name)


def test_the_bundled_model_needs_no_folder():
    if not (BUNDLED / "model.onnx").is_file():
        pytest.skip("the bundled model is not built yet")
    embedder = Embedder.open()
    near, far = embedder.encode(["parse a configuration file", "draw a red circle"])
    query = embedder.encode_query("load config")
    assert embedder.fast and near @ query > far @ query
