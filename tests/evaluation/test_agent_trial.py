"""The trial of bug reports: which are chosen, what their words are, and when a fix is on screen."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from benchmarks.agents.policies import Answer, Ripgrep, packhound_calls
from benchmarks.agents.reports import Fix, Report, choose, words_of
from benchmarks.agents.trial import fix_lines, interval, walk
from packhound.core.settings_reader import settings_from
from packhound.service import Engine

REPORT = Report(
    "a__a-1",
    "Chunked upload sends no length",
    "It raises:\n\nuploads.LengthError: body_length is missing\n",
    (Fix("uploads.py", None, "send"),),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "uploads.py").write_text(
        "import os\n\n\ndef send(body):\n    '''Send a chunked upload.'''\n    return len(body)\n"
    )
    (tmp_path / "other.py").write_text("def unrelated():\n    return 'the length of nothing'\n")
    return tmp_path


def row(name: str, repository: str, gold: dict) -> str:
    report = {"instance_id": name, "repo": repository, "problem_statement": "Title\nbody"}
    return json.dumps({**report, "gold": [gold]})


def test_reports_with_known_lines_come_first_and_others_are_left_out(tmp_path: Path) -> None:
    named = {"file": "a.py", "changes": {"edited_entities": ["a.py:f"]}}
    with_lines = {**named, "lines": [[3, 4]]}
    file = tmp_path / "reports.jsonl"
    file.write_text(
        "\n".join(
            [
                row("flask-1", "pallets/flask", named),
                row("pytest-2", "pytest-dev/pytest", with_lines),
                row("numpy-1", "numpy/numpy", with_lines),
                row("pylint-1", "pylint-dev/pylint", with_lines),
                row("seaborn-1", "mwaskom/seaborn", {"file": "a.py", "changes": {}}),
            ]
        )
    )
    reports = choose([file], 10)
    assert [report.id for report in reports] == ["pylint-1", "pytest-2", "flask-1"]
    assert reports[0].fixes == (Fix("a.py", range(3, 5)),)
    assert reports[2].fixes == (Fix("a.py", None, "f"),)


def test_words_of_a_title_are_names_or_say_what_is_wrong() -> None:
    assert words_of("The to_string of EncodedFile fails ____") == {
        "to_string": True,
        "encodedfile": True,
    }
    assert REPORT.error_and_names.startswith("uploads.LengthError: body_length is missing")


def test_both_ways_reach_the_fix(root: Path) -> None:
    if not shutil.which("rg"):
        pytest.skip("ripgrep is not installed")
    with closing(
        Engine.open(root, settings_from({"index.persist": False, "search.deep": "off"}))
    ) as engine:
        engine.settled()
        fix = fix_lines(engine, REPORT)
        assert fix == {("uploads.py", 4), ("uploads.py", 5), ("uploads.py", 6)}
        ways = [
            packhound_calls(engine, REPORT, {"limit": 10, "snippet_lines": 6}, ["chunked"]),
            Ripgrep(root, 4_000).calls(REPORT),
        ]
        for way in ways:
            outcome = walk(way, fix)
            assert (outcome["calls"], outcome["reached"]) == (1, True)
            assert 10 < outcome["tokens"] < 200


def test_ripgrep_reads_on_below_its_best_match(root: Path) -> None:
    if not shutil.which("rg"):
        pytest.skip("ripgrep is not installed")
    with (root / "uploads.py").open("a") as file:
        file.write("\n" * 400 + "FIX = 1\n")
    lines = {line for answer in Ripgrep(root, 4_000).calls(REPORT) for line in answer.lines}
    assert ("uploads.py", 407) in lines


def test_a_fix_that_never_appears_costs_all_calls() -> None:
    answers = [Answer.of("a.py:1-2 function f\n1\tdef f():\n2\t    pass")] * 3
    assert answers[0].lines == {("a.py", 1), ("a.py", 2)}
    assert walk(answers, frozenset({("a.py", 3)})) == {
        "calls": 20,
        "tokens": walk(answers, frozenset())["tokens"],
        "reached": False,
    }


def test_the_interval_of_equal_values_is_a_point() -> None:
    assert interval(np.full(5, 2.0), np.mean) == [2.0, 2.0, 2.0]
    mean, low, high = interval(np.arange(40.0), np.mean)
    assert low < mean < high
