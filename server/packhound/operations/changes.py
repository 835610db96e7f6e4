"""`changes`: what is changed, what calls it, the tests to run, and what may change too."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Annotated

from packhound import impact, service
from packhound.core.errors import SettingsError
from packhound.core.typed import number, sized
from packhound.core.types import MAX_HITS
from packhound.operations import fields
from packhound.operations.breaks import break_lines, break_rows, unused_lines
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.rows import is_near_alone, link_row
from packhound.operations.text import Row, Text, path_of, rows_in, title
from packhound.redact import visible_line

_MAX_CALLERS = 10


class Changes(Request):
    """A commit; `limit` bounds tests and related files."""

    base: Annotated[str, sized("Commit or branch to compare with.", 200, 1)] = "HEAD"
    limit: Annotated[int, number("Tests and related files at most.", 1, MAX_HITS)] = 10
    max_tokens: fields.MaxTokens = 4_000


def run(call: Call, request: Changes) -> Json:
    """Return what differs from a commit in all folders.

    Raises SettingsError: no folder has such a commit, or a repository.

    Answer: `definitions` with changed `lines` and `callers`, changed `files` without one, `deleted`
    ones, those `renamed` with their `old_path`, `tests` to run, those first that
    reach it, and `related` files, the likeliest first, both with `chance` and `reasons`.
    Definitions `removed`, `unresolved` uses of them, each with what is
    `gone`, `calls` with another number of arguments, types `lacking` a member that a base requires,
    and `imports` that nothing provides: as in the verdict on a patch.
    """
    answers, refusals = [], dict[str, SettingsError]()
    for root in call.roots:
        try:
            answers.append((root, root.engine.changes(request.base, request.limit)))
        except SettingsError as refusal:
            refusals[root.label] = refusal
    if not answers:
        raise service.best_refusal([*refusals.values()])
    # Tests have an order of their own, which those of several folders take by turns.
    tests = [(n, file, root) for root, each in answers for n, file in enumerate(each.tests)]
    related = [(-file.chance, file, root) for root, each in answers for file in each.related]
    return {
        "base": request.base,
        "definitions": [
            _definition_row(each) for _, changes in answers for each in changes.definitions
        ],
        "files": [
            row for root, changes in answers for row in _path_rows(call, root, changes.other_files)
        ],
        "deleted": [
            row for root, changes in answers for row in _path_rows(call, root, changes.deleted)
        ],
        "renamed": [
            {**row, "old_path": old_path}
            for root, changes in answers
            for path, old_path in changes.renamed.items()
            for row in _path_rows(call, root, [path])
        ],
        **break_rows([(each.breaks, call.roots.whose(root.path)) for root, each in answers]),
        "tests": _file_rows(call, tests, request.limit),
        "related": _file_rows(call, related, request.limit),
        "notes": [
            *(f"{label}: {refusal}" for label, refusal in refusals.items()),
            *(note for _, changes in answers for note in changes.notes),
        ],
    }


def _path_rows(call: Call, root: service.Root, paths: Iterable[str]) -> list[Json]:
    return [{"path": path, **call.roots.whose(root.path)} for path in paths]


def _definition_row(definition: impact.ChangedDefinition) -> Json:
    return {
        **link_row(definition.node),
        "lines": [[first + 1, last + 1] for first, last in definition.lines],
        "callers": [link_row(link) for link in definition.callers[:_MAX_CALLERS]],
        "n_callers": len(definition.callers),
    }


def _file_rows(
    call: Call, files: Iterable[tuple[float, impact.RelatedFile, service.Root]], limit: int
) -> list[Json]:
    """Return the first of some files, by the number that each comes with."""
    return [
        {
            "path": file.path,
            "chance": round(file.chance, 3),
            "reasons": list(file.reasons),
            **call.roots.whose(root.path),
        }
        for _, file, root in sorted(files, key=itemgetter(0))[:limit]
    ]


def _grade(caller: Row) -> str:
    return f" ({caller['grade']})" if caller["by_name"] else ""


def text(answer: Row) -> Text:
    """Return what breaks, the changed definitions with their callers, then the files."""
    breaks, units, shorter = [*break_lines(answer)], list[str](), list[str]()
    for row in rows_in(answer, "definitions"):
        lines = ", ".join(f"{a}-{b}" if b > a else f"{a}" for a, b in row["lines"])
        callers = "".join(
            f"\n    used by {title(caller)}{_grade(caller)}" for caller in row["callers"]
        )
        n_more = row["n_callers"] - len(row["callers"])
        more = f"\n    ... {n_more:,} more" if n_more else ""
        noun = "line" if lines.isdecimal() else "lines"
        shorter.append(f"  {title(row)} ({noun} {lines})")
        units.append(f"{shorter[-1]}{callers}{more}")
    units += [f"  {path_of(row)}" for row in rows_in(answer, "files")]
    units += [f"  {path_of(row)} (deleted)" for row in rows_in(answer, "deleted")]
    for row in rows_in(answer, "renamed"):
        old = path_of({**row, "path": row["old_path"]})
        units.append(f"  renamed {old} to {path_of(row)}")
    units += unused_lines(answer)
    for each in (units, shorter):
        each[:1] = [f"changed since {visible_line(answer['base'])}:\n{unit}" for unit in each[:1]]
    breaks[:1] = [f"breaks by it:\n{unit}" for unit in breaks[:1]]
    forms = [*[()] * len(breaks), *((form,) for form in shorter)]
    units = [*breaks, *units]
    related = sorted(rows_in(answer, "related"), key=is_near_alone)
    listed = [("tests to run", row) for row in rows_in(answer, "tests")]
    listed += [("only near" if is_near_alone(row) else "may change too", row) for row in related]
    for heading, rows in groupby(listed, key=itemgetter(0)):
        files = [f"  {path_of(row)} ({', '.join(row['reasons'])})" for _, row in rows]
        units += [f"{heading}:\n{files[0]}", *files[1:]]
    head = () if units else (f"nothing differs from {visible_line(answer['base'])}",)
    forms += [()] * (len(units) - len(forms))
    return Text(head, units, "rows", rows_in(answer, "notes"), shorter=forms)


OPERATION = Operation(
    "changes",
    "Changes",
    "Uncommitted and unsaved changes by definition: callers, tests to run, related files.",
    Changes,
    run,
    text,
    unlisted="limit max_tokens",
    instead="For the code of a task use pack.",
    lists=True,
)
