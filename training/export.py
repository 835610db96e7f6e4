"""Export: a training run -> the folder that ships, tokenizer.json and model.onnx.

    python training/export.py --run RUN.npz --tokenizer tokenizer.json --out server/packhound/model

Inputs: `input_ids` int64[total], the tokens of all texts end to end, and `offsets`
int64[texts + 1]. Output: `embeddings` float32[texts, dim], rows of length one; zeros for an
empty text.
A row of the table is int8 with one float scale that holds the token's weight too. Repeated tokens
are folded inside the graph (sort, run lengths), so that a caller hands over plain token ids.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

OPSET = 17
IR_VERSION = 8
"""Old enough for every onnxruntime that the package allows."""

KEY = 1 << 20
"""Above any token id: a token's key is text * KEY + id, so that one sort groups both."""

MAX_TOKENS = 256


def main() -> int:
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    with np.load(options.run) as columns:
        table = columns["vectors"] * np.exp(columns["weights"])[:, None]
        saturation = json.loads(str(columns["options"]))["saturation"]
    table[:2] = 0  # padding and unknown say nothing
    tokenizer, kept = pruned(Tokenizer.from_file(str(options.tokenizer)), options.rows)
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.save(str(options.out / "tokenizer.json"), pretty=False)
    codes, scales = quantise(table[kept])
    model = graph(codes, scales, saturation)
    onnx.checker.check_model(model)
    onnx.save(model, options.out / "model.onnx")
    size = sum((options.out / name).stat().st_size for name in ("model.onnx", "tokenizer.json"))
    print(f"{len(kept)} rows, {size / 1e6:.2f} MB")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=57_400, help="entries kept of the vocabulary")
    return parser.parse_args()


def pruned(tokenizer: Tokenizer, rows: int) -> tuple[Tokenizer, NDArray[np.int64]]:
    """The tokenizer without its rarest words, which fall to pieces, and the rows that remain.

    Words stand in the order of their weight, so the last ones that begin a word are the rarest.
    """
    described = json.loads(tokenizer.to_str())
    vocabulary = sorted(described["model"]["vocab"].items(), key=lambda entry: entry[1])
    words = [row for entry, row in vocabulary if not entry.startswith("##")]
    n_surplus = max(0, len(vocabulary) - rows)
    surplus = set(words[len(words) - n_surplus :]) if n_surplus else set()
    kept = [(entry, row) for entry, row in vocabulary if row not in surplus]
    described["model"]["vocab"] = {entry: number for number, (entry, _) in enumerate(kept)}
    return Tokenizer.from_str(json.dumps(described)), np.array([row for _, row in kept])


def quantise(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Rows as int8, and what one step of each row is worth."""
    scales = np.maximum(np.abs(table).max(axis=1), 1e-12) / 127
    return np.round(table / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def graph(codes: NDArray[np.int8], scales: NDArray[np.float32], saturation: str) -> onnx.ModelProto:
    """The bag of tokens as a graph: number the texts, sort the tokens, fold, look up, sum."""
    nodes: list[onnx.NodeProto] = []
    constants: list[onnx.TensorProto] = []

    def constant(name: str, array: NDArray[np.generic]) -> str:
        constants.append(numpy_helper.from_array(array, name))
        return name

    def add(kind: str, inputs: list[str], output: str, **attributes: object) -> str:
        outputs = output.split()
        nodes.append(helper.make_node(kind, inputs, outputs, **attributes))
        return outputs[0]

    i64 = np.int64
    zero, one = constant("zero", np.array([0], i64)), constant("one", np.array([1], i64))
    minus_one, far = constant("minus_one", np.array([-1], i64)), constant("far", np.array([2**62]))
    key, tiny = constant("key", np.array([KEY], i64)), constant("tiny", np.float32([1e-12]))
    constant("table", codes)
    constant("scales", scales[:, None])

    # text[t]: how many texts begin at or before token t, less one
    total = add("Shape", ["input_ids"], "total")
    beyond = add("Add", [total, one], "beyond")
    none = add("ConstantOfShape", [beyond], "none", value=helper.make_tensor("v", 7, [1], [0]))
    inner = add("Slice", ["offsets", one, minus_one], "inner")
    marks = add("Expand", [one, add("Shape", [inner], "n_inner")], "marks")
    begun = add("ScatterElements", [none, inner, marks], "begun", axis=0, reduction="add")
    counted = add("CumSum", [begun, constant("axis", np.array(0, i64))], "counted")
    text = add("Slice", [counted, zero, minus_one], "text")

    # keys in order: equal tokens of one text stand side by side
    keys = add("Add", [add("Mul", [text, key], "base"), "input_ids"], "keys")
    ordered = add("TopK", [keys, total], "ordered places", axis=0, largest=0, sorted=1)
    before = add(
        "Concat",
        [minus_one, add("Slice", [ordered, zero, minus_one], "but_last")],
        "before",
        axis=0,
    )
    fresh = add("Not", [add("Equal", [ordered, before], "same")], "fresh")
    starts = add("Squeeze", [add("NonZero", [fresh], "nonzero"), zero], "starts")
    ends = add("Concat", [add("Slice", [starts, one, far], "later"), total], "ends", axis=0)
    run = add(
        "Cast",
        [
            add("Sub", [ends, starts], "run"),
        ],
        "count",
        to=TensorProto.FLOAT,
    )
    distinct = add("Gather", [ordered, starts], "distinct")
    ids = add("Mod", [distinct, key], "ids")
    rows = add("Div", [distinct, key], "rows")

    # weighted rows of the table, summed by text, brought to length one
    factor = _saturated(run, saturation, add, constant)
    column = add("Unsqueeze", [factor, one], "column")
    weight = add("Mul", [add("Gather", ["scales", ids], "scale"), column], "weight")
    looked_up = add("Cast", [add("Gather", ["table", ids], "bytes")], "looked_up", to=1)
    weighted = add("Mul", [looked_up, weight], "weighted")
    n_texts = add("Sub", [add("Shape", ["offsets"], "n_offsets"), one], "n_texts")
    dim = constant("dim", np.array([codes.shape[1]], i64))
    shape = add("Concat", [n_texts, dim], "shape", axis=0)
    empty = add("ConstantOfShape", [shape], "empty", value=helper.make_tensor("w", 1, [1], [0.0]))
    where = add("Unsqueeze", [rows, one], "where")
    summed = add("ScatterND", [empty, where, weighted], "summed", reduction="add")
    norm = add("ReduceL2", [summed], "norm", axes=[1], keepdims=1)
    add("Div", [summed, add("Max", [norm, tiny], "length")], "embeddings")

    return helper.make_model(
        helper.make_graph(
            nodes,
            "packhound-encoder",
            [
                helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["total"]),
                helper.make_tensor_value_info("offsets", TensorProto.INT64, ["offsets"]),
            ],
            [
                helper.make_tensor_value_info(
                    "embeddings", TensorProto.FLOAT, ["texts", codes.shape[1]]
                )
            ],
            constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )


def _saturated(count: str, saturation: str, add, constant) -> str:  # noqa: ANN001
    if saturation == "log":
        unit = constant("unit", np.float32([1]))
        return add("Add", [add("Log", [count], "log"), unit], "factor")
    if saturation == "sqrt":
        return add("Sqrt", [count], "factor")
    if saturation == "once":
        return add("Div", [count, count], "factor")
    return count


if __name__ == "__main__":
    sys.exit(main())
