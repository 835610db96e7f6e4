"""Dot products of a quantized query with a block of vectors, by onnxruntime's integer product.

numpy multiplies small integers one by one; onnxruntime, which is here for the encoder, uses the
processor's instructions for them: 43,000 vectors of 256 dimensions take 0.35 ms instead of 2.5.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from packhound.index.quantized import Codes

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


def dot_products(query: NDArray[np.uint8], columns: Codes) -> NDArray[np.int32]:
    """`query` [1, dim] times `columns` [dim, n], exactly: [n]."""
    found: NDArray[np.int32] = _session().run(None, {"query": query, "columns": columns})[0][0]
    return found


def sums_of(columns: Codes) -> NDArray[np.int32]:
    """The sum of each column of [dim, n]."""
    return dot_products(np.ones((1, len(columns)), np.uint8), columns)


@lru_cache(maxsize=1)
def _session() -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    return onnxruntime.InferenceSession(_model(), options, providers=["CPUExecutionProvider"])


def _model() -> bytes:
    """An ONNX model of the one node `MatMulInteger`; the numbers are those of onnx.proto."""
    node = _field(1, b"query") + _field(1, b"columns") + _field(2, b"dots")
    graph = _field(1, node + _field(4, b"MatMulInteger")) + _field(2, b"scan")
    graph += _field(11, _tensor(b"query", _UINT8)) + _field(11, _tensor(b"columns", _INT8))
    graph += _field(12, _tensor(b"dots", _INT32))
    return _number(1, _IR_VERSION) + _field(7, graph) + _field(8, _number(2, _OPERATORS))


_UINT8, _INT8, _INT32 = 2, 3, 6
_IR_VERSION, _OPERATORS = 8, 10


def _tensor(name: bytes, element: int) -> bytes:
    return _field(1, name) + _field(2, _field(1, _number(1, element)))


def _field(number: int, body: bytes) -> bytes:
    """A field of a protocol buffer that holds bytes."""
    return bytes([number << 3 | 2]) + _varint(len(body)) + body


def _number(number: int, value: int) -> bytes:
    return bytes([number << 3]) + _varint(value)


def _varint(value: int) -> bytes:
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])
