"""Saves while a folder is first read: not so many that reading waits for them."""

from __future__ import annotations

from types import SimpleNamespace

from packhound.indexing import autosave
from packhound.indexing.timing import Timing


def test_saves_that_take_long_are_few_while_a_folder_is_read(monkeypatch):
    clock = SimpleNamespace(now=0.0, saving=0.0)
    monkeypatch.setattr(autosave, "time", SimpleNamespace(monotonic=lambda: clock.now))

    class Store:
        writer = True

        def save(self, _snapshot):
            """Take a fiftieth of the time of all that was read."""
            clock.saving += clock.now / 50
            clock.now += clock.now / 50

    saves = autosave.Autosave(Store(), Timing(save_while_reading_s=5.0))
    while clock.now < 1_000:
        clock.now += 1
        saves.mark_dirty()
        saves.save_while_reading(None)
    assert 0 < clock.saving < 0.15 * clock.now
