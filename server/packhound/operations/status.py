"""`status`: what is indexed, and whether anything is pending."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from packhound import service
from packhound.core.records import iso_date
from packhound.core.settings import Settings
from packhound.core.status import EncoderState, State, Status, total_reading
from packhound.core.typed import about
from packhound.operations import fields
from packhound.operations.operation import Call, Json, Operation, Page, Request
from packhound.operations.page_of_status import page_of_status
from packhound.operations.rows import readiness
from packhound.operations.text import Row, Text, rows_in
from packhound.pack import price
from packhound.redact import safe_line, visible_line

_BY_URGENCY: tuple[State, ...] = ("indexing", "starting", "degraded", "ready", "off", "closed")
_ENCODER_BY_URGENCY: tuple[EncoderState, ...] = (
    "failed",
    "missing",
    "loading",
    "encoding",
    "ready",
    "off",
)
"""The states to show when several folders differ."""
_SUMS = (
    *("generation", "pending", "files", "nodes", "vectors"),
    *("pending_vectors", "failed_vectors", "disk_bytes"),
)
_MAX_FOLDERS = 50
"""From so many on none is split."""


class StatusOf(Request):
    """Nothing that must be said."""

    sources: Annotated[bool, about("Count all sources that are on, not only those in use.")] = False
    skipped: Annotated[
        bool, about("List the files that are not searched, each with the reason.")
    ] = False
    costs: Annotated[
        bool, about("Count the tokens of packs and of answers to agents, by folder and day.")
    ] = False
    folders: Annotated[
        bool, about("Count files and definitions by folder, and the memory in use.")
    ] = False
    max_tokens: fields.MaxTokens = 4_000


def run(call: Call, request: StatusOf) -> Json:
    """Return the state of a folder, of several as one with each under `roots`.

    Answer: `state`, `pending`, `files`, `nodes`, `sources` and more; of several folders the sum,
    and each under `roots`.
    """
    statuses = [root.engine.status(every_source=request.sources) for root in call.roots]
    row = status_row(statuses[0]) if len(statuses) == 1 else workspace_row(statuses)
    if request.skipped:
        row["skipped_files"] = [
            {**call.roots.whose(root.path), "path": safe_line(path), "reason": reason}
            for root in call.roots
            for path, reason in sorted(root.engine.left_out.files.items())
        ]
    if request.folders:
        row["memory_bytes"] = _resident_bytes()
        folders, left_out = list[Json](), list[Json]()
        for root in call.roots:
            whose = call.roots.whose(root.path)
            folders += [{**whose, **each} for each in _folders_of(root)]
            left_out += [{**whose, **each._asdict()} for each in root.engine.left_out.rows]
        row |= {"folders": folders, "left_out": left_out}
    if request.costs:
        row["costs"] = [each for root in call.roots for each in _costs_of(root, call.settings)]
    return row


def _folders_of(root: service.Root) -> Iterator[Json]:
    """Yield globs that share all files out, the largest folders split first, by definitions."""
    sizes = {path: len(file.node_ids) for path, file in root.engine.snapshot.files.items()}
    folders_left, shares = {"": list(sizes)}, dict[str, list[str]]()
    while folders_left and len(folders_left) + len(shares) < _MAX_FOLDERS:
        folder = max(folders_left, key=lambda each: sum(map(sizes.__getitem__, folders_left[each])))
        prefix, direct = f"{folder}/" if folder else "", list[str]()
        files = folders_left.pop(folder)
        for path in files:
            inner, slash, _ = path[len(prefix) :].partition("/")
            (folders_left.setdefault(prefix + inner, []) if slash else direct).append(path)
        if direct:
            shares[f"{prefix}*" + "*" * (len(direct) == len(files))] = direct
    shares |= {f"{folder}/**": paths for folder, paths in folders_left.items()}
    rows = [
        (glob, len(paths), sum(map(sizes.__getitem__, paths))) for glob, paths in shares.items()
    ]
    for glob, n_files, n_nodes in sorted(rows, key=lambda row: (-row[2], row[0])):
        yield {"path": safe_line(glob), "files": n_files, "nodes": n_nodes}


def _resident_bytes() -> int | None:
    """Return the memory of this process without that of its parsers; None but on Linux."""
    try:
        n_pages = int(Path("/proc/self/statm").read_text().split()[1])
        return n_pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None


def _costs_of(root: service.Root, settings: Settings) -> Iterator[Json]:
    """Yield the tokens of a folder for each day, the newest first, and what reading them costs."""
    model = settings.pack.model
    for day, count in sorted(root.engine.token_counts.days().items(), reverse=True):
        usd = price(model, count.tokens)
        cost = None if usd is None else {"model": model, "usd": usd}
        yield {"root": root.path, "date": day, **count._asdict(), "cost": cost}


def status_row(status: Status) -> Json:
    """Return the state of one folder's index."""
    row = asdict(status)
    del row["reading"]
    return {
        **row,
        **readiness(status.reading),
        "encoder_problem": safe_line(status.encoder_problem),
        "notes": list(status.notes),
        "sources": [
            {**row._asdict(), "changed": iso_date(row.changed), "problems": list(row.problems)}
            for row in status.sources
        ],
    }


def workspace_row(statuses: Sequence[Status], notes: Sequence[str] = ()) -> Json:
    """Return the state of all folders as one, and of each under `roots`."""
    languages, kinds = Counter[str](), Counter[str]()
    for status in statuses:
        languages.update(status.languages)
        kinds.update(status.kinds)
    recalls = [status.recall for status in statuses if status.recall is not None]
    sums = {name: sum(getattr(status, name) for status in statuses) for name in _SUMS}
    all_notes = dict.fromkeys([*notes, *(note for s in statuses for note in s.notes)])
    return {
        "state": min((s.state for s in statuses), key=_BY_URGENCY.index, default="ready"),
        **sums,
        **readiness(total_reading([s.reading for s in statuses])),
        "languages": dict(languages.most_common()),
        "kinds": dict(kinds.most_common()),
        "encoder": min((s.encoder for s in statuses), key=_ENCODER_BY_URGENCY.index, default="off"),
        "encoder_problem": next((s.encoder_problem for s in statuses if s.encoder_problem), ""),
        "dead_share": max((s.dead_share for s in statuses), default=0.0),
        "recall": min(recalls, default=None),
        "notes": list(all_notes),
        "roots": [status_row(status) for status in statuses],
    }


def text(answer: Row) -> Text:
    """Return the answer as JSON, or a line for each folder where that does not fit."""
    brief = [
        f"{visible_line(state['root'])}: {state['state']}, {state['pending']:,} pending, "
        f"{state['files']:,} files, {state['nodes']:,} nodes"
        for state in rows_in(answer, "roots") or [answer]
    ]
    return Text([json.dumps(answer)], brief=brief)


OPERATION = Operation(
    "status",
    "Status",
    "What is indexed, and whether anything is pending.",
    StatusOf,
    run,
    text,
    unlisted="sources skipped costs folders max_tokens",
    instead="Answers of search and others say it too where it matters.",
    lists=True,
    page=Page(page_of_status, {"folders": True, "skipped": True}),
)
