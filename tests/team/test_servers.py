"""The times of questions that are computed for several servers."""

from __future__ import annotations

import pytest

from benchmarks.team_servers import waiting

FIGURES = {
    "cores": 2,
    "candidates": {"8 clients": {"questions_a_second": 100.0}, "quantiles_ms": [5.0, 10.0, 15.0]},
}


def test_a_question_that_waits_for_none_takes_its_own_time() -> None:
    # Two cores answer a hundred a second in 20 ms each, twice what a single client had.
    assert waiting(FIGURES, 1, 0.01) == pytest.approx(29, abs=0.5)


def test_more_servers_let_fewer_wait_and_too_few_fall_behind() -> None:
    assert waiting(FIGURES, 2, 200) is None
    three, four, many = (waiting(FIGURES, n, 200) for n in (3, 4, 16))
    assert three and four and many and three > four > many > 28
