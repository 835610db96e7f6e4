"""Export: a training run -> the folder that ships, tokenizer.json and model.onnx.

    python training/export.py --run RUN.npz --tokenizer tokenizer.json --out server/packhound/model
    python training/export.py --exported FOLDER --out OTHER --floor 1     # the same rows, read anew

Inputs: `input_ids` int64[total], the tokens of all texts end to end, and `offsets`
int64[texts + 1]. Output: `embeddings` float32[texts, dim], rows of length one; zeros for an
empty text.
A row of the table is int8 with one float scale that holds the token's weight too. How far back in
its text a token stands, and how often, is worked out inside the graph (`encoders.fading`,
`encoders.saturated`), so that a caller hands over plain token ids.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import onnx
from encoders import FLOOR, REACH
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

OPSET = 17
IR_VERSION = 8
"""Old enough for every onnxruntime that the package allows."""

KEY = 1 << 20
"""Above any token id: a token's key is text * KEY + id, so that one sort groups both."""

MAX_TOKENS = 256

Parts = tuple[Tokenizer, NDArray[np.int8], NDArray[np.float32], str]
"""Tokenizer, rows, what one step of each is worth, and how repeated tokens count."""


def main() -> int:
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    tokenizer, codes, scales, saturation = (
        of_exported(options.exported) if options.exported else of_run(options)
    )
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.save(str(options.out / "tokenizer.json"), pretty=False)
    model = graph(codes, scales, saturation, options.reach, options.floor)
    onnx.checker.check_model(model)
    onnx.save(model, options.out / "model.onnx")
    size = sum((options.out / name).stat().st_size for name in ("model.onnx", "tokenizer.json"))
    print(f"{len(codes)} rows, {size / 1e6:.2f} MB")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--run", type=Path)
    source.add_argument("--exported", type=Path, help="a folder whose rows and tokenizer are taken")
    parser.add_argument("--tokenizer", type=Path, help="of the run")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=57_400, help="entries kept of the vocabulary")
    parser.add_argument("--reach", type=float, default=REACH)
    parser.add_argument("--floor", type=float, default=FLOOR, help="1: all places count alike")
    return parser.parse_args()


def of_run(options: argparse.Namespace) -> Parts:
    """What a training run left, its rarest words dropped and its rows rounded."""
    with np.load(options.run) as columns:
        table = columns["vectors"] * np.exp(columns["weights"])[:, None]
        saturation = json.loads(str(columns["options"]))["saturation"]
    table[:2] = 0  # padding and unknown say nothing
    tokenizer, rows = pruned(Tokenizer.from_file(str(options.tokenizer)), options.rows)
    return tokenizer, *quantise(table[rows]), saturation


def of_exported(folder: Path) -> Parts:
    """What an exported folder holds; its counts are taken to be logarithmic, as they ship."""
    held = {array.name: array for array in onnx.load(folder / "model.onnx").graph.initializer}
    codes, scales = (numpy_helper.to_array(held[name]) for name in ("table", "scales"))
    return Tokenizer.from_file(str(folder / "tokenizer.json")), codes, scales[:, 0], "log"


def pruned(tokenizer: Tokenizer, rows: int) -> tuple[Tokenizer, NDArray[np.int64]]:
    """The tokenizer without its rarest words, which fall to pieces, and the rows that remain.

    Words stand in the order of their weight, so the last ones that begin a word are the rarest.
    """
    described = json.loads(tokenizer.to_str())
    vocabulary = sorted(described["model"]["vocab"].items(), key=lambda entry: entry[1])
    words = [row for entry, row in vocabulary if not entry.startswith("##")]
    n_surplus = max(0, len(vocabulary) - rows)
    surplus = set(words[len(words) - n_surplus :]) if n_surplus else set()
    entries = [(entry, row) for entry, row in vocabulary if row not in surplus]
    described["model"]["vocab"] = {entry: number for number, (entry, _) in enumerate(entries)}
    return Tokenizer.from_str(json.dumps(described)), np.array([row for _, row in entries])


def quantise(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Rows as int8, and what one step of each row is worth."""
    scales = np.maximum(np.abs(table).max(axis=1), 1e-12) / 127
    return np.round(table / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def graph(
    codes: NDArray[np.int8],
    scales: NDArray[np.float32],
    saturation: str,
    reach: float,
    floor: float,
) -> onnx.ModelProto:
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
    minus_one = constant("minus_one", np.array([-1], i64))
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

    amount = _amount(reach, floor, add, constant)
    distinct = add("Gather", [ordered, starts], "distinct")
    ids = add("Mod", [distinct, key], "ids")
    rows = add("Div", [distinct, key], "rows")

    # weighted rows of the table, summed by text, brought to length one
    factor = _saturated(amount, saturation, add)
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


def _amount(reach: float, floor: float, add, constant) -> str:  # noqa: ANN001
    """Sum of what the places of each distinct token count, `encoders.fading`, as nodes.

    Equal keys are sorted by place, so a text has the same sums whatever it is encoded with.
    """
    everywhere = add("CumSum", [add("Expand", ["one", "total"], "ones"), "axis"], "everywhere")
    begins = add("Gather", ["offsets", "text"], "begins")
    since = add("Sub", [add("Sub", [everywhere, "one"], "place"), begins], "since")
    spread = constant("reach", np.float32([reach]))
    far = add("Div", [add("Cast", [since], "since_real", to=TensorProto.FLOAT), spread], "far")
    further = add("Add", [far, constant("unit", np.float32([1]))], "further")
    fading = add("Reciprocal", [add("Mul", [further, further], "squared")], "fading")
    counts = add("Max", [fading, constant("floor", np.float32([floor]))], "counts")
    numbered = add("CumSum", [add("Cast", ["fresh"], "new", to=TensorProto.INT64), "axis"], "nth")
    where = add("Sub", [numbered, "one"], "number")
    n_distinct = add("Shape", ["starts"], "n_distinct")
    none = helper.make_tensor("u", TensorProto.FLOAT, [1], [0.0])
    nothing = add("ConstantOfShape", [n_distinct], "nothing", value=none)
    counting = add("Gather", [counts, "places"], "counting")
    inputs = [nothing, where, counting]
    return add("ScatterElements", inputs, "amount", axis=0, reduction="add")


def _saturated(amount: str, saturation: str, add) -> str:  # noqa: ANN001
    """`encoders.saturated` as nodes of the graph."""
    if saturation == "sum":
        return amount
    if saturation == "sqrt":
        return add("Sqrt", [amount], "factor")
    below = add("Min", [amount, "unit"], "below")
    if saturation == "once":
        return below
    above = add("Log", [add("Max", [amount, "unit"], "at_least_one")], "above")
    return add("Add", [below, above], "factor")


if __name__ == "__main__":
    sys.exit(main())
