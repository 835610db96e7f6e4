"""Activation: as ACT-R defines it, bounded, private, and forgotten on demand."""

from __future__ import annotations

import math
import stat
import sys

import pytest

from packhound.search.rank.activation import Activation


def test_activation_follows_act_r(tmp_path):
    now = [1_000.0]
    activation = Activation(tmp_path / "uses.json", clock=lambda: now[0])
    assert activation.level("a.py", "f") == -math.inf and activation.signal("a.py", "f") == 0.0
    activation.use("a.py", "open", "f")
    now[0] = 1_100.0
    assert activation.level("a.py", "f") == pytest.approx(math.log(100**-0.5))
    activation.use("a.py", "open", "f")
    now[0] = 1_200.0
    assert activation.level("a.py", "f") == pytest.approx(math.log(200**-0.5 + 100**-0.5))
    activation.save()
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "uses.json").stat().st_mode) == 0o600
    again = Activation(tmp_path / "uses.json", clock=lambda: now[0])
    assert again.level("a.py", "f") == activation.level("a.py", "f")
    again.clear()
    assert again.names() == () and "a.py" not in (tmp_path / "uses.json").read_text()


def test_a_use_of_a_file_counts_for_its_nodes(tmp_path):
    now = [1_000.0]
    activation = Activation(None, clock=lambda: now[0])
    activation.use("a.py", "open")
    activation.use("a.py", "pick", "f")
    now[0] = 1_100.0
    assert activation.level("a.py", "f") == pytest.approx(math.log(3 * 100**-0.5))
    assert (
        activation.level("a.py", "g")
        == activation.level("a.py")
        == pytest.approx(math.log(100**-0.5))
    )
    # Own commits count from when the recording began.
    assert activation.level("b.py", "f", [900.0]) == -math.inf
    assert activation.level("b.py", "f", [900.0, 1_000.0]) == pytest.approx(math.log(100**-0.5))


def test_typing_is_one_use_a_minute():
    now = [0.0]
    activation = Activation(None, clock=lambda: now[0])
    for _ in range(600):
        now[0] += 0.5
        activation.use("a.py", "edit")
    now[0] += 100.0
    assert activation.level("a.py") == pytest.approx(math.log(1.5 * 100**-0.5))


def test_two_processes_merge_their_uses_and_forget_together(tmp_path):
    file = tmp_path / "uses.json"
    now = [0.0]
    one = Activation(file, clock=lambda: now[0])
    two = Activation(file, clock=lambda: now[0])
    one.use("a.py", "open")
    two.use("b.py", "open")
    one.save()
    two.save()
    assert set(Activation(file).names()) == {("a.py", ""), ("b.py", "")}
    now[0] = 10.0
    one.clear()
    two.save()
    assert Activation(file).names() == () and two.names() == ()


def test_a_damaged_file_counts_as_none(tmp_path):
    rows = '{"since": 1, "uses": [["a", "b", [["x", 1]]]]}'
    for damage in ("{", "[[1]]", rows, "null", '{"since": "x", "uses": []}', '{"uses": 5}'):
        (tmp_path / "uses.json").write_text(damage)
        assert Activation(tmp_path / "uses.json").names() == ()


def test_stored_uses_are_bounded():
    now = [0.0]
    activation = Activation(None, clock=lambda: now[0])
    for i in range(100):
        now[0] += 100.0
        activation.use("a.py", "edit", "f")
        activation.use("a.py", "pick", f"g{i}")
    now[0] += 100.0
    last_32 = sum(1.5 * (100.0 * n) ** -0.5 for n in range(1, 33))
    assert activation.level("a.py", "f") == pytest.approx(math.log(last_32))


def test_uses_are_told_in_words():
    now = [1_000.0]
    activation = Activation(None, clock=lambda: now[0])
    assert activation.describe("a.py", "f") == ""
    for _ in range(3):
        activation.use("a.py", "open")
        now[0] += 3_600.0
    activation.use("a.py", "edit", "f")
    commits = [500.0, *(2_000.0 + i for i in range(23))]
    now[0] += 2 * 86_400.0
    text = "opened 3 times, edited once, 23 commits, last used 2 days ago"
    assert activation.describe("a.py", "f", commits) == text
    assert activation.describe("a.py", "g") == "opened 3 times, last used 2 days ago"
    assert activation.describe("b.py", "", [2_000.0]) == "1 commit, last used 2 days ago"
