"""A row of any content is refused, or is a file that the index and the graph can work with."""

from __future__ import annotations

import random
import zlib
from pathlib import Path

import msgspec
import pytest

from packhound.core.types import Document
from packhound.index import Index
from packhound.parsing import ParsePool
from packhound.team.row import _Row, decode_row, encode_row

SOURCE = Path(__file__).read_bytes()
DOCUMENT = Document("tests/hostile.py", SOURCE)
"""Values that integers are replaced by."""
ODD = (-1, 0, 1, 2, 7, 255, 65_535, 2**31 - 1, -(2**31), len(SOURCE), len(SOURCE) + 1)


@pytest.fixture(scope="module")
def row() -> _Row:
    with ParsePool(1, with_texts=False) as pool:
        octets = encode_row(pool.parse(DOCUMENT))
    assert octets and decode_row(octets, DOCUMENT)
    return msgspec.msgpack.decode(zlib.decompress(octets), type=_Row)


def mutated(row: _Row, draw: random.Random) -> _Row:
    """Return a row with one to three things changed in a way that keeps it well-formed."""
    values = msgspec.structs.asdict(row)
    for _ in range(draw.randint(1, 3)):
        name = draw.choice(["record"] * 4 + ["run", "lengths", "runs", "node_digests", "imports"])
        value = values[name]
        if isinstance(value, bytes):
            octets = bytearray(value)
            at = draw.randrange(max(1, len(octets) // 4)) * 4
            match draw.randrange(4):
                case 0:
                    octets[at : at + 4] = draw.choice(ODD).to_bytes(4, "little", signed=True)
                case 1:
                    other = draw.randrange(max(1, len(octets) // 4)) * 4
                    octets[at : at + 4] = octets[other : other + 4]
                case 2:
                    del octets[at : at + 4]
                case 3:
                    octets[at : at + 1] = bytes([draw.randrange(256)])
            values[name] = bytes(octets)
        elif isinstance(value, str):
            values[name] = draw.choice(["", value + " x", value[:-9], value.replace(" ", "  ")])
        else:
            values[name] = draw.choice([("",), ("a" * 9_999,), ("../../etc/passwd",)])
    return _Row(**values)


def test_rows_that_are_changed_at_random(row: _Row) -> None:
    draw, n_refused, n_taken = random.Random(7), 0, 0
    for _ in range(600):
        octets = zlib.compress(msgspec.msgpack.encode(mutated(row, draw)), 1)
        file = decode_row(octets, DOCUMENT)
        if file is None:
            n_refused += 1
            continue
        n_taken += 1
        index = Index(None)
        index.replace([file], {})
        snapshot = index.publish()
        (entry,) = snapshot.files.values()
        for node in entry.nodes:
            assert 0 <= node.span.start <= node.span.end <= len(SOURCE)
            assert all(low >= 0 and high <= len(SOURCE) for low, high in node.own_ranges)
        assert entry.innermost([3, 40]) and entry.references() is not None
        assert snapshot.n_nodes == len(file.node_digests)
    assert n_refused > 100 and n_taken > 40


@pytest.mark.parametrize(
    "octets",
    [b"", b"x", zlib.compress(b""), zlib.compress(b"\x90"), zlib.compress(b"\0" * 65_000_000)],
)
def test_what_is_no_row(octets: bytes) -> None:
    assert decode_row(octets, DOCUMENT) is None
