"""Tasks with tests that a patch has to make pass: proposed, checked, and if need be again.

A line of a suite is `{name, folder, statement, fails, allow, timeout_s, patches, base}`: paths are
relative to the file, `fails` are tests that fail before and have to pass after, `patches` recorded
proposals in their order, and `base` a commit of the folder's repository, "" for it as it is.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from packhound import runs
from packhound.core.errors import SettingsError
from packhound.files import read_bytes
from packhound.git import apply_patch, find_revision, write_revision
from packhound.llm import counter_for
from packhound.runs import Check, CopyLimits, Folder, Limits, Table

_MAX_BYTES, _MAX_FILES = 30_000_000, 100_000
_Text = Annotated[str, Meta(min_length=1, max_length=100_000)]


class Task(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A task of a suite; `timeout_s` is of each tool and each proposal."""

    name: _Text
    folder: Path
    statement: _Text
    fails: Annotated[tuple[_Text, ...], Meta(min_length=1)]
    allow: tuple[_Text, ...] = ()
    timeout_s: Annotated[float, Meta(gt=0)] = 300.0
    patches: tuple[Path, ...] = ()
    base: str = ""


class Asked(NamedTuple):
    """A task as a proposer gets it: the folder, code for it, and what was wrong before."""

    task: Task
    folder: Path
    context: str
    attempt: int
    feedback: str


class NoPatchError(SettingsError):
    """A command has printed none; the text says why."""


class Recorded:
    """The patches that a task names, one an attempt."""

    def propose(self, asked: Asked) -> bytes:
        """Return the patch of this attempt. Raises NoPatchError: there is none."""
        if asked.attempt >= len(asked.task.patches):
            raise NoPatchError("no further one is recorded")
        return asked.task.patches[asked.attempt].read_bytes()


class Command:
    """A command of the user's, with his rights: JSON on its input, a diff on its output.

    It runs in a copy of the folder.
    """

    def __init__(self, command: str) -> None:
        self._words = shlex.split(command)

    def propose(self, asked: Asked) -> bytes:
        """Return what the command prints.

        Raises NoPatchError: it prints nothing, fails or is late; SettingsError: it cannot be run.
        """
        values = {
            "task": asked.task.name,
            "statement": asked.task.statement,
            "context": asked.context,
            "attempt": asked.attempt,
            "feedback": asked.feedback,
        }
        with runs.materialize(asked.folder, {}, {}) as copy:
            try:
                done = subprocess.run(
                    self._words,
                    input=json.dumps(values).encode(),
                    stdout=subprocess.PIPE,
                    cwd=copy.folder,
                    timeout=asked.task.timeout_s,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise NoPatchError(
                    f"the command took longer than {asked.task.timeout_s:g} s"
                ) from None
            except OSError as error:
                raise SettingsError(f"'{self._words[0]}' cannot be run: {error.strerror}") from None
        if done.returncode:
            raise NoPatchError(f"the command failed with {done.returncode}")
        if not done.stdout.strip():
            raise NoPatchError("the command printed no patch")
        return done.stdout


class Solved(msgspec.Struct, frozen=True, kw_only=True):
    """End of a task: `outcomes` have a line for each attempt, the last one says `solved`."""

    task: str
    policy: str
    is_solved: bool
    outcomes: tuple[str, ...]
    seconds: float
    tokens: int
    """Those of the context."""


def load_tasks(file: Path) -> list[Task]:
    """Return the tasks of a file. Raises SettingsError that names the line."""
    tasks = []
    for number, line in enumerate(file.read_text("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            task = msgspec.json.decode(line, type=Task, dec_hook=_as_path)
        except msgspec.MsgspecError as problem:
            raise SettingsError(f"line {number} of '{file}': {problem}") from None
        folder, patches = file.parent / task.folder, [file.parent / path for path in task.patches]
        for path in (folder, *patches):
            if not path.exists():
                raise SettingsError(f"line {number} of '{file}': there is no '{path}'")
        tasks.append(msgspec.structs.replace(task, folder=folder.resolve(), patches=tuple(patches)))
    if not tasks:
        raise SettingsError(f"'{file}' has no task")
    return tasks


def _as_path(_type: type, value: object) -> Path:
    if not isinstance(value, str):
        raise ValueError(f"a path is {value!r:.80}; expected a string")
    return Path(value)


@contextmanager
def base_of(task: Task) -> Iterator[Path]:
    """Yield the folder of a task as of its base. Raises SettingsError: there is no such commit."""
    if not task.base:
        yield task.folder
        return
    revision = find_revision(task.folder, task.base)
    if revision is None:
        raise SettingsError(f"task '{task.name}': '{task.base}' is no commit of '{task.folder}'")
    with TemporaryDirectory(prefix="packhound-") as temporary:
        folder = Path(temporary, task.folder.name)
        write_revision(task.folder, revision, folder, _MAX_FILES, _MAX_BYTES)
        yield folder


def solve(
    task: Task,
    folder: Path,
    proposer: Command | Recorded,
    policy: str,
    context: str,
    table: Table,
    kept: Path,
    attempts: int,
) -> Solved:
    """Have patches proposed until one solves a task, or there is none."""
    started, outcomes = time.monotonic(), list[str]()
    while len(outcomes) < attempts and outcomes[-1:] != ["solved"]:
        feedback = outcomes[-1] if outcomes else ""
        try:
            patch = proposer.propose(Asked(task, folder, context, len(outcomes), feedback))
        except NoPatchError as why:
            outcomes.append(f"no patch: {why}")
            break
        outcomes.append(_try(task, folder, patch, table, kept))
    return Solved(
        task=task.name,
        policy=policy,
        is_solved=outcomes[-1:] == ["solved"],
        outcomes=tuple(outcomes),
        seconds=round(time.monotonic() - started, 2),
        tokens=counter_for().count(context),
    )


def _try(task: Task, folder: Path, patch: bytes, table: Table, kept: Path) -> str:
    """Return what a check says of a patch, `solved` if nothing is wrong."""

    def read(path: str) -> bytes | None:
        try:
            file = read_bytes(folder, path, _MAX_BYTES)
        except FileNotFoundError:
            return None
        except OSError:
            raise SettingsError(f"the patch does not apply to {path!r}: no plain file") from None
        return file[0] if file else None

    try:
        files = apply_patch(patch, read)
    except SettingsError as refusal:
        return f"refused: {refusal}"
    if refused := runs.paths_outside(files, task.allow):
        return f"refused: it changes {', '.join(refused)}, not among {', '.join(task.allow)}"
    limits = Limits(seconds=task.timeout_s)
    events = runs.check(runs.Job(Folder(folder, kept, {}, files), table, CopyLimits(), limits))
    return _judge(task, runs.finish(events))


def _judge(task: Task, check: Check) -> str:
    passed = {test for run in check.runs for test in run.passed}
    passed_before = {test for run in check.base_runs for test in run.passed}
    if early := sorted(passed_before.intersection(task.fails)):
        return f"the task is broken: {', '.join(early)} pass without a patch"
    if check.verdict == "failed":
        return f"failed: {'; '.join(_says(each) for each in check.compared.new)}"
    if check.verdict != "passed":
        lost = (f"{test} did not run" for test in check.lost)
        return f"{check.verdict}: {'; '.join((*check.notes, *lost))}"
    late = sorted(set(task.fails) - passed)
    return f"failed: {', '.join(late)} do not pass" if late else "solved"


def _says(diagnostic: runs.Diagnostic) -> str:
    where = f"{diagnostic.path}:{diagnostic.line + 1}" if diagnostic.path else diagnostic.runner
    return f"{where} {diagnostic.test} {diagnostic.message}"


def pass_rates(solved: Sequence[Solved]) -> dict[str, dict[str, float]]:
    """Return the share of tasks solved, and means of attempts, seconds and tokens, by policy."""
    rows = {}
    for policy in dict.fromkeys(each.policy for each in solved):
        of_policy = [each for each in solved if each.policy == policy]
        n = len(of_policy)
        rows[policy] = {
            "tasks": n,
            "solved": sum(each.is_solved for each in of_policy),
            "pass_rate": round(sum(each.is_solved for each in of_policy) / n, 3),
            "at_once": sum(each.outcomes == ("solved",) for each in of_policy),
            "attempts": round(sum(len(each.outcomes) for each in of_policy) / n, 2),
            "seconds": round(sum(each.seconds for each in of_policy) / n, 2),
            "tokens": round(sum(each.tokens for each in of_policy) / n),
        }
    return rows
