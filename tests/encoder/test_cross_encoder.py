"""A cross-encoder reads pairs; folders that hold none say why."""

from pathlib import Path

import pytest

from packhound.core.errors import ModelError
from packhound.encoder.cross_encoder import CrossEncoder

MODELS = Path(__file__).parents[2] / "fixtures" / "models"


@pytest.fixture(scope="module")
def model() -> CrossEncoder:
    return CrossEncoder.open(MODELS / "cross_encoder")


def test_a_pair_is_scored_as_one(model):
    """The model of the fixture counts the words of the query in the text."""
    texts = ["load", "tree tree", "parse a tree", "config", ""]
    assert model.logits("parse tree", texts).tolist() == [0, 2, 2, 0, 0]
    assert model.logits("config", texts).tolist() == [0, 0, 0, 1, 0]


def test_a_text_scores_the_same_in_any_company(model):
    texts = ["tree " * count for count in range(200)]
    alone = [float(model.logits("tree", [text])[0]) for text in texts]
    assert model.logits("tree", texts).tolist() == alone


def test_no_text_and_odd_text_are_no_error(model):
    assert model.logits("tree", []).shape == (0,)
    assert model.logits("tree\ud800", ["tree \ud800 \0"]).tolist() == [1]


@pytest.mark.parametrize(
    ("folder", "says"),
    [
        (MODELS / "transformer", "shape (1, "),
        (MODELS / "static", "offsets"),
        (MODELS / "absent", "model.onnx or onnx/model.onnx is missing"),
    ],
)
def test_another_folder_is_refused_with_a_reason(folder, says):
    with pytest.raises(ModelError, match=r"model folder") as caught:
        CrossEncoder.open(folder)
    assert says in str(caught.value)
