"""Make the model with which the index multiplies quantized vectors.

    pip install onnx && python training/int8_matmul.py

Inputs: `query` uint8[1, dim] and `columns` int8[groups, dim, n]. Output: `dots`
int32[groups, 1, n], their integer products. The shapes are free.
"""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, helper

OPSET = 10
"""The first with MatMulInteger."""
IR_VERSION = 8
"""Old enough for every onnxruntime that the package allows."""
PATH = Path(__file__).parents[1] / "server/packhound/index/vectors/int8_matmul.onnx"


def model() -> onnx.ModelProto:
    """Return the model: one operator."""
    tensors = {"query": TensorProto.UINT8, "columns": TensorProto.INT8, "dots": TensorProto.INT32}
    query, columns, dots = (
        helper.make_tensor_value_info(name, element, None) for name, element in tensors.items()
    )
    node = helper.make_node("MatMulInteger", ["query", "columns"], ["dots"])
    graph = helper.make_graph([node], "int8_matmul", [query, columns], [dots])
    opset = helper.make_opsetid("", OPSET)
    return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)


if __name__ == "__main__":
    onnx.save(model(), PATH)
