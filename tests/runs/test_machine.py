"""Decisions of a run: gates, the trace of it, and the same decisions from the trace alone."""

from __future__ import annotations

import random
import time
from pathlib import Path

import msgspec
import pytest

from packhound.core.errors import SettingsError
from packhound.runs.machine import (
    Facts,
    Gates,
    Trace,
    decide,
    gates_of,
    read_trace,
    replay,
    with_gates,
)

FINE = Facts(paths=("a.py",), lines=3, verdict="passed")


@pytest.mark.parametrize(
    ("facts", "gates", "choice", "reason"),
    [
        (FINE, Gates(), "accept", "it passes all gates"),
        (Facts(problem="it does not apply"), Gates(), "abort", "it does not apply"),
        (Facts(problem="it does not apply"), Gates(steps=2), "refine", "it does not apply"),
        (FINE, Gates(allow=("lib/**",)), "abort", "changes what is not allowed: a.py"),
        (FINE, Gates(allow=("*.py",)), "accept", "it passes all gates"),
        (FINE, Gates(files=0), "abort", "files changed: 1 (0 at most)"),
        (FINE, Gates(lines=2), "abort", "lines changed: 3 (2 at most)"),
        (Facts(verdict="failed", new_errors=2), Gates(), "abort", "new errors: 2 (0 at most)"),
        (Facts(verdict="failed", worse_tests=1), Gates(), "abort", "tests that are worse: 1"),
        (Facts(verdict="failed", worse_tests=1), Gates(worse_tests=1), "accept", "all gates"),
        (Facts(verdict="nothing ran"), Gates(), "abort", "proves nothing: nothing ran"),
        (Facts(verdict="incomplete"), Gates(incomplete=True), "accept", "it passes all gates"),
        (Facts(paths=("a.py",)), Gates(), "unknown", "it was not checked"),
    ],
)
def test_a_gate_that_is_not_passed_is_named(
    facts: Facts, gates: Gates, choice: str, reason: str
) -> None:
    decision = decide(facts, gates, 1)
    assert decision.choice == choice and reason in decision.reason


def drawn(chance: random.Random) -> Facts:
    """Return facts of a proposal as a run finds them."""
    if chance.random() < 0.1:
        return Facts(problem="it does not apply")
    return Facts(
        paths=tuple(
            f"{chance.choice(['lib', 'tests'])}/{n}.py" for n in range(chance.randint(1, 4))
        ),
        lines=chance.randint(1, 12),
        verdict=chance.choice(["passed", "failed", "failed", "failed", "incomplete"]),
        new_errors=chance.choice([0, 1, 3]),
        worse_tests=chance.choice([0, 0, 1]),
    )


def write_trace(path: Path, chance: random.Random) -> None:
    gates = Gates(
        allow=chance.choice([(), ("lib/**",)]),
        files=chance.randint(1, 4),
        lines=chance.choice([10, 40]),
        new_errors=chance.choice([0, 1]),
        steps=chance.randint(1, 4),
    )
    trace = Trace(path, "1a2b")
    trace.add(0, "begin", "", {"gates": msgspec.to_builtins(gates)}, time.time())
    for step in range(1, gates.steps + 1):
        facts = drawn(chance)
        trace.add(step, "score", facts, {"facts": msgspec.to_builtins(facts)}, time.time())
        decision = decide(facts, gates, step)
        trace.add(step, "decide", "", {}, time.time(), *decision)
        if decision.choice != "refine":
            return


def test_a_hundred_traces_lead_to_the_same_decisions(tmp_path: Path) -> None:
    n_changed = 0
    for seed in range(100):
        path = tmp_path / f"{seed}.jsonl"
        write_trace(path, random.Random(seed))
        trace = read_trace(path)
        recorded = [each.verdict for each in trace if each.state == "decide"]
        again = [*replay(trace, gates_of(trace))]
        assert [each.now.choice for each in again] == recorded
        assert all(each.now == each.recorded for each in again)

        # With three errors allowed, what they alone decided is accepted, and nothing else changes.
        for each in replay(trace, with_gates(gates_of(trace), {"new_errors": "3"})):
            reasons = each.recorded.reason.split("; ")
            is_by_errors = len(reasons) == 1 and "new errors" in reasons[0]
            must_accept = is_by_errors or each.recorded.choice == "accept"
            assert (each.now.choice == "accept") == must_accept
            n_changed += is_by_errors
    assert n_changed > 10


def test_what_is_no_trace_and_no_gate_is_named(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    for text, problem in (
        ("", "does not begin with its gates"),
        ("nonsense\n", "is no trace of a run"),
        ('{"run": "a"}\n', "is no trace of a run"),
    ):
        path.write_text(text)
        with pytest.raises(SettingsError, match=problem):
            read_trace(path)
    with pytest.raises(SettingsError, match=r"no such gate: .*; gates are: allow, files"):
        with_gates(Gates(), {"filez": "3"})
    with pytest.raises(SettingsError, match=r"^gate 'files': expected `int`, got `str`$"):
        with_gates(Gates(), {"files": "many"})
