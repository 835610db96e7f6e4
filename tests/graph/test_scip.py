"""An index of a compiler in the folder: what it resolves, and files that have changed since."""

from __future__ import annotations

import os
import sys

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Document
from packhound.service import Engine
from tests.support.operations import as_text, call

CART = "class Cart:\n    def total(self):\n        return 1\n"
TILL = "class Till:\n    def total(self):\n        return 2\n"
GUESS = "def guess(thing, other):\n    # é\n    return thing.total()\n"
TOTAL = "scip-python python shop 1 `cart`/Cart#total()."


def field(number: int, value: bytes | str | int) -> bytes:
    """One field of protobuf."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    data = value.encode() if isinstance(value, str) else value
    assert len(data) < 1 << 14
    size = [len(data)] if len(data) < 128 else [len(data) & 127 | 128, len(data) >> 7]
    return bytes([number << 3 | 2, *size]) + data


def document(path: str, *names: tuple[list[int], str, int], text: str = "") -> bytes:
    occurrences = [
        field(2, field(1, bytes(place)) + field(2, symbol) + field(3, role))
        for place, symbol, role in names
    ]
    return field(2, field(1, path) + b"".join(occurrences) + (field(5, text) if text else b""))


INDEX = (
    field(1, field(2, field(1, "scip-python")))
    + document("cart.py", ([1, 8, 13], TOTAL, 1))
    + document(
        "guess.py",
        *(([0, 10, 15], "local 0", 1), ([2, 11, 16], "local 0", 0), ([2, 17, 22], TOTAL, 0)),
    )
)


@pytest.fixture
def open_folder(tmp_path):
    engines = []

    def opened(index: bytes = INDEX, **texts: str) -> Engine:
        for name, text in {"cart": CART, "till": TILL, "guess": GUESS, **texts}.items():
            (tmp_path / f"{name}.py").write_text(text)
        (tmp_path / "index.scip").write_bytes(index)
        engines.append(Engine.open(tmp_path, settings_from({"index.persist": False})))
        assert engines[-1].settled(60)
        return engines[-1]

    yield opened
    for engine in engines:
        engine.close()


def callers(engine: Engine, name: str) -> list[tuple[str, str, str]]:
    rows = call(engine, "symbol", {"name": name})["callers"]
    return [(row["name"], row["grade"], row.get("by", "")) for row in rows]


def test_a_call_leads_where_the_index_says(open_folder):
    engine = open_folder()
    assert callers(engine, "Cart.total") == [("guess", "resolved", "scip-python")]
    assert callers(engine, "Till.total") == []
    (callee,) = call(engine, "symbol", {"name": "guess"})["callees"]
    assert (callee["qualname"], callee["by"]) == ("Cart.total", "scip-python")
    answer = as_text("symbol", call(engine, "symbol", {"name": "Cart.total"}))
    assert "guess(thing, other) (line 3, by scip-python) | return thing.total()" in answer
    assert "further" not in answer


@pytest.mark.parametrize(
    "changed",
    [
        GUESS.replace("return thing", "return other"),
        GUESS.replace("    # é\n", ""),
        f"# One more line.\n{GUESS}",
        "",
    ],
)
def test_a_file_that_has_changed_since_is_resolved_without_the_index(open_folder, changed):
    assert all(by == "" for _, _, by in callers(open_folder(guess=changed), "Cart.total"))


def test_unsaved_text_is_not_what_was_indexed(open_folder):
    engine = open_folder()
    text = GUESS.replace("return thing", "return other")
    engine.update(Document("guess.py", text.encode()))
    assert engine.settled(60)
    assert ("guess", "possible", "") in callers(engine, "Cart.total")


def test_a_text_in_the_index_is_compared_whole(open_folder):
    place = [2, 17, 22], TOTAL, 0
    index = field(1, field(2, field(1, "x"))) + document("cart.py", ([1, 8, 13], TOTAL, 1))
    same = index + document("guess.py", place, text=GUESS)
    assert callers(open_folder(same), "Cart.total") == [("guess", "resolved", "x")]
    other = index + document("guess.py", place, text=GUESS.replace("é", "e"))
    assert ("guess", "resolved", "x") not in callers(open_folder(other), "Cart.total")


@pytest.mark.parametrize("index", [b"", b"\xff" * 40, INDEX[:-3], INDEX[:60]])
def test_a_broken_index_says_nothing(open_folder, index):
    assert ("guess", "possible", "") in callers(open_folder(index), "Cart.total")


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes need rights there")
@pytest.mark.parametrize("kind", ["link out of the folder", "pipe"])
def test_an_index_is_a_file_of_the_folder(open_folder, tmp_path_factory, tmp_path, kind):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "index.scip"
    elsewhere.write_bytes(INDEX)
    engine = open_folder()
    assert ("guess", "resolved", "scip-python") in callers(engine, "Cart.total")
    (tmp_path / "index.scip").unlink()
    if kind == "pipe":
        os.mkfifo(tmp_path / "index.scip")
    else:
        (tmp_path / "index.scip").symlink_to(elsewhere)
    assert ("guess", "possible", "") in callers(engine, "Cart.total")
