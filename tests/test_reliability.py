"""Runs at the figures of a release: in pieces that go on where they were, with honest results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import reliability
from benchmarks.reliability import Check

TEST = """
import os, pytest
@pytest.mark.parametrize("n", range(int(os.environ["PACKHOUND_TEST_SIZE"])))
def test_case(n):
    {body}
"""


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reliability, "RESULTS", tmp_path / "reliability.json")
    return tmp_path / "reliability.json"


def ask(monkeypatch: pytest.MonkeyPatch, folder: Path, body: str, *options: str) -> int:
    """Run a check of nine cases, four a piece; returns the exit code."""
    path = folder / "test_cases.py"
    path.write_text(TEST.format(body=body))
    command = f"python -m pytest -q -rs -p no:cacheprovider -c /dev/null {path}"
    monkeypatch.setattr(reliability, "CHECKS", (Check("T0", "promise", "cases", 9, 4, command),))
    monkeypatch.setattr("sys.argv", ["reliability", *options])
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # They cost most of each start.
    with pytest.raises(SystemExit) as ended:
        reliability.main()
    return int(ended.value.code or 0)


@pytest.mark.slow
def test_pieces_go_on_where_they_were(tmp_path, monkeypatch, results) -> None:
    seeds = tmp_path / "seeds"
    body = f"open({str(seeds)!r}, 'a').write(os.environ['PACKHOUND_TEST_SEED'])"
    for pieces, reached in ((1, 4), (1, 8), (5, 12), (5, 12)):
        assert ask(monkeypatch, tmp_path, body, "--pieces", str(pieces)) == 0
        row = json.loads(results.read_text())["T0"]
        assert (row["reached"], row["asked"], row["outcome"]) == (reached, 9, "holds")
    assert seeds.read_text() == "111122223333"


def test_a_piece_that_fails_counts_for_nothing(tmp_path, monkeypatch, results, capsys) -> None:
    assert ask(monkeypatch, tmp_path, "pass", "--pieces", "1") == 0
    assert ask(monkeypatch, tmp_path, "assert n < 3", "--pieces", "1") == 1
    row = json.loads(results.read_text())["T0"]
    assert (row["reached"], row["outcome"]) == (4, "fails")
    assert "assert 3 < 3" in capsys.readouterr().out


def test_what_cannot_run_is_named_with_its_reason(tmp_path, monkeypatch, results, capsys) -> None:
    assert ask(monkeypatch, tmp_path, "pytest.skip('no strace')") == 0
    row = json.loads(results.read_text())["T0"]
    assert row["reached"] == 0 and "no strace" in row["outcome"]
    assert "cannot run here: " in capsys.readouterr().out


def test_an_unknown_number_is_refused(tmp_path, monkeypatch, results, capsys) -> None:
    assert ask(monkeypatch, tmp_path, "pass", "--only", "T99") == 2
    assert "unknown check 'T99'; expected one of: T0" in capsys.readouterr().err
