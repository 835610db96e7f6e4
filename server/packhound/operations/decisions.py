"""Accept and reject proposed patches: the only operations that write files of the workspace.

Nothing is executed but git, and the user's own hooks where a person asks for a commit.
"""

from __future__ import annotations

import getpass
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

from packhound import service
from packhound.core.errors import NOT_WRITTEN, SettingsError
from packhound.core.typed import about, sized
from packhound.operations import fields
from packhound.operations.check import lines_of_check, report_check
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.overlays import (
    GROUP,
    MAX_PATCH,
    OverlayId,
    find_overlay,
    verdict_of_overlay,
)
from packhound.operations.text import Row, Text, path_of, rows_in
from packhound.redact import safe_line, visible_line

_MAX_SUBJECT, _MAX_LINES = 72, 10
_TYPES = "build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test"
_SUBJECT = re.compile(rf"(?:{_TYPES})(?:\([^()\s]+\))?!?: \S[^\n]*")
_MAX_REASON = 4_000

By = Annotated[fields.Word, about("Who decides; else the user of this computer.")]


class Accept(Request):
    """A proposal, and what may be done to take it."""

    proposal: Annotated[
        str, sized("Id of an overlay, or a diff itself.", MAX_PATCH, 1, of_bytes=True)
    ]
    three_way: Annotated[
        bool, about("Merge it into files with unsaved or uncommitted changes.")
    ] = False
    commit: Annotated[
        str,
        sized(
            'Commit its files, with this subject: "type(scope): subject". Hooks run.', _MAX_SUBJECT
        ),
    ] = ""
    check: Annotated[
        bool, about("Check what would be written, and write it only if that passes.")
    ] = False
    reason: Annotated[str, sized("Why.", _MAX_REASON)] = ""
    by: By = ""
    max_tokens: fields.MaxTokens = 4_000


class Reject(OverlayId):
    """A proposal, and why it is not wanted."""

    reason: Annotated[str, sized("Why.", _MAX_REASON)] = ""
    by: By = ""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A proposal that may be accepted, and what its files become."""

    root: service.Root
    overlay: service.Overlay
    changes: Sequence[service.FileChange]
    verdict: str
    hooks: Sequence[str]
    """Those that a commit runs."""
    check: str
    """The outcome of its check, in a line."""


def accept(call: Call, request: Accept) -> Json:
    """Write the files of a proposal. Raises SettingsError: nothing was written.

    Answer: `id`, `status`, `files` (`path`, `change`, whether it was `merged`, and whether it is
    changed `in_editor`, and not saved), the `commit`, the `hooks` that it ran, the `verdict` in a
    line, the `check` where one was asked for, and `notes`.
    """
    accepted = check_acceptance(call, request)
    with service.written(accepted.root.engine, accepted.changes):
        pass
    return record_acceptance(call, request, accepted)


def check_acceptance(call: Call, request: Accept, editor: object = None) -> Acceptance:
    """Return what accepting a proposal means, for an editor that changes its own open texts.

    Raises SettingsError: it would overwrite something, or does not apply.
    """
    if request.commit and call.is_agent:
        raise SettingsError("a commit runs hooks: only a person may ask for it")
    if request.check and call.is_agent:
        raise SettingsError("only a person may have it checked here; call 'check' first")
    if request.commit and not _SUBJECT.fullmatch(request.commit):
        raise SettingsError(
            f"commit is {request.commit!r}; expected 'type(scope): subject' with one of the"
            f" types: {_TYPES.replace('|', ', ')}"
        )
    is_diff = "\n" in request.proposal.strip()
    roots = [*call.roots] if is_diff else [find_overlay(call, request.proposal)[0]]
    refusals, hooks = [], list[str]()
    for root in roots:
        overlays = service.Overlays(root.engine.root)
        overlay = None if is_diff else _open_one(find_overlay(call, request.proposal)[1])
        patch = overlay.patch if overlay else service.patch_bytes(request.proposal)
        root.engine.take_back()
        plan = partial(
            service.plan_changes, root.engine, patch, three_way=request.three_way, editor=editor
        )
        try:
            changes = plan()
        except SettingsError as refusal:
            refusals.append(refusal)
            continue
        if request.commit:
            hooks = service.check_commit(
                root.engine, f"{request.commit}\n{request.reason}", changes
            )
        if overlay is None:
            overlay = overlays.add(request.proposal, "", "", _base(changes))
        accepted = Acceptance(root, overlay, changes, _summary(root, overlay), hooks, "")
        if request.check:
            accepted = _checked(call, request, accepted)
            if changes != plan():
                raise SettingsError("nothing was written: its files were changed meanwhile")
        return accepted
    raise service.best_refusal(refusals)


def _checked(call: Call, request: Accept, accepted: Acceptance) -> Acceptance:
    """Return an acceptance with the outcome of a check of its files as they would be.

    Raises SettingsError: it did not pass, which is recorded, or may not run.
    """
    root, files = accepted.root, {each.path: each.patched for each in accepted.changes}
    events = service.check_files(
        root.engine, files, accepted.overlay.patch, call.settings, cancel=call.cancel
    )
    answer = report_check(call, events, files, call.roots.whose(root.path))
    accepted = replace(accepted, check=str(answer["summary"]))
    if not answer["passed"]:
        _record(call, request, accepted, "stopped")
        lines = [*lines_of_check(answer)][:_MAX_LINES]
        raise SettingsError(NOT_WRITTEN + "\n".join(lines))
    return accepted


def _record(
    call: Call,
    request: Accept,
    accepted: Acceptance,
    decision: Literal["accepted", "stopped"],
    commit: str = "",
) -> None:
    record = service.Decision(
        decision=decision,
        by=_who(call, request.by),
        date=time.time(),
        reason=request.reason,
        verdict=accepted.verdict,
        base=_base(accepted.changes),
        commit=commit,
        check=accepted.check,
    )
    service.Overlays(accepted.root.engine.root).decide(accepted.overlay, record)


def record_acceptance(
    call: Call, request: Accept, accepted: Acceptance, in_editor: Sequence[str] = ()
) -> Json:
    """Commit if that is asked for, record it, and return the answer.

    Raises SettingsError: the files are written, but git did not commit them.
    """
    root, overlay, problem, commit = accepted.root, accepted.overlay, "", ""
    if request.commit:
        message = "\n\n".join(filter(None, (request.commit, _message(overlay))))
        try:
            commit = service.commit_changes(root.engine, message, accepted.changes)
        except SettingsError as failure:
            problem = str(failure)
    _record(call, request, accepted, "accepted", commit)
    if problem:
        raise SettingsError(f"the files are written, but not committed: {problem}")
    files = [
        {
            "path": each.path,
            "change": each.file.change,
            "merged": each.is_merged,
            "in_editor": each.path in in_editor,
        }
        for each in accepted.changes
    ]
    row = {"id": overlay.id, "status": "accepted", **call.roots.whose(root.path)}
    row |= {"files": files, "commit": commit, "hooks": [*accepted.hooks]}
    row |= {"verdict": accepted.verdict, "check": accepted.check}
    return {**row, "notes": root.engine.say_taken_back()}


def reject(call: Call, request: Reject) -> Json:
    """Take a proposal off the list, its reason kept. Raises SettingsError: there is none.

    Answer: `id` and `status`.
    """
    root, overlay = find_overlay(call, request.id)
    if not request.reason.strip():
        raise SettingsError("reason is empty; say why it is rejected, or discard it")
    decision = service.Decision(
        decision="rejected",
        by=_who(call, request.by),
        date=time.time(),
        reason=request.reason,
        verdict=_summary(root, overlay),
        base=overlay.base,
    )
    service.Overlays(root.engine.root).decide(_open_one(overlay), decision)
    return {"id": overlay.id, "status": "rejected"}


def _open_one(overlay: service.Overlay) -> service.Overlay:
    """Return an overlay. Raises SettingsError: it was decided on."""
    if not overlay.is_open:
        raise SettingsError(
            f"overlay '{overlay.id}' was {overlay.decisions[-1].decision} already; propose its"
            " diff again"
        )
    return overlay


def _base(changes: Sequence[service.FileChange]) -> dict[str, str]:
    return {each.path: service.text_digest(each.seen) for each in changes}


def _summary(root: service.Root, overlay: service.Overlay) -> str:
    """Return the verdict on an overlay in a line, "" where it does not apply as it is."""
    verdict = verdict_of_overlay(root, overlay).get("verdict")
    return str(verdict["summary"]) if isinstance(verdict, dict) else ""


def _message(overlay: service.Overlay) -> str:
    """Return the body of a commit: what the proposal is for, and whose."""
    by = f"Proposed-by: {safe_line(overlay.author)}" if overlay.author else ""
    trailers = "\n".join(filter(None, (f"Overlay: {overlay.id}", by)))
    return "\n\n".join(filter(None, (safe_line(overlay.message), trailers)))


def _who(call: Call, by: str) -> str:
    if call.is_agent:
        return f"agent {by}".rstrip()
    try:
        return by or getpass.getuser()
    except (KeyError, OSError):
        return ""


def _accepted_text(answer: Row) -> Text:
    units = []
    for file in rows_in(answer, "files"):
        merged = ", merged with your changes" if file["merged"] else ""
        where = ", in the editor: not saved" if file["in_editor"] else ""
        units.append(f"  {file['change']} {path_of({**answer, **file})}{merged}{where}")
    if answer["commit"]:
        ran = f"; hooks that ran: {', '.join(answer['hooks'])}" if answer["hooks"] else ""
        units.append(f"  commit {answer['commit']}{ran}")
    if answer["verdict"]:
        units.append(f"  verdict: {visible_line(answer['verdict'])}")
    if answer["check"]:
        units.append(f"  {visible_line(answer['check'])}")
    head = [f"overlay {answer['id']} is accepted"]
    return Text(head, units, "files", rows_in(answer, "notes"))


OPERATIONS = (
    Operation(
        "accept",
        "Accept a proposed patch",
        "Write the files of a proposed patch, all or none: into the editor where it has them open, "
        "else on the disk. Unsaved and uncommitted changes are never overwritten.",
        Accept,
        accept,
        _accepted_text,
        GROUP,
        writes=True,
        idempotent=False,
        by_name=True,
    ),
    Operation(
        "reject",
        "Reject a proposed patch",
        "Take a proposed patch off the list; it is kept with the reason.",
        Reject,
        reject,
        lambda answer: Text([f"overlay {answer['id']} is rejected"]),
        GROUP,
        writes=True,
        idempotent=False,
    ),
)
