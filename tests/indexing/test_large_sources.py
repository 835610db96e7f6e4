"""A source of some megabytes is searched like any other, and keeps nobody waiting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Document, Query
from packhound.grep import GrepRequest
from packhound.service import Engine

_FUNCTIONS = 24_000
_SLOW = (pytest.param(number, marks=pytest.mark.slow) for number in (0, _FUNCTIONS // 2))
_PLACES = (*_SLOW, _FUNCTIONS - 1)


def source() -> str:
    """Return some 3 MB of functions, of which each has words and a line of its own."""
    return "".join(
        f'def convert_{number}(parcel):\n    """Weigh parcel zq{number}zq."""\n'
        f"    total = parcel.weight * {number} + shipping(parcel)\n    return total\n\n\n"
        for number in range(_FUNCTIONS)
    )


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root: Path = tmp_path_factory.mktemp("large")
    (root / "large.py").write_text(source())
    assert 2_500_000 < (root / "large.py").stat().st_size < 4_000_000
    for number in range(20):
        (root / f"small_{number}.py").write_text(f"def small_{number}():\n    return {number}\n")
    engine = Engine.open(root, settings_from({"index.persist": False, "meaning.enabled": False}))
    assert engine.settled(120)
    yield engine
    engine.close()


@pytest.mark.parametrize("number", _PLACES)
def test_what_a_large_source_has_is_found_wherever_it_is(engine: Engine, number: int) -> None:
    line = number * 6
    (definition,) = engine.named(f"convert_{number}")
    assert definition.span.start_line == line
    for query in (
        f"convert_{number}",
        f"zq{number}zq",
        f"total = parcel.weight * {number} + shipping(parcel)",
        f"large.py:{line + 3}",
    ):
        assert engine.search(Query(query)).hits[0].node.qualname == f"convert_{number}"
    counts = engine.grep(GrepRequest(f"weight \\* {number} ", count_only=True)).counts
    assert [(count.path, count.lines) for count in counts] == [("large.py", 1)]
    assert not engine.left_out.counts


@pytest.mark.slow
def test_an_edit_of_a_large_source_is_found(engine: Engine) -> None:
    edited = source().replace("def convert_7(", "def reweigh_7(")
    engine.update(Document("large.py", edited.encode()))
    engine.update(Document("small_0.py", b"def renamed():\n    pass\n"))
    assert engine.settled(120)
    assert [len(engine.named(name)) for name in ("reweigh_7", "convert_7", "renamed")] == [1, 0, 1]
