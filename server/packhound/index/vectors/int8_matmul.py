"""Dot products of a quantized query with blocks of vectors, by onnxruntime's integer product.

numpy multiplies small integers one by one; onnxruntime, which is here for the encoder, uses the
processor's instructions for them: 43,000 vectors of 256 dimensions take 0.3 ms instead of 2.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from packhound.index.vectors.quantization import Codes

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


def dot_products(query: NDArray[np.uint8], blocks: Sequence[Codes]) -> NDArray[np.int32]:
    """`query` [1, dim] times all columns of the blocks [groups, dim, n], exactly, in a row."""
    feed: dict[str, NDArray[Any]] = {_block(i): columns for i, columns in enumerate(blocks)}
    feed["query"] = query
    found: NDArray[np.int32] = _session(len(blocks)).run(None, feed)[0]
    return found.ravel()


def sums_of(columns: Codes) -> NDArray[np.int32]:
    """The sum of each column of [groups, dim, n], [groups, n]."""
    groups, dim, n = columns.shape
    return dot_products(np.ones((1, dim), np.uint8), [columns]).reshape(groups, n)


@lru_cache(maxsize=8)
def _session(n_blocks: int) -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    return onnxruntime.InferenceSession(
        _model(n_blocks), options, providers=["CPUExecutionProvider"]
    )


def _model(n_blocks: int) -> bytes:
    """An ONNX model: `MatMulInteger` of each block, joined; the numbers are those of onnx.proto."""
    blocks = [_block(i) for i in range(n_blocks)]
    products = [f"dots of {block}" for block in blocks]
    graph = b"".join(
        _node("MatMulInteger", ["query", block], product)
        for block, product in zip(blocks, products, strict=True)
    )
    # Attribute: name, integer, and that it is one.
    axis = _field(1, b"axis") + _number(3, 0) + _number(20, _INTEGER)
    graph += _node("Concat", products, "dots", axis) + _field(2, b"scan")
    graph += _field(11, _tensor("query", _UINT8))
    graph += b"".join(_field(11, _tensor(block, _INT8)) for block in blocks)
    graph += _field(12, _tensor("dots", _INT32))
    return _number(1, _IR_VERSION) + _field(7, graph) + _field(8, _number(2, _OPERATORS))


_UINT8, _INT8, _INT32 = 2, 3, 6
_INTEGER = 2
_IR_VERSION, _OPERATORS = 8, 10


def _block(i: int) -> str:
    return f"block {i}"


def _node(operator: str, inputs: Sequence[str], output: str, attribute: bytes = b"") -> bytes:
    names = b"".join(_field(1, name.encode()) for name in inputs) + _field(2, output.encode())
    node = names + _field(4, operator.encode())
    return _field(1, node + _field(5, attribute) if attribute else node)


def _tensor(name: str, element: int) -> bytes:
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, element)))


def _field(number: int, body: bytes) -> bytes:
    """A field of a protocol buffer that holds bytes."""
    return bytes([number << 3 | 2]) + _varint(len(body)) + body


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])
