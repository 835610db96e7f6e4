"""`check`: tests and tools of a folder run on a patch, in a copy, where the user allows it."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Annotated

from packhound import git, runs, service
from packhound.core.errors import SettingsError
from packhound.core.typed import about, sized
from packhound.operations import fields
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.text import Row, Text, path_of, rows_in
from packhound.redact import safe_line, visible_line

_MAX_PATCH, _MAX_ROWS = 5_000_000, 100
_ENDS = {
    "missing": "is not installed",
    "failed": "failed by itself",
    "capped": "says more",
    "unread": "cannot read tests",
}


class CheckRequest(Request):
    """A patch, and what of it is checked."""

    diff: Annotated[
        str,
        sized(
            "A diff, as `git diff` prints it, or the id of an overlay.",
            _MAX_PATCH,
            1,
            of_bytes=True,
        ),
    ]
    runners: Annotated[fields.Words, about("Tools to run, as `pytest`; all that apply.")] = ()
    allow: Annotated[fields.Globs, about("Only such paths may the patch change.")] = ()
    reached_only: Annotated[
        bool, about("Run only tests that the patch reaches, where the tool can choose.")
    ] = False
    max_tokens: fields.MaxTokens = 4_000


def run(call: Call, request: CheckRequest) -> Json:
    """Check a patch in the first folder to which it applies. Raises SettingsError: in none.

    Answer: Whether it `passed`; `verdict` (passed, failed, incomplete or nothing ran), a `summary`
    in a line, `new` and `gone` diagnostics with `path`, `line` as patched, `base_line`, `runner`,
    `code`, `message` and the `test` that failed, or the file of tests that is `unread`, at most 100
    of `n_new` and `n_gone`; tests `fixed`, and `lost`: those that passed and did not run, and those
    of a file that cannot be read; `coverage` in percent, `before` and `after`, by `runner` and
    `package`, where a tool prints it and it differs; `runs` with `seconds` and what each was
    `ended_by`. Before that, where asked for, each `step`, and rows of `new` as soon as a tool
    prints them.
    """
    refusals = []
    for root in call.roots:
        trusted = root.engine.follow_settings().trusted
        service.may_run(root.engine.root, call.settings, trusted=trusted)
        try:
            data = service.patch_of(root.engine.root, request.diff)
            files = root.engine.proposals.open(data).folder.patched
        except SettingsError as refusal:
            refusals.append(refusal)
            continue
        whose = call.roots.whose(root.path)
        events = service.check_files(
            root.engine,
            files,
            data,
            call.settings,
            runners=request.runners,
            allow=request.allow,
            reached_only=request.reached_only,
            cancel=call.cancel,
        )
        return {**whose, **report_check(call, events, files, whose)}
    raise service.best_refusal(refusals)


def report_check(
    call: Call,
    events: Generator[runs.Step | runs.Diagnostic, None, runs.Check],
    files: Mapping[str, git.PatchedFile],
    whose: Json,
) -> Json:
    """Report what a check says as it comes; return the answer."""
    while True:
        try:
            event = next(events)
        except StopIteration as end:
            return _answer(end.value, files, whose)
        if isinstance(event, runs.Diagnostic):
            call.report({"new": [_row(event, files, whose)]})
        else:
            call.report(event._asdict())


def _answer(check: runs.Check, files: Mapping[str, git.PatchedFile], whose: Json) -> Json:
    compared = check.compared
    rows = {
        key: [_row(each, of, whose) for each in every[:_MAX_ROWS]]
        for key, every, of in (("new", compared.new, files), ("gone", compared.gone, {}))
    }
    return {
        "verdict": check.verdict,
        "passed": check.verdict == "passed",
        "summary": _summary(check),
        **rows,
        "n_new": len(compared.new),
        "n_gone": len(compared.gone),
        "n_old": len(compared.old),
        "fixed": [*check.fixed[:_MAX_ROWS]],
        "lost": [*check.lost[:_MAX_ROWS]],
        "coverage": [*_coverage(check)][:_MAX_ROWS],
        "runs": [
            {
                "runner": run.runner,
                "ended_by": run.reason,
                "seconds": run.seconds,
                "passed": len(run.passed),
                "failed": len(run.failed),
                "diagnostics": len(run.diagnostics) - len(run.failed),
            }
            for run in check.runs
        ],
        "seconds": round(check.seconds, 2),
        "notes": [*check.notes],
    }


def _coverage(check: runs.Check) -> Iterator[Json]:
    """Yield the coverage that is another than without the patch, in percent."""
    for run, base in zip(check.runs, check.base_runs, strict=True):
        for package, after in run.coverage.items():
            before = base.coverage.get(package)
            if before is not None and before != after:
                row: Json = {"runner": run.runner, "before": before, "after": after}
                yield {**row, "package": safe_line(package)} if package else row


def _row(each: runs.Diagnostic, files: Mapping[str, git.PatchedFile], whose: Json) -> Json:
    """Return a diagnostic with 1-based lines: as patched, and of the base unless it is added."""
    row: Json = {"runner": each.runner, "severity": each.severity, "message": each.message}
    if each.path:
        row |= {"path": each.path, **whose}
    if each.line >= 0:
        line = runs.base_line(each, files)
        row |= {"line": each.line + 1, "base_line": None if line is None else line + 1}
    if each.column >= 0:
        row["column"] = each.column + 1
    return row | {key: value for key in ("code", "test", "unread") if (value := getattr(each, key))}


def _summary(check: runs.Check) -> str:
    """Return the outcome in one line, the worst first."""
    tests = {each.test for each in check.compared.new if each.test}
    unread = {each.unread for each in check.compared.new if each.unread}
    remarks = [each for each in check.compared.new if not (each.test or each.unread)]
    n_errors = sum(each.severity == "error" for each in remarks)
    # Some tools name only those that fail.
    pairs = zip(check.runs, check.base_runs, strict=True)
    counts_all = [run for run, base in pairs if run.passed or base.passed]
    n_passed = sum(len(run.passed) for run in counts_all)
    n_failed = sum(len(run.failed) for run in counts_all)
    counted = (
        (len(tests), "test fails that did not", "tests fail that did not"),
        (len(unread), "file of tests cannot be read", "files of tests cannot be read"),
        (n_errors, "new error", "new errors"),
        (len(remarks) - n_errors, "new warning", "new warnings"),
        (len(check.lost), "test did not run", "tests did not run"),
        (len(check.fixed), "test passes that failed", "tests pass that failed"),
        (sum(not each.test for each in check.compared.gone), "diagnostic gone", "diagnostics gone"),
    )
    clauses = [f"{n:,} {singular if n == 1 else plural}" for n, singular, plural in counted if n]
    clauses = clauses or ["nothing new"]
    if n_passed + n_failed:
        clauses.append(f"{n_passed:,} of {n_passed + n_failed:,} tests pass")
    if check.compared.old:
        clauses.append(f"{len(check.compared.old):,} more are there without the patch too")
    clauses += [
        f"{run.runner} {_ENDS.get(run.reason, 'was ended by a limit')}"
        for run in check.runs
        if run.reason
    ]
    ran = [run.runner for run in check.runs if run.reason != "missing"]
    clauses.append(f"ran {', '.join(ran) or 'no tool'} in {check.seconds:.1f} s")
    return f"check {check.verdict}: {'; '.join(clauses)}"


def text(answer: Row) -> Text:
    """Return the outcome in a line, then what is new, gone and fixed, a line each."""
    units = [*_lines(answer)]
    return Text([visible_line(answer["summary"])], units, "lines", rows_in(answer, "notes"))


def lines_of_check(answer: Row) -> Iterator[str]:
    """Yield the outcome of a check, a line each, the new first."""
    yield visible_line(answer["summary"])
    yield from _lines(answer)


def _lines(answer: Row) -> Iterator[str]:
    for key in ("new", "gone"):
        for row in rows_in(answer, key):
            place = f"{path_of(row)}:{row['line']} " if "line" in row else ""
            code = f" {row['code']}" if "code" in row else ""
            test = f" {row['test']} fails:" if "test" in row and key == "new" else ""
            yield visible_line(f"  {key}: {place}{row['runner']}{code}{test} {row['message']}")
    for row in rows_in(answer, "coverage"):
        whose = " ".join(filter(None, (row["runner"], row.get("package"))))
        yield visible_line(f"  coverage of {whose}: {row['after']:g} %, was {row['before']:g} %")
    for key, words in (("fixed", "passes now"), ("lost", "did not run")):
        for test in answer.get(key, ()):
            yield visible_line(f"  {words}: {test}")


OPERATION = Operation(
    "check",
    "Check a patch",
    "Run the tests and tools of the folder on a patch, in a private copy; the files of the "
    "workspace stay as they are.",
    CheckRequest,
    run,
    text,
    "check",
    writes=True,
    idempotent=False,
    unlisted="max_tokens",
    instead="Without running anything `overlay` says what a patch breaks.",
    by_name=True,
)
