"""`packhound run`: a patch is proposed, checked in a copy, and accepted or given up by gates.

Each state is a line of a trace, which `packhound run replay` decides on again.
"""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec

from packhound import runs, service
from packhound.cli.group import ReportingGroup
from packhound.cli.opening import Asker, folder_settings
from packhound.cli.options import ROOT, TRACE, read_patch
from packhound.cli.terminal import echo, echo_line
from packhound.cli.tracing import writing_trace
from packhound.core.errors import PackhoundError, SettingsError, StoreError
from packhound.core.trace import span, traced
from packhound.core.user_folders import state_folder
from packhound.evaluation import Asked, Command, NoPatchError, Task
from packhound.operations import as_text
from packhound.redact import visible_line

_PAUSES_S = (1.0, 2.0)
"""Before a command that gave nothing is asked again."""
_MAX_TOLD, _MAX_REASON, _MAX_PATHS = 50, 4_000, 100
"""Diagnostics that a proposer is told, and characters of the reason that is kept."""


@click.group(cls=ReportingGroup, invoke_without_command=True)
@click.option(
    "--patch", default="", metavar="FILE|ID", help="The patch, or an overlay; - is standard input."
)
@click.option("--command", default="", metavar="COMMAND", help="Prints a patch; runs in a copy.")
@click.option("--task", default="", help="What is to be done, for the command.")
@click.option("--timeout", default=600, show_default=True, help="Seconds for each proposal.")
@click.option("--gate", "gates", multiple=True, metavar="NAME=VALUE", help="As steps=3, files=5.")
@click.option("--allow", multiple=True, metavar="GLOB", help="Only such paths may change.")
@click.option(
    "--skill", default="", metavar="NAME", help="A skill that it follows, which it is a use of."
)
@click.option("--apply", is_flag=True, help="Write the files of what is accepted.")
@click.option("--trace-to", type=click.Path(path_type=Path), help="File of the trace.")
@TRACE
@ROOT
@click.pass_context
def run(
    context: click.Context,
    patch: str,
    command: str,
    task: str,
    timeout: int,
    gates: Sequence[str],
    allow: Sequence[str],
    skill: str,
    apply: bool,
    trace_to: Path | None,
    trace_file: Path | None,
    root: Path,
) -> None:
    """Have a patch proposed and checked, and accept it or give it up.

    It has to pass all gates: allow, files, lines, new_errors, worse_tests, incomplete; steps is how
    often a command may propose. The exit code is 1 unless a patch was accepted. Runs only where
    'changes.run' of your own settings allows it.
    """
    if context.invoked_subcommand:
        return
    if bool(patch) == bool(command):
        raise SettingsError("give either --patch or --command")
    chosen = runs.with_gates(runs.Gates(allow=tuple(allow)), _values(gates))
    root = service.real_path(root)
    in_force = folder_settings(root).read()
    service.may_run(root, in_force.settings, trusted=in_force.trusted)
    if skill and not in_force.settings.sources.skills:
        raise SettingsError(service.switched_off("skills"))
    with writing_trace(trace_file) as spans, Asker([root], traced=spans) as asker:
        name = secrets.token_hex(4)
        trace = runs.Trace(trace_to or state_folder() / "runs" / f"{name}.jsonl", name)
        work = Task(name="run", folder=root, statement=task, fails=(), timeout_s=timeout)
        known = asker.known(task) if command else ""
        proposer = _Proposer(read_patch(patch) if patch else "", command, work, known)
        is_accepted, facts = _Run(asker, trace, chosen, proposer).play(apply=apply)
        echo(f"trace: {trace.path}")
        if in_force.settings.sources.episodes:
            asker.answer("record_episode", _episode(task, facts, is_accepted=is_accepted))
        if skill:
            use = {"name": skill, "success_score": float(is_accepted)}
            echo(as_text("record_skill", asker.answer("record_skill", use)))
    sys.exit(0 if is_accepted else 1)


def _episode(task: str, facts: runs.Facts, *, is_accepted: bool) -> dict[str, object]:
    """Return what is remembered of a run."""
    text = task or f"patch of {', '.join(facts.paths)}"
    result = "accepted" if is_accepted else "rejected"
    code = facts.paths[:_MAX_PATHS]
    return {"kind": "run", "text": text[:_MAX_REASON], "code": code, "result": result}


@run.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--gate", "gates", multiple=True, metavar="NAME=VALUE", help="Another gate.")
def replay(trace: Path, gates: Sequence[str]) -> None:
    """Make the decisions of a trace again, without running anything.

    With other gates those that change are named. The exit code is 1 if one does.
    """
    read = runs.read_trace(trace)
    changed = False
    for each in runs.replay(read, runs.with_gates(runs.gates_of(read), _values(gates))):
        words = visible_line(f"step {each.step}: {each.now.choice}: {each.now.reason}")
        if each.now.choice != each.recorded.choice:
            changed = True
            words += f" (was {each.recorded.choice})"
        echo(words)
    sys.exit(1 if changed else 0)


def _values(gates: Sequence[str]) -> dict[str, object]:
    """Return the values of `NAME=VALUE`. Raises SettingsError."""
    values: dict[str, object] = {}
    for each in gates:
        name, equals, value = each.partition("=")
        if not equals:
            raise SettingsError(f"--gate takes NAME=VALUE, not '{each}'")
        values[name] = value.split(",") if name == "allow" else value
    return values


@dataclass(frozen=True)
class _Proposer:
    """A patch, or a command of the user's that prints one."""

    patch: str
    command: str
    task: Task
    context: str

    def propose(self, attempt: int, feedback: str) -> str:
        """Return a diff. Raises SettingsError: the command gave none, each time it was asked."""
        if self.patch:
            return self.patch
        question = Asked(self.task, self.task.folder, self.context, attempt, feedback)
        command, problem = Command(self.command), ""
        for pause_s in (0.0, *_PAUSES_S):
            time.sleep(pause_s)
            try:
                return command.propose(question).decode("utf-8", "surrogateescape")
            except NoPatchError as why:
                problem = str(why)
        raise SettingsError(f"{problem}, {1 + len(_PAUSES_S)} times")


@dataclass(frozen=True)
class _Run:
    """A run: what it asks of the folder, and where it writes what came of it."""

    asker: Asker
    trace: runs.Trace
    gates: runs.Gates
    proposer: _Proposer

    def play(self, *, apply: bool) -> tuple[bool, runs.Facts]:
        """Go through the states until a patch is accepted or given up.

        Return whether it is accepted, and the facts of the last one.
        """
        output = {"gates": msgspec.to_builtins(self.gates), "task": self.proposer.task.statement}
        self.trace.add(0, "begin", self.proposer.command, output, time.time())
        with service.deciding(self.proposer.task.folder, self.trace.run) as author:
            step, accepted, facts = self._repeat(author)
        if accepted:
            self._take(step, accepted, apply=apply)
        return bool(accepted), facts

    def _repeat(self, author: str) -> tuple[int, str, runs.Facts]:
        """Have patches proposed until one is accepted or given up.

        Return the last step, the overlay that is accepted, "" for none, and the last facts.
        """
        feedback, step = "", 0
        facts = runs.Facts()
        for step in range(1, self.gates.steps + 1):
            identity, facts, rows = self._examine(step, feedback, author)
            decision = self._decide(step, facts)
            echo_line(f"step {step}: {decision.choice}: {decision.reason}")
            if decision.choice == "accept":
                return step, identity, facts
            if identity and identity != self.proposer.patch:
                reason = f"{author}: {decision.reason}"
                self.asker.answer("reject", {"id": identity, "reason": reason[:_MAX_REASON]})
            if decision.choice == "abort":
                break
            feedback = "\n".join([decision.reason, *map(_line, rows)])
        return step, "", facts

    def _examine(
        self, step: int, feedback: str, author: str
    ) -> tuple[str, runs.Facts, list[dict[str, Any]]]:
        """Propose, apply in memory, and check what passes so far: id, facts, new diagnostics."""
        started, diff, identity = time.time(), "", ""
        facts = runs.Facts()
        try:
            with span("run: propose"):
                diff = self.proposer.propose(step - 1, feedback)
        except SettingsError as problem:
            facts = runs.Facts(problem=str(problem))
        self.trace.add(step, "propose", feedback, {"diff": diff}, started, reason=facts.problem)
        rows: list[dict[str, Any]] = []
        if not facts.problem:
            identity, facts = self._materialize(step, diff, author)
        if not any(runs.find_violations(facts, self.gates)):
            facts, rows = self._check(step, identity, facts)
        return identity, facts, rows

    @traced("run: materialize")
    def _materialize(self, step: int, diff: str, author: str) -> tuple[str, runs.Facts]:
        """Apply a diff in memory; it is kept as an overlay."""
        started = time.time()
        try:
            overlay = self._overlay_of(diff, author)
        except SettingsError as problem:
            facts = runs.Facts(problem=str(problem))
            self.trace.add(step, "materialize", diff, {}, started, reason=facts.problem)
            return "", facts
        files = overlay["files"]
        old = (file["old_path"] for file in files if "old_path" in file)
        facts = runs.Facts(
            paths=tuple(sorted({*(file["path"] for file in files), *old})),
            lines=sum(file["added"] + file["removed"] for file in files),
        )
        verdict = overlay.get("verdict", {}).get("summary", "")
        output = {"overlay": overlay["id"], "files": files}
        self.trace.add(step, "materialize", diff, output, started, verdict)
        return overlay["id"], facts

    def _overlay_of(self, diff: str, author: str) -> dict[str, Any]:
        """Return a diff as an overlay, kept if it is no id of one. Raises SettingsError."""
        if "\n" not in diff.strip():
            overlay = self.asker.answer("overlay", {"id": diff.strip()})
            if not overlay["applies"]:
                raise SettingsError(overlay["problem"] or "it was decided on already")
            return overlay
        message = self.proposer.task.statement[:_MAX_REASON]
        return self.asker.answer("propose", {"diff": diff, "author": author, "message": message})

    @traced("run: check")
    def _check(
        self, step: int, identity: str, facts: runs.Facts
    ) -> tuple[runs.Facts, list[dict[str, Any]]]:
        """Run the checks in a copy; a copy that could not be written is tried once more."""
        started = time.time()
        for is_last in (False, True):
            try:
                answer = self.asker.answer("check", {"diff": identity, "allow": self.gates.allow})
                break
            except StoreError:
                if is_last:
                    raise
                time.sleep(_PAUSES_S[0])
        new = answer["new"]
        worse = {row["test"] for row in new if row.get("test")} | {*answer["lost"]}
        errors = [row for row in new if row["severity"] == "error" and not row.get("test")]
        facts = msgspec.structs.replace(
            facts, verdict=answer["verdict"], new_errors=len(errors), worse_tests=len(worse)
        )
        self.trace.add(step, "check", identity, answer, started, answer["verdict"])
        return facts, new[:_MAX_TOLD]

    @traced("run: decide")
    def _decide(self, step: int, facts: runs.Facts) -> runs.Decision:
        """Score the facts against the gates, and decide."""
        started, values = time.time(), msgspec.to_builtins(facts)
        violations = [*runs.find_violations(facts, self.gates)]
        self.trace.add(step, "score", values, {"facts": values, "violations": violations}, started)
        decision = runs.decide(facts, self.gates, step)
        self.trace.add(step, "decide", violations, {}, started, decision.choice, decision.reason)
        return decision

    @traced("run: apply")
    def _take(self, step: int, identity: str, *, apply: bool) -> None:
        """Write the files of what was accepted, if that is asked for. Raises PackhoundError."""
        if not apply:
            echo(f"overlay {identity} is kept: packhound overlay accept {identity}")
            return
        started = time.time()
        try:
            answer = self.asker.answer(
                "accept", {"proposal": identity, "reason": f"run {self.trace.run}"}
            )
        except PackhoundError as problem:
            self.trace.add(step, "apply", identity, {}, started, "refused", str(problem))
            raise
        self.trace.add(step, "apply", identity, answer, started, "written")
        echo(f"overlay {identity} is accepted: {len(answer['files'])} files")


def _line(row: Mapping[str, Any]) -> str:
    """Return a diagnostic as a proposer reads it."""
    location = f"{row['path']}:{row['line']}: " if "path" in row and "line" in row else ""
    return f"{location}{row.get('test', '')} {row['runner']}: {row['message']}".strip()
