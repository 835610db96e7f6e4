"""Codec of numpy arrays, decoded without copying. Plain numbers only, never pickle."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

_ALIGNMENT = 8
_HEAD = 4
Buffer: TypeAlias = bytes | memoryview
"""Bytes in memory, or those of a mapped file."""

_DTYPES = {"|u1", "|i1", "<u2", "<i4", "<i8", "<f4"}


def checksum(*parts: Buffer) -> bytes:
    """Return the first 16 bytes of SHA-256 over the parts and their lengths.

    Most processors have instructions for it, which make it two and a half times as fast as blake2b.
    """
    lengths = b"".join(len(part).to_bytes(8, "little") for part in parts)
    digest = sha256(lengths)
    for part in parts:
        digest.update(part)
    return digest.digest()[:16]


def pack(*arrays: NDArray[Any]) -> bytes:
    """Encode arrays with their types and shapes, each aligned for reading in place."""
    plain = [np.ascontiguousarray(array, array.dtype.newbyteorder("<")) for array in arrays]
    head = json.dumps([[array.dtype.str, array.shape] for array in plain]).encode()
    head += b" " * (-(_HEAD + len(head)) % _ALIGNMENT)
    parts: list[Buffer] = [len(head).to_bytes(_HEAD, "little"), head]
    for array in plain:
        parts += (array.data.cast("B") if array.size else b"", bytes(-array.nbytes % _ALIGNMENT))
    return b"".join(parts)


def unpack(packed: Buffer) -> list[NDArray[Any]]:
    """Decode arrays, read-only. Raises ValueError on an unexpected type or a short buffer."""
    start = _HEAD + int.from_bytes(packed[:_HEAD], "little")
    arrays = []
    for dtype, shape in json.loads(bytes(packed[_HEAD:start])):
        if dtype not in _DTYPES:
            raise ValueError(f"unexpected type {dtype}")
        size = int(np.prod(shape, dtype=np.int64))
        array = np.frombuffer(packed, dtype, size, start).reshape(shape)
        arrays.append(array)
        start += array.nbytes + -array.nbytes % _ALIGNMENT
    return arrays


def pack_texts(texts: list[str]) -> bytes:
    """Encode texts of any content."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.array([len(text) for text in encoded], np.int32)
    return pack(lengths, np.frombuffer(b"".join(encoded), np.uint8))


def unpack_texts(packed: Buffer) -> list[str]:
    """Decode texts."""
    lengths, joined = unpack(packed)
    ends = np.cumsum(lengths, dtype=np.int64)
    body = joined.tobytes()
    bounds = zip((ends - lengths).tolist(), ends.tolist(), strict=True)
    return [body[start:end].decode("utf-8", "surrogatepass") for start, end in bounds]
