"""Decisions of a run: a patch that was proposed and checked is accepted, refined or given up.

Nothing is executed here. What was seen is given as facts, each transition is a line of a trace, and
`replay` makes the decisions of a trace again, with its gates or with others.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta, Struct

from packhound.core.errors import SettingsError
from packhound.core.private_file import append_private, create_private
from packhound.files import compile_globs

State: TypeAlias = Literal[
    "begin", "propose", "materialize", "check", "score", "decide", "apply", "end"
]
Choice: TypeAlias = Literal["accept", "refine", "abort", "unknown"]

_MAX_NAMED = 5
_MAX_BYTES = 100_000_000
_Count: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]


class Gates(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bounds of what a patch may be and do; `steps` is how often one may be proposed.

    `allow` are globs of the paths that it may change, all of them for none. With `incomplete` a
    check counts in which a tool was missing or ended by a limit.
    """

    allow: tuple[str, ...] = ()
    files: _Count = 20
    lines: _Count = 1_000
    new_errors: _Count = 0
    worse_tests: _Count = 0
    incomplete: bool = False
    steps: Annotated[int, Meta(ge=1, le=100)] = 1


class Facts(Struct, frozen=True, kw_only=True):
    """Facts known of one proposal.

    `problem` says why there is no patch, or none that applies. `lines` are those that come and go.
    `verdict` is that of the check, "" before it; `worse_tests` fail and did not, or did not run.
    """

    problem: str = ""
    paths: tuple[str, ...] = ()
    lines: int = 0
    verdict: str = ""
    new_errors: int = 0
    worse_tests: int = 0


class Decision(NamedTuple):
    """A choice with its reason."""

    choice: Choice
    reason: str


class Transition(Struct, frozen=True, kw_only=True):
    """A line of a trace: a state that a run was in, and what came of it.

    `step` counts proposals from 1; `started` is in seconds since 1970; `input` is the digest of
    what the state was given.
    """

    run: str
    step: int
    state: State
    started: float
    took_ms: float
    input: str
    output: dict[str, Any]
    verdict: str = ""
    reason: str = ""


def paths_outside(paths: Collection[str], allow: tuple[str, ...]) -> Sequence[str]:
    """Return the paths that match none of some globs; none where there is no glob."""
    pattern = compile_globs(allow)
    return [path for path in paths if allow and not pattern.fullmatch(path)]


def find_violations(facts: Facts, gates: Gates) -> Iterator[str]:
    """Yield each gate that a proposal does not pass, as far as it is known."""
    if facts.problem:
        yield facts.problem
        return
    if outside := paths_outside(facts.paths, gates.allow):
        yield f"changes what is not allowed: {', '.join(outside[:_MAX_NAMED])}"
    counted = (
        ("files", len(facts.paths), "files changed"),
        ("lines", facts.lines, "lines changed"),
        ("new_errors", facts.new_errors, "new errors"),
        ("worse_tests", facts.worse_tests, "tests that are worse"),
    )
    for name, number, words in counted:
        limit = getattr(gates, name)
        if number > limit:
            yield f"{words}: {number:,} ({limit:,} at most)"
    if facts.verdict in ("incomplete", "nothing ran") and not gates.incomplete:
        yield f"the check proves nothing: {facts.verdict}"


def decide(facts: Facts, gates: Gates, step: int) -> Decision:
    """Return what follows; `unknown` if the gates let pass what was never checked."""
    violations = [*find_violations(facts, gates)]
    if violations:
        return Decision("refine" if step < gates.steps else "abort", "; ".join(violations))
    if not facts.verdict:
        return Decision("unknown", "it was not checked")
    return Decision("accept", "it passes all gates")


class Trace:
    """The trace of a run in a file that its owner alone may read."""

    def __init__(self, path: Path, run: str) -> None:
        """Raises SettingsError: there is such a file; StoreError: it cannot be written."""
        if path.exists():
            raise SettingsError(f"'{path}' is there already; name a new file for the trace")
        create_private(path)
        self.path, self.run = path, run

    def add(
        self,
        step: int,
        state: State,
        received: object,
        output: Mapping[str, Any],
        started: float,
        verdict: str = "",
        reason: str = "",
    ) -> None:
        """Write a state that began at a time and ends now. Raises StoreError."""
        transition = Transition(
            run=self.run,
            step=step,
            state=state,
            started=round(started, 3),
            took_ms=round((time.time() - started) * 1000, 1),
            input=digest(received),
            output=dict(output),
            verdict=verdict,
            reason=reason,
        )
        append_private(self.path, msgspec.json.encode(transition) + b"\n")


def digest(value: object) -> str:
    """Return the digest of a JSON value."""
    return hashlib.blake2b(msgspec.json.encode(value), digest_size=8).hexdigest()


def read_trace(path: Path) -> list[Transition]:
    """Return the transitions of a trace. Raises SettingsError: it is none."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise SettingsError(f"'{path}' has more than {_MAX_BYTES:,} bytes")
        lines = path.read_bytes().splitlines()
        trace = [msgspec.json.decode(line, type=Transition) for line in lines if line.strip()]
    except (OSError, msgspec.MsgspecError) as problem:
        raise SettingsError(f"'{path}' is no trace of a run: {problem}") from None
    if not trace or trace[0].state != "begin":
        raise SettingsError(f"'{path}' is no trace of a run: it does not begin with its gates")
    return trace


def with_gates(gates: Gates, changes: Mapping[str, object]) -> Gates:
    """Return gates of which some have other values. Raises SettingsError."""
    if unknown := [name for name in changes if name not in Gates.__struct_fields__]:
        names = ", ".join(Gates.__struct_fields__)
        raise SettingsError(f"no such gate: '{unknown[0]:.80}'; gates are: {names}")
    try:
        return msgspec.convert({**msgspec.to_builtins(gates), **changes}, Gates, strict=False)
    except msgspec.ValidationError as problem:
        what, _, where = str(problem).partition(" - at `$.")
        raise SettingsError(f"gate '{where.rstrip('`')}': {what[:1].lower()}{what[1:]}") from None


class Replayed(NamedTuple):
    """A decision of a trace, and the one that its facts lead to now."""

    step: int
    recorded: Decision
    now: Decision


def gates_of(trace: list[Transition]) -> Gates:
    """Return the gates of a trace. Raises SettingsError."""
    return with_gates(Gates(), trace[0].output.get("gates", {}))


def replay(trace: list[Transition], gates: Gates) -> Iterator[Replayed]:
    """Yield the decisions of a trace until one is another and the run would have gone on otherwise.

    Raises SettingsError: it does not say what was decided on.
    """
    facts: Facts | None = None
    for each in trace:
        if each.state == "score":
            try:
                facts = msgspec.convert(each.output.get("facts"), Facts)
            except msgspec.ValidationError as problem:
                raise SettingsError(f"step {each.step} has no facts: {problem}") from None
        elif each.state == "decide":
            if facts is None:
                raise SettingsError(f"step {each.step} has no facts")
            choice = each.verdict
            if choice not in ("accept", "refine", "abort"):
                raise SettingsError(f"step {each.step} has no decision: {choice!r:.80}")
            recorded = Decision(choice, each.reason)  # type: ignore[arg-type]
            now = decide(facts, gates, each.step)
            yield Replayed(each.step, recorded, now)
            if now.choice != recorded.choice:
                return
