"""The stages that order hits also order packs: deep model, cross-encoder, personal boosts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.pack import PackRequest
from packhound.service import Engine
from tests.support.operations import pack_json
from tests.support.project import wait_until, write_files

CROSS_ENCODER = Path(__file__).parents[2] / "fixtures" / "models" / "cross_encoder"
PROMPT = "how is the price of an order made"
FILES = {
    "discount.py": "def reduce_total(order):\n    return order.total * (1 - order.discount)\n",
    "orders.py": "def order_price(order):\n    return made(order.price)\n",
    "first.py": "def order_left(order):\n    return order.lines[0].price\n",
    "other.py": "def order_right(order):\n    return order.lines[0].price\n",
}


@contextmanager
def opened(folder: Path, settings: dict[str, object] | None = None) -> Iterator[Engine]:
    write_files(folder, FILES)
    engine = Engine.open(folder, settings_from(settings or {}))
    try:
        assert engine.settled(60)
        yield engine
    finally:
        engine.close()


def signals(engine: Engine) -> dict[str, dict[str, float]]:
    """The signals that the search gave each file of a pack, the best first."""
    items = pack_json(engine.pack(PackRequest(PROMPT)), explain=True)["items"]
    return {
        item["path"]: {
            signal["signal"]: signal["contribution"]
            for origin in item["origins"]
            for signal in origin.get("why", ())
        }
        for item in items
    }


def test_the_deep_model_reads_the_hits_of_a_pack(tmp_path: Path) -> None:
    with opened(tmp_path / "shop") as engine:
        # A first pack may have no time to wait until the model is loaded.
        wait_until(lambda: "deep_similarity" in signals(engine)["discount.py"])
        deep = {path: values["deep_similarity"] for path, values in signals(engine).items()}
        assert deep.keys() == {*FILES} and max(deep, key=deep.__getitem__) == "orders.py"
        engine.configure(settings_from({"search.deep": "off"}))
        assert not any("deep_similarity" in values for values in signals(engine).values())


def test_a_cross_encoder_reads_the_hits_of_a_pack(tmp_path: Path) -> None:
    with opened(
        tmp_path / "shop", {"search.deep": "off", "rerank.path": str(CROSS_ENCODER)}
    ) as engine:
        by_file = signals(engine)
        assert len(by_file) == len(FILES) and all(
            "cross_encoder" in each for each in by_file.values()
        )
        engine.configure(settings_from({"search.deep": "off"}))
        assert not any("cross_encoder" in values for values in signals(engine).values())


@pytest.mark.parametrize("picked", ["first.py", "other.py"])
def test_what_the_user_picked_is_worth_more_in_a_pack(tmp_path: Path, picked: str) -> None:
    with opened(tmp_path / "shop", {"search.deep": "off", "ranking.activity": True}) as engine:
        engine.picked(picked, 0)
        by_file = signals(engine)
    assert by_file[picked]["used_lately"] > 0
    [unpicked] = {"first.py", "other.py"} - {picked}
    assert "used_lately" not in by_file[unpicked]
    assert [*by_file].index(picked) < [*by_file].index(unpicked)
