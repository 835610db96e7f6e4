"""What packs need is made in the background, and yields to whoever uses the engine."""

from __future__ import annotations

import time
from pathlib import Path

from packhound.core.types import Document, Query
from packhound.indexing.timing import Timing
from packhound.service.engine import Engine
from packhound.service.preparation import Activity

EDIT = Document("shop/mail.py", b"def edited():\n    pass\n")


def test_preparation_yields_to_whoever_types_until_the_engine_closes(root: Path) -> None:
    engine = Engine.open(root, timing=Timing(recent_use_s=1_000.0))
    try:
        assert engine.settled(30)
        assert not engine.preparation.should_yield
        engine.update(EDIT)
        assert engine.preparation.should_yield
        assert engine.settled(30)
        assert engine.preparation.should_yield  # Whoever types goes on typing.
    finally:
        engine.close()
    assert not engine.preparation.should_yield


def test_preparation_goes_on_once_nobody_types(root: Path) -> None:
    engine = Engine.open(root, timing=Timing(recent_use_s=0.0))
    try:
        engine.update(EDIT)
        assert engine.settled(30)
        assert not engine.preparation.should_yield
    finally:
        engine.close()


def test_an_engine_is_busy_during_a_search() -> None:
    activity = Activity(recent_use_s=0.0)
    with activity.searching():
        with activity.searching():
            assert activity.busy
        assert activity.busy
    assert not activity.busy


def test_a_question_keeps_an_engine_busy_for_a_moment() -> None:
    activity = Activity(recent_use_s=1_000.0)
    assert not activity.busy
    activity.mark_used()
    assert activity.busy


def test_preparation_ends_though_somebody_asks_all_the_time(root: Path) -> None:
    patience_s = 0.3
    timing = Timing(
        recent_use_s=1_000.0, preparation_slice_s=0.0, preparation_patience_s=patience_s
    )
    engine = Engine.open(root, timing=timing)
    try:
        assert engine.settled(30)
        engine.search(Query("edited"))
        started = time.monotonic()
        assert engine.prepare().join(60)
        assert time.monotonic() - started > patience_s
    finally:
        engine.close()
