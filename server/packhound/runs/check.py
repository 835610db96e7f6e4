"""Check of a patch: what the tools of a folder say of it, against what they say without it.

Both run in copies. What they say without it is kept by a digest of all texts, so that the next
patch of the same folder waits for its own run alone.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from packhound.core.errors import Cancelled
from packhound.core.trace import span
from packhound.git import PatchedFile
from packhound.runs import packhound_report
from packhound.runs.base_runs import BaseRuns, Run, key_of
from packhound.runs.copy import Copy, CopyLimits, materialize
from packhound.runs.diagnostics import (
    Compared,
    Diagnostic,
    Outcome,
    Reader,
    Said,
    base_line,
    compare,
)
from packhound.runs.process import Ended, Limits, Order, Process
from packhound.runs.runners import (
    Runner,
    Table,
    applying,
    command_of,
    dependencies_of,
    environment_of,
    installed_stamps,
    program_of,
)

Verdict: TypeAlias = Literal["passed", "failed", "incomplete", "nothing ran"]

_MAX_DIAGNOSTICS = 5_000
_LAST_LINES = 20
_ASKS_GIT = re.compile(
    rb"setuptools[_-]scm|use_scm_version|hatch-vcs|versioningit|setuptools-git-versioning"
)


class Folder(NamedTuple):
    """Subject of a check: a folder, texts of it that are not saved, and the files of a patch.

    `kept` is the folder for what the tools say without the patch. `first` are paths of tests that
    the patch reaches; with `reached_only` no others run, where the runner can choose.
    """

    root: Path
    kept: Path
    unsaved: Mapping[str, bytes]
    patch: Mapping[str, PatchedFile]
    first: Sequence[str] = ()
    reached_only: bool = False


class Job(NamedTuple):
    """A folder to check, by which tools and within which limits; `cancel` ends it."""

    folder: Folder
    table: Table
    copy_limits: CopyLimits
    limits: Limits
    cancel: threading.Event | None = None


class Step(NamedTuple):
    """A step that begins, of some."""

    step: str
    n_done: int
    n_steps: int


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of a check: diagnostics compared with those of the base, and each runner's run.

    `fixed` are tests that pass now and failed, `lost` those that did not run: that passed,
    or that are of a file that could not be read.
    """

    compared: Compared
    runs: tuple[Run, ...]
    base_runs: tuple[Run, ...]
    fixed: tuple[str, ...]
    lost: tuple[str, ...]
    notes: tuple[str, ...]
    seconds: float

    def with_notes(self, notes: Sequence[str]) -> Check:
        """Return it with further notes."""
        return msgspec.structs.replace(self, notes=(*self.notes, *notes))

    @property
    def verdict(self) -> Verdict:
        """The outcome: proved to be no worse than the base, or worse, or neither."""
        if any(each.severity == "error" for each in self.compared.new):
            return "failed"
        if not any(run.reason != "missing" for run in self.runs):
            return "nothing ran"
        # Who has no linter that the folder is set up for, has none without the patch either.
        is_complete = not self.lost and all(
            not run.reason or (run.reason == "missing" and not run.tests)
            for run in (*self.runs, *self.base_runs)
        )
        return "passed" if is_complete else "incomplete"


def finish(events: Generator[object, None, Check]) -> Check:
    """Return the outcome of a check, whatever it yields before."""
    while True:
        try:
            next(events)
        except StopIteration as end:
            outcome: Check = end.value
            return outcome


def check(job: Job) -> Generator[Step | Diagnostic, None, Check]:
    """Yield steps and new diagnostics as they come; return the outcome.

    Raises SettingsError: a limit of the copy; StoreError: it cannot be written; Cancelled.
    """
    started, folder, table = time.monotonic(), job.folder, job.table
    yield Step("copy", 0, 1)
    with ExitStack() as stack:
        patched = stack.enter_context(_copy_of(job, folder.patch))
        # A patch can take away what tells that a runner applies, or bring it.
        names = {name for tree in (folder.root, patched.folder) for name in applying(table, tree)}
        runners = [each for each in table.runners.items() if each[0] in names]
        base_runs = BaseRuns(folder.kept)
        base, missing = _kept_runs(job, base_runs, runners, patched.base_digest)
        n_steps = len(runners) + len(missing)
        if missing:
            original = stack.enter_context(_copy_of(job, {}))
            running = _Running(job, original)
            base |= yield from _run_base(base_runs, running, missing, n_steps)
        base_runs.restore_caches(patched)
        runs = list[Run]()
        running = _Running(job, patched)
        for number, (name, runner) in enumerate(runners):
            yield Step(name, len(missing) + number, n_steps)
            with span(f"check: {name}"):
                runs.append((yield from running.run(name, runner, base[name])))
        before = [base[name] for name, _ in runners]
        return _outcome(folder, patched, before, runs, time.monotonic() - started)


def warm_up(job: Job) -> None:
    """Keep what the tools say of a folder without a patch, and their caches, for its next check.

    Raises SettingsError, StoreError and Cancelled, as `check` does.
    """
    with _copy_of(job, {}) as original:
        names = {*applying(job.table, original.folder)}
        runners = [each for each in job.table.runners.items() if each[0] in names]
        base_runs = BaseRuns(job.folder.kept)
        _, missing = _kept_runs(job, base_runs, runners, original.base_digest)
        if missing:
            running = _Running(job, original)
            for _ in _run_base(base_runs, running, missing, len(missing)):
                pass


def _copy_of(job: Job, patch: Mapping[str, PatchedFile]) -> AbstractContextManager[Copy]:
    folder, table, limits, _, cancel = job
    asks_git = table.git or _asks_git(folder.root)
    return materialize(folder.root, folder.unsaved, patch, limits, cancel, asks_git=asks_git)


_Missing: TypeAlias = list[tuple[str, Runner, str]]
"""Runners by name of which no run is kept, each with the key to keep one by."""


def _kept_runs(
    job: Job, base_runs: BaseRuns, runners: Sequence[tuple[str, Runner]], digest: str
) -> tuple[dict[str, Run], _Missing]:
    """Return the runs that are kept of a folder without a patch, and the runners without one."""
    folder, table, _, limits, _ = job
    environment = environment_of(table, folder.root, folder.kept)
    only = [limits.apart, table.git, *(sorted(folder.first) if folder.reached_only else ())]
    only += [environment.get(name, "") for name in table.environment]
    only += installed_stamps(folder.root)
    kept, missing = dict[str, Run](), _Missing()
    for name, runner in runners:
        key = key_of(name, runner, environment, digest, *only)
        run = base_runs.get(key)
        if run is None:
            missing.append((name, runner, key))
        else:
            kept[name] = run
    return kept, missing


def _run_base(
    base_runs: BaseRuns, running: _Running, missing: _Missing, n_steps: int
) -> Generator[Step | Diagnostic, None, dict[str, Run]]:
    """Run what no run is kept of, in a copy without the patch, and keep it."""
    base_runs.restore_caches(running.copy)
    runs = dict[str, Run]()
    for number, (name, runner, key) in enumerate(missing):
        yield Step(f"{name} without the patch", number, n_steps)
        with span(f"check: {name} without the patch"):
            runs[name] = yield from running.run(name, runner, None)
        if not runs[name].reason:
            base_runs.keep(key, runs[name])
    base_runs.save_caches(running.copy)
    return runs


def _outcome(
    folder: Folder, copy: Copy, base: Sequence[Run], runs: Sequence[Run], seconds: float
) -> Check:
    before, after = ([each for run in every for each in run.diagnostics] for every in (base, runs))
    passed = {test for run in runs for test in run.passed}
    ran = passed.union(*(run.failed for run in runs))
    complete = {run.runner for run in runs if run.reason in ("", "unread")}
    unread = {path for run in runs for path in run.unread}
    unread_tests = {t for run in base for t in run.failed if t.partition("::")[0] in unread} - ran
    lost = {t for r in base if r.runner in complete for t in r.passed} - ran | unread_tests
    fixed = {test for run in base for test in run.failed} & passed
    notes = [*copy.notes, *(note for run in runs for note in run.notes)]
    compared = compare(before, after, folder.patch)
    gone = tuple(each for each in compared.gone if each.test not in unread_tests)
    return Check(
        compared=msgspec.structs.replace(compared, gone=gone),
        runs=tuple(runs),
        base_runs=tuple(base),
        fixed=tuple(sorted(fixed)),
        lost=tuple(sorted(lost)),
        notes=tuple(dict.fromkeys(notes)),
        seconds=seconds,
    )


def _line_of(diagnostic: Diagnostic, line: int | None) -> tuple[object, ...]:
    if name := diagnostic.test or diagnostic.unread:
        return diagnostic.runner, name
    return diagnostic.runner, diagnostic.code, diagnostic.message, line


class _Running:
    """The runs in one copy, prepared before the first: a run may put links and pipes in it."""

    def __init__(self, job: Job, copy: Copy) -> None:
        folder, table, _, self._limits, self._cancel = job
        self._folder, self.copy = folder, copy
        self._environment = environment_of(table, folder.root, copy.home)
        self._environment["PACKHOUND_FIRST"] = os.pathsep.join(folder.first)
        self._plugins = copy.home / "plugins"
        for name in ("home", "tmp", "cache", "plugins"):
            (copy.home / name).mkdir(exist_ok=True)
        shutil.copy(str(packhound_report.__file__), self._plugins / "packhound_report.py")
        self._module = _module_of_go(copy.folder)
        self._dependencies = dependencies_of(folder.root)
        if (copy.folder / ".git").is_dir():
            # The copy stands in the place of the folder whose objects it shares.
            self._dependencies.append(".git/objects")

    def run(self, name: str, runner: Runner, base: Run | None) -> Generator[Diagnostic, None, Run]:
        """Yield what a runner says that it does not say of the base; return all that it says.

        Without a base nothing is yielded. Raises Cancelled.
        """
        command, notes = command_of(runner, self.copy.folder)
        environment = {**self._environment, **runner.environment}
        program = program_of(command, environment)
        if program is None:
            note = f"{name} did not run: '{command[0]}' is not on the path of a check"
            return Run(runner=name, tests=runner.tests, reason="missing", notes=(note,))
        if self._folder.reached_only and runner.form == "pytest":
            reached = [path for path in self._folder.first if (self.copy.folder / path).is_file()]
            if not reached:
                note = "no test is known that the patch reaches"
                return Run(runner=name, tests=runner.tests, notes=(note,))
            command += reached
        process = Process(
            Order(
                command,
                environment,
                str(self.copy.folder),
                str(self.copy.home),
                str(self._folder.root),
                str(self._plugins),
                self._dependencies,
            ),
            self._limits,
            self._cancel,
        )
        folders = (self.copy.folder, self._folder.root)
        reader = Reader(name, runner, folders, self._module)
        passed, last = dict[str, None](), deque[bytes](maxlen=_LAST_LINES)
        diagnostics, seen = list[Diagnostic](), set[Diagnostic]()
        counts = Counter(_line_of(each, each.line) for each in base.diagnostics) if base else None
        for each in _read(reader, process.lines(), last):
            if len(diagnostics) == _MAX_DIAGNOSTICS:
                continue  # Of a runner that says more no outcome counts.
            if isinstance(each, Outcome):
                passed[each.test] = None
            # Of a target that is built twice, compilers say all twice.
            elif each not in seen:
                seen.add(each)
                diagnostics.append(each)
                if counts is not None and self._is_new(each, counts):
                    yield each
        ended = process.ended
        if ended.reason == "cancelled":
            raise Cancelled("the check was cancelled")
        reason = ended.reason or ("capped" if len(diagnostics) == _MAX_DIAGNOSTICS else "")
        if not diagnostics and ended.code not in (None, 0, *runner.ok_codes):
            diagnostics.append(reader.failure(ended.code, last))
            notes.append(diagnostics[-1].message)
            reason = "failed"
        notes += self._remarks(name, ended, len(diagnostics))
        failed = {each.test for each in diagnostics}
        unread = {each.unread for each in diagnostics} - {""}
        if base and not reason and not unread <= base.unread - {*self._folder.first}:
            reason = "unread"
            notes.append(f"{name} cannot read tests: {', '.join(sorted(unread))}")
        return Run(
            runner=name,
            tests=runner.tests,
            reason=reason,
            seconds=round(ended.seconds, 3),
            passed=tuple(test for test in passed if test not in failed),
            diagnostics=tuple(diagnostics),
            coverage=reader.coverage,
            notes=tuple(notes),
        )

    def _is_new(self, each: Diagnostic, counts: Counter[tuple[object, ...]]) -> bool:
        line = _line_of(each, base_line(each, self._folder.patch))
        counts[line] -= 1
        return counts[line] < 0

    def _remarks(self, name: str, ended: Ended, n_said: int) -> Iterator[str]:
        if n_said == _MAX_DIAGNOSTICS:
            yield f"{name} says more; {_MAX_DIAGNOSTICS:,} diagnostics are kept"
        if ended.reason:
            yield f"{name} was ended: {_limit_text(ended.reason, self._limits)}"
        if ended.unlimited:
            yield f"this system could not limit {', '.join(ended.unlimited)}"


def _read(reader: Reader, lines: Iterable[bytes], last: deque[bytes]) -> Iterator[Said]:
    """Yield what a reader makes of all lines; the last of them are kept."""
    for line in lines:
        last.append(line)
        yield from reader.read(line)
    yield from reader.rest()


def _limit_text(reason: str, limits: Limits) -> str:
    texts = {
        "seconds": f"it took longer than {limits.seconds:g} s ('changes.seconds')",
        "output": f"it printed more than {limits.output_bytes / 1e6:,.0f} MB or 500,000 lines",
        "disk": f"it wrote more than {limits.disk_bytes / 1e6:,.0f} MB ('changes.maxMegabytes')",
        "processes": f"it had more than {limits.processes:,} processes",
    }
    return texts.get(reason, "its supervisor failed, or was killed")


def _asks_git(root: Path) -> bool:
    """Return True for a build that takes its version from git, or has submodules."""
    with suppress(OSError):
        if (root / ".gitmodules").is_file():
            return True
        paths = (root / name for name in ("pyproject.toml", "setup.py", "setup.cfg"))
        return any(path.is_file() and _ASKS_GIT.search(path.read_bytes()) for path in paths)
    return False


def _module_of_go(folder: Path) -> str:
    with suppress(OSError):
        match = re.search(r"(?m)^module\s+(\S+)", (folder / "go.mod").read_text("utf-8", "replace"))
        return match[1] if match else ""
    return ""
