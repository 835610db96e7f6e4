"""Make the files of the deep model: weights -> a graph that multiplies integers, and its tensors.

    pip install onnx && python training/deep_graph.py --weights RUN/weights.npz OTHER/weights.npz

Weights of several runs from one start become their mean (Wortsman et al. 2022). They are those of
a BERT of six layers, by the names of `transformers`; the tensors of `graph.onnx` are places in
`weights.bin`, which onnxruntime maps. Each column of a factor and each row of an embedding is int8
with a scale; what enters a product is quantized too, by one scale a text. Input: `input_ids`
int64[1, tokens]. Output: `vector` float[1, 384], the mean over
the tokens.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 10
FOLDER = Path(__file__).parents[1] / "server/packhound/encoder/minilm"
LAYERS, HEADS, DIM = 6, 12, 384
EPSILON = 1e-12
SMALLEST = 1e-9
MICROSOFT = "com.microsoft"
"""The operators of onnxruntime's own."""

Weights = NDArray[Any]


class Builder:
    """Nodes and tensors of the graph. Methods add to them and return names of outputs."""

    def __init__(self, weights: Mapping[str, Weights]) -> None:
        self._weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.tensors: dict[str, onnx.TensorProto] = {}

    def tensor(self, name: str, values: Weights | None = None) -> str:
        """Add a tensor, by default the weights of its name as floats."""
        array = self._weights[name].astype(np.float32) if values is None else values
        self.tensors[name] = numpy_helper.from_array(array, name)
        return name

    def constant(self, value: int) -> str:
        """Return a scalar."""
        return self.tensor(f"int_{value}", np.array(value, np.int64))

    def add(self, operator: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        """Return the one output of a new node."""
        output = f"{operator}_{len(self.nodes)}"
        node = helper.make_node(operator, inputs, [output], domain=domain, **attributes)
        self.nodes.append(node)
        return output

    def rows(self, name: str, positions: str) -> str:
        """Return rows of an embedding, whose scales are a row each."""
        values = self._weights[name].astype(np.float32)
        scales = np.maximum(np.abs(values).max(1, keepdims=True), SMALLEST) / 127
        codes = self.tensor(f"{name}_codes", np.round(values / scales).astype(np.int8))
        rows = self.add("Cast", self.add("Gather", codes, positions), to=TensorProto.FLOAT)
        scale = self.add("Gather", self.tensor(f"{name}_scales", scales), positions)
        return self.add("Mul", rows, scale)

    def norm(self, name: str, values: str) -> str:
        """Return each row with a mean of 0 and a variance of 1, scaled and shifted.

        Not joined with the addition before it: onnxruntime's operator for both is far slower.
        """
        scale, bias = self.tensor(f"{name}.weight"), self.tensor(f"{name}.bias")
        return self.add("LayerNormalization", values, scale, bias, axis=-1, epsilon=EPSILON)

    def quantize(self, values: str) -> tuple[str, str, str]:
        """Return codes uint8, their scale and the code of zero."""
        outputs = [f"{values}_{part}" for part in ("codes", "scale", "zero")]
        self.nodes.append(helper.make_node("DynamicQuantizeLinear", [values], outputs))
        codes, scale, zero = outputs
        return codes, scale, zero

    def product(self, quantized: tuple[str, str, str], name: str) -> str:
        """Return rows times a matrix plus a bias, as floats."""
        codes, scale, zero = quantized
        values = self._weights[f"{name}.weight"].astype(np.float32).T
        scales = np.maximum(np.abs(values).max(0), SMALLEST) / 127
        factor = self.tensor(f"{name}_codes", np.round(values / scales).astype(np.int8))
        return self.add(
            "MatMulIntegerToFloat",
            *(codes, factor, scale, self.tensor(f"{name}_scales", scales)),
            *(zero, "", self.tensor(f"{name}.bias")),
            domain=MICROSOFT,
        )

    def layer(self, number: int, values: str) -> str:
        """Return the output of a layer: attention, then two products with GELU between them."""
        name = f"encoder.layer.{number}"
        quantized = self.quantize(values)
        heads = self.add(
            "MultiHeadAttention",
            *(
                self.product(quantized, f"{name}.attention.self.{part}")
                for part in ("query", "key", "value")
            ),
            domain=MICROSOFT,
            num_heads=HEADS,
        )
        mixed = self.product(self.quantize(heads), f"{name}.attention.output.dense")
        values = self.add("Add", mixed, values)
        values = self.norm(f"{name}.attention.output.LayerNorm", values)
        wide = self.product(self.quantize(values), f"{name}.intermediate.dense")
        wide = self.add("Gelu", wide, domain=MICROSOFT)
        narrowed = self.product(self.quantize(wide), f"{name}.output.dense")
        return self.norm(f"{name}.output.LayerNorm", self.add("Add", narrowed, values))


def model(weights: Mapping[str, Weights]) -> onnx.ModelProto:
    """Return the model with its weights."""
    graph, name = Builder(weights), "embeddings"
    zero, one = graph.constant(0), graph.constant(1)
    n_tokens = graph.add("Gather", graph.add("Shape", "input_ids"), one)
    positions = graph.rows(
        f"{name}.position_embeddings.weight", graph.add("Range", zero, n_tokens, one)
    )
    types = graph.add("Gather", graph.tensor(f"{name}.token_type_embeddings.weight"), zero)
    words = graph.rows(f"{name}.word_embeddings.weight", "input_ids")
    values = graph.add("Add", words, graph.add("Add", positions, types))
    values = graph.norm(f"{name}.LayerNorm", values)
    for number in range(LAYERS):
        values = graph.layer(number, values)
    mean = helper.make_node("ReduceMean", [values], ["vector"], axes=[1], keepdims=0)
    inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])]
    outputs = [helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, DIM])]
    tensors = [*graph.tensors.values()]
    body = helper.make_graph([*graph.nodes, mean], "minilm", inputs, outputs, tensors)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=IR_VERSION)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    runs = [dict(np.load(path)) for path in options.weights]
    made = model({name: np.mean([run[name] for run in runs], axis=0) for name in runs[0]})
    (options.out / "weights.bin").unlink(missing_ok=True)  # onnx would append to it
    onnx.save(made, options.out / "graph.onnx", save_as_external_data=True, location="weights.bin")
