"""Decisions of a run: gates, the trace of it, and the same decisions from the trace alone."""

from __future__ import annotations

import random
import time
from collections import Counter
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
    """Return facts of a proposal that was checked."""
    if chance.random() < 0.1:
        return Facts(problem="it does not apply")
    return Facts(
        paths=tuple(
            f"{chance.choice(['lib', 'lib', 'tests'])}/{n}.py" for n in range(chance.randint(1, 4))
        ),
        lines=chance.randint(1, 12),
        verdict=chance.choice(["passed", "failed", "failed", "failed", "incomplete"]),
        new_errors=chance.choice([0, 1, 3]),
        worse_tests=chance.choice([0, 0, 1]),
    )


def may_be_checked(facts: Facts, gates: Gates) -> bool:
    """Return True if nothing keeps a patch from being checked, as the docs say it."""
    is_allowed = not gates.allow or all(path.startswith("lib/") for path in facts.paths)
    is_small = len(facts.paths) <= gates.files and facts.lines <= gates.lines
    return not facts.problem and is_allowed and is_small


def expected(facts: Facts, gates: Gates, step: int) -> str:
    """Return the choice that the docs say."""
    is_proved = facts.verdict not in ("incomplete", "nothing ran") or gates.incomplete
    is_no_worse = facts.new_errors <= gates.new_errors and facts.worse_tests <= gates.worse_tests
    if may_be_checked(facts, gates) and is_proved and is_no_worse:
        return "accept" if facts.verdict else "unknown"
    return "refine" if step < gates.steps else "abort"


def write_trace(path: Path, chance: random.Random) -> list[Facts]:
    """Write the trace of a run, and return what it found of each proposal."""
    gates = Gates(
        allow=chance.choice([(), ("lib/**",)]),
        files=chance.randint(1, 4),
        lines=chance.choice([8, 40]),
        new_errors=chance.choice([0, 1]),
        steps=chance.randint(1, 4),
    )
    trace, every = Trace(path, "1a2b"), list[Facts]()
    trace.add(0, "begin", "", {"gates": msgspec.to_builtins(gates)}, time.time())
    for step in range(1, gates.steps + 1):
        facts = drawn(chance)
        if not may_be_checked(facts, gates):
            facts = msgspec.structs.replace(facts, verdict="", new_errors=0, worse_tests=0)
        every.append(facts)
        trace.add(step, "score", facts, {"facts": msgspec.to_builtins(facts)}, time.time())
        decision = decide(facts, gates, step)
        trace.add(step, "decide", "", {}, time.time(), *decision)
        if decision.choice != "refine":
            break
    return every


OTHER_GATES = {
    "allow": ["lib/**"],
    "files": 1,
    "lines": 4,
    "new_errors": 3,
    "worse_tests": 1,
    "incomplete": True,
    "steps": 1,
}


def test_a_hundred_traces_lead_to_the_same_decisions_and_other_gates_to_others(
    tmp_path: Path,
) -> None:
    n_changed = Counter[str]()
    for seed in range(100):
        path = tmp_path / f"{seed}.jsonl"
        every = write_trace(path, random.Random(seed))
        trace = read_trace(path)
        recorded = [each.verdict for each in trace if each.state == "decide"]
        again = [*replay(trace, gates_of(trace))]
        assert [each.now.choice for each in again] == recorded
        assert all(each.now == each.recorded for each in again)
        for name, value in OTHER_GATES.items():
            gates = with_gates(gates_of(trace), {name: value})
            must = [expected(facts, gates, step) for step, facts in enumerate(every, 1)]
            # The run would have gone on otherwise from the first other decision on.
            other = [now != was for now, was in zip(must, recorded, strict=True)]
            until = other.index(True) + 1 if any(other) else len(must)
            again = [*replay(trace, gates)]
            assert [each.now.choice for each in again] == must[:until], (seed, name)
            n_changed[name] += any(other)
    assert n_changed.keys() == OTHER_GATES.keys() and min(n_changed.values()) > 2, n_changed


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
