"""Overlays: patches that somebody proposes, kept until somebody decides on them.

`propose` writes to the user's data folder; everything else only reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

import msgspec

from packhound import git, impact, service
from packhound.core.errors import SettingsError
from packhound.core.records import iso_date
from packhound.core.typed import about, sized
from packhound.operations import fields
from packhound.operations.breaks import break_lines, break_rows, unused_lines
from packhound.operations.operation import Call, Json, Operation, Request
from packhound.operations.rows import is_near_alone, link_row
from packhound.operations.text import Row, Text, path_of, rows_in, title
from packhound.redact import safe_line, visible_line, without_secrets

GROUP = "overlays"
MAX_PATCH = 5_000_000
_MAX_FILES, _MAX_TEXT = 10, 2_000
_SAID = ("by", "reason", "verdict", "check")
"""Words of somebody, or of a tool, in a decision."""

Patch = Annotated[str, sized("A diff, as `git diff` prints it.", MAX_PATCH, 1, of_bytes=True)]
Identity = Annotated[str, sized("Of an overlay, as `overlays` lists it.", 100, 1)]


class Propose(Request):
    """A patch, and who proposes it why."""

    diff: Patch
    message: Annotated[str, sized("What it is for.", 4_000)] = ""
    author: Annotated[fields.Word, about("Who proposes it.")] = ""
    max_tokens: fields.MaxTokens = 4_000


class ListOverlays(Request):
    """All of the folders."""

    all: Annotated[bool, about("Those that were decided on too.")] = False
    max_tokens: fields.MaxTokens = 4_000


class OverlayId(Request):
    """One overlay."""

    id: Identity
    max_tokens: fields.MaxTokens = 4_000


class EditOverlay(OverlayId, kw_only=True):
    """One overlay, and the patch that it shall be."""

    diff: Patch


class ShowOverlay(OverlayId):
    """One overlay, with the diff itself where it is asked for."""

    with_diff: Annotated[bool, about("Return the diff too.")] = False


def propose(call: Call, request: Propose) -> Json:
    """Keep a patch for the first folder to which it applies. Raises SettingsError: to none.

    Answer: The overlay, as it is shown.
    """
    data, refusals = service.patch_bytes(request.diff), []
    for root in call.roots:
        try:
            folder = root.engine.proposals.open(data).folder
        except SettingsError as refusal:
            refusals.append(refusal)
            continue
        overlay = service.Overlays(root.engine.root).add(
            request.diff, request.author, request.message, folder.base_digests()
        )
        return {**_row(call, root, overlay), **verdict_of_overlay(root, overlay)}
    raise service.best_refusal(refusals)


def edit(call: Call, request: EditOverlay) -> Json:
    """Replace the patch of an overlay. Raises SettingsError: it does not apply.

    Answer: The overlay, as it is shown.
    """
    root, overlay = find_overlay(call, request.id)
    folder = root.engine.proposals.open(service.patch_bytes(request.diff)).folder
    overlays = service.Overlays(root.engine.root)
    edited = overlays.edit(overlay, request.diff, folder.base_digests())
    return {**_row(call, root, edited), **verdict_of_overlay(root, edited)}


def list_(call: Call, request: ListOverlays) -> Json:
    """Return the overlays of all folders, the newest first, without their diffs.

    Answer: `overlays`, each as it is shown alone, without a verdict, and `notes`.
    """
    rows, notes = list[Json](), list[str]()
    for root in call.roots:
        root.engine.take_back()
        notes += root.engine.say_taken_back()
        kept = service.Overlays(root.engine.root).all(decided=request.all)
        rows += [_row(call, root, overlay) for overlay in kept]
    rows.sort(key=lambda row: str(row["created"]), reverse=True)
    return {"overlays": rows, "notes": notes}


def show(call: Call, request: ShowOverlay) -> Json:
    """Return one overlay. Raises SettingsError: there is none of that id.

    Answer: `id`, `author`, `message`, `created`, `decisions` on it (`decision`, `by`, `date`,
    `reason`, `commit`, and `verdict`, `check` and `base` digests as they were), whether it is still
    `open`, whether it `applies` to what the user sees, else the `problem`, and its `files` with
    `change`, lines `added` and `removed`, a digest of the text that it was proposed for as `base`,
    and whether they have `moved_on` since; `diff` where it was asked for. The `verdict` has a
    `summary` in a line, `syntax` (lines that do not parse), `unresolved` uses of names, `calls`
    with another number of arguments, types `lacking` a member that a base requires, `imports` that
    nothing provides, definitions `removed`, `callers` of what it changes, `tests` to run, `related`
    files that may change too and are not in it, `warnings` (secrets, CI, lock files), `records`
    (skills and episodes that concern it, of those sources that are on), and `refused_by`: HEAD or
    the disk, where it applies to what is not saved.
    """
    root, overlay = find_overlay(call, request.id)
    row = {**_row(call, root, overlay), **verdict_of_overlay(root, overlay)}
    if request.with_diff:
        row["diff"] = without_secrets(overlay.patch.decode("utf-8", "replace"))
    return row


def discard(call: Call, request: OverlayId) -> Json:
    """Delete one overlay. Raises SettingsError: there is none of that id.

    Answer: `id` and `status`.
    """
    root, overlay = find_overlay(call, request.id)
    service.Overlays(root.engine.root).discard(overlay.id)
    return {"id": overlay.id, "status": "discarded"}


def find_overlay(call: Call, identity: str) -> tuple[service.Root, service.Overlay]:
    """Return an overlay and its folder. Raises SettingsError: there is none of that id."""
    refusals = []
    for root in call.roots:
        try:
            return root, service.Overlays(root.engine.root).get(identity.removeprefix("overlay:"))
        except SettingsError as refusal:
            refusals.append(refusal)
    raise service.best_refusal(refusals)


def _row(call: Call, root: service.Root, overlay: service.Overlay) -> Json:
    """Return an overlay: who proposed it, whether it applies now, and the files that it changes."""
    row: Json = {
        "id": overlay.id,
        "author": safe_line(overlay.author),
        "message": safe_line(overlay.message),
        "created": iso_date(overlay.created),
        **call.roots.whose(root.path),
        "decisions": [
            {
                **msgspec.structs.asdict(each),
                "date": iso_date(each.date),
                **{name: safe_line(getattr(each, name)) for name in _SAID},
            }
            for each in overlay.decisions
        ],
        "open": overlay.is_open,
    }
    row |= {"applies": False, "problem": "", "files": []}
    if not overlay.is_open:
        return row
    try:
        folder = root.engine.proposals.open(overlay.patch).folder
    except SettingsError as refusal:
        return {**row, "problem": str(refusal)}
    now, renamed = folder.base_digests(), git.renamed_in(folder.patched)
    moved = {path for path, file in folder.patched.items() if file.old_path != path}
    copied = moved - renamed.keys()
    files = [
        {
            "path": file.path,
            "change": "copied" if file.path in copied else file.change,
            **({"old_path": file.old_path} if file.old_path != file.path else {}),
            "added": file.n_added,
            "removed": file.n_removed,
            "base": overlay.base.get(file.path, ""),
            "moved_on": now.get(file.path) != overlay.base.get(file.path),
        }
        for file in folder.patched.values()
        if file.path not in {*renamed.values()}
    ]
    return {**row, "applies": True, "files": files}


def verdict_of_overlay(root: service.Root, overlay: service.Overlay) -> Json:
    """Return what is known of an open overlay that applies, and nothing of another."""
    if not overlay.is_open:
        return {}
    try:
        proposal = root.engine.proposals.open(overlay.patch)
        verdict = service.verdict_of(root.engine, proposal, overlay.patch, _MAX_FILES)
    except SettingsError:
        return {}
    changes = verdict.changes
    rows: Json = {
        "syntax": [
            {"path": each.path, "line": each.line + 1, "text": safe_line(each.text)}
            for each in verdict.syntax
        ],
        **break_rows([(changes.breaks, {})]),
        "callers": [
            {**link_row(link), "calls": safe_line(definition.node.qualname)}
            for definition in changes.definitions
            for link in definition.callers[:_MAX_FILES]
        ],
        "tests": [_file_row(file) for file in changes.tests],
        "related": [_file_row(file) for file in changes.related],
        "warnings": [safe_line(warning) for warning in verdict.warnings],
        "records": [*_records(root, overlay, changes)],
        "refused_by": {k: safe_line(text) for k, text in verdict.refused_by.items()},
    }
    n_uses = sum(len(definition.callers) for definition in changes.definitions)
    return {"verdict": {"summary": _summary(rows, len(changes.definitions), n_uses), **rows}}


def _records(
    root: service.Root, overlay: service.Overlay, changes: impact.ChangeSet
) -> Iterator[Json]:
    """Yield the skills and episodes that concern a patch, of those sources that are on."""
    names = (each.node.qualname for each in changes.definitions)
    text = " ".join((overlay.message, *names))[:_MAX_TEXT]
    engine = root.engine
    near = service.records_near(text, ("skills", "episodes"), engine.index.settings, engine.search)
    for record in (record for best in near.values() for record in best):
        yield {
            "type": record.type,
            "reference": record.reference,
            "title": safe_line(record.title),
            "date": iso_date(record.date),
            "result": safe_line(str(record.metadata.get("result", ""))),
        }


def _file_row(file: impact.RelatedFile) -> Json:
    return {"path": file.path, "chance": round(file.chance, 3), "reasons": list(file.reasons)}


def _summary(verdict: Row, n_definitions: int, n_uses: int) -> str:
    """Return the verdict in one line, the worst first."""
    counted = (
        ("syntax", "line that does not parse", "lines that do not parse"),
        ("unresolved", "use of a name that resolves no more", "uses of names that resolve no more"),
        ("calls", "call with another number of arguments", "calls with other numbers of arguments"),
        ("lacking", "type that lacks a member", "members that types lack"),
        ("imports", "import that nothing provides", "imports that nothing provides"),
        ("warnings", "warning", "warnings"),
    )
    clauses = [
        f"{len(verdict[key]):,} {singular if len(verdict[key]) == 1 else plural}"
        for key, singular, plural in counted
        if verdict[key]
    ]
    clauses = clauses or ["no break is known"]
    n_tests = len(verdict["tests"])
    changed = f"{n_definitions:,} definition{'s' * (n_definitions != 1)}"
    clauses.append(f"changes {changed}, used by {n_uses:,}")
    tests = f"{n_tests:,} test{'s' * (n_tests != 1)} to run"
    tests = f"at least {tests}" if n_tests == _MAX_FILES else tests
    clauses.append(tests if n_tests else "no test is known that reaches it")
    clauses += [f"does not apply to {name}" for name in verdict["refused_by"]]
    return "; ".join(clauses)


def _listed_text(answer: Row) -> Text:
    units = ["\n".join(_lines(row)) for row in rows_in(answer, "overlays")]
    head = () if units else ("no overlays are open; `all` lists those that were decided too",)
    return Text(head, units, "overlays", rows_in(answer, "notes"))


def _shown_text(answer: Row) -> Text:
    if "files" not in answer:
        return Text([f"overlay {answer['id']} is {answer['status']}"])
    head, *units = _lines(answer)
    units += _verdict_lines(answer)
    units += [visible_line(line) for line in str(answer.get("diff", "")).splitlines()]
    return Text([head], units, "lines", rows_in(answer, "notes"))


def _lines(row: Row) -> Iterator[str]:
    """Yield who proposed an overlay, whether it applies, and its files, a line each."""
    by = f" by {row['author']}" if row["author"] else ""
    message = f": {row['message']}" if row["message"] else ""
    yield visible_line(f"overlay {row['id']}{by}, {row['created']}{message}")
    for each in row["decisions"]:
        reason = f": {each['reason']}" if each["reason"] else ""
        commit = f", commit {each['commit'][:10]}" if each["commit"] else ""
        yield visible_line(f"  {each['decision']} by {each['by']}, {each['date']}{commit}{reason}")
        if each["check"]:
            yield visible_line(f"    {each['check']}")
    if row["open"] and not row["applies"]:
        yield visible_line(f"  does not apply any more: {row['problem']}")
    for file in row["files"]:
        old = f" {path_of({**row, 'path': file['old_path']})} to" if "old_path" in file else ""
        moved = ", which has changed since" if file["moved_on"] else ""
        counts = f"+{file['added']:,} -{file['removed']:,}"
        yield f"  {file['change']}{old} {path_of({**row, **file})} {counts}{moved}"


def _verdict_lines(answer: Row) -> Iterator[str]:
    """Yield the verdict: the summary, then each place with its line."""
    verdict = answer.get("verdict")
    if verdict is None:
        return
    yield f"verdict: {visible_line(verdict['summary'])}"
    for row in verdict["syntax"]:
        yield f"  does not parse: {path_of({**answer, **row})}:{row['line']}  {row['text']}"
    yield from break_lines(verdict)
    for warning in verdict["warnings"]:
        yield f"  warning: {visible_line(warning)}"
    for row in verdict["records"]:
        result = f", {row['result']}" if row["result"] else ""
        reference = f"({row['date']}, {row['reference']})"
        yield visible_line(f"  {row['type']} {row['title']}{result} {reference}")
    for name, refusal in verdict["refused_by"].items():
        yield f"  not on {name}: {visible_line(refusal)}"
    yield from unused_lines(verdict)
    for row in verdict["callers"]:
        yield f"  {visible_line(row['calls'])} is used by {title(row)}, line {row['line']:,}"
    files = [("test to run", row) for row in verdict["tests"]]
    related = sorted(verdict["related"], key=is_near_alone)
    files += [("only near" if is_near_alone(row) else "may change too", row) for row in related]
    for words, row in files:
        reasons = ", ".join(row["reasons"])
        yield visible_line(f"  {words}: {path_of({**answer, **row})} ({reasons})")


_SHOW = Operation(
    "overlay",
    "Show an overlay",
    "Whether a proposed patch applies, and what it changes.",
    ShowOverlay,
    show,
    _shown_text,
    GROUP,
)
OPERATIONS = (
    Operation(
        "propose",
        "Propose a patch",
        "Keep a patch as an overlay, to search and review the code as if it were applied; "
        "no file of the workspace is written.",
        Propose,
        propose,
        _shown_text,
        GROUP,
        writes=True,
        instead="Give its id as `patch` to search, grep, symbol, changes, outline, related, pack "
        "and read_node.",
    ),
    Operation(
        "overlays",
        "List overlays",
        "The patches that were proposed.",
        ListOverlays,
        list_,
        _listed_text,
        GROUP,
    ),
    _SHOW,
    replace(
        _SHOW,
        name="edit_overlay",
        title="Edit an overlay",
        description="Replace the diff of a proposed patch, which keeps its id.",
        request=EditOverlay,
        run=edit,
        writes=True,
    ),
    replace(
        _SHOW,
        name="discard_overlay",
        title="Discard an overlay",
        description="Forget a proposed patch.",
        request=OverlayId,
        run=discard,
        writes=True,
    ),
)
