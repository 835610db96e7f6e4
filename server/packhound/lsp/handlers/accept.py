"""`packhound/accept`: what the editor has open it changes itself, the rest is written on the disk.

The editor's part is one edit, thus one step to undo, of the versions that were looked at. It saves
nothing. With a commit all goes to the disk, since that is what is committed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import replace
from typing import NamedTuple

from lsprotocol import types

from packhound import service
from packhound.core.errors import SettingsError
from packhound.core.types import Json, Span
from packhound.lsp.documents import OpenDocument
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.operations import arguments_of, call_of
from packhound.lsp.position import range_of_span
from packhound.operations import Acceptance, asked, check_acceptance, leave, record_acceptance
from packhound.redact import visible_line
from packhound.rpc import Params
from packhound.service import written
from packhound.text import LineIndex

_ANSWER_S, _SYNC_S, _POLL_S = 30.0, 5.0, 0.02
"""Seconds that the editor has for its edit, and then for telling us of it."""
_MARK = b"\xef\xbb\xbf"


class _OpenChange(NamedTuple):
    document: OpenDocument
    version: int
    change: service.FileChange
    text: bytes
    """The text in the editor when it was looked at."""


def accept(ls: PackhoundServer, params: Params) -> Json:
    """Write the files of a proposal. Raises SettingsError: nothing was written."""
    call, request, arguments, _ = asked(call_of(ls), "accept", arguments_of(ls, "accept", params))
    call = replace(call, roots=call.roots.select(str(arguments.get("root") or "")))
    accepted = check_acceptance(call, request, ls.session.documents)
    in_editor = [] if request.commit else _in_editor(ls, accepted)
    paths = [each.change.path for each in in_editor]
    on_disk = [each for each in accepted.changes if each.path not in paths]
    if stuck := [each.path for each in on_disk if each.is_unsaved]:
        raise SettingsError(
            f"nothing was written: unsaved changes in {visible_line(', '.join(stuck))}, which this"
            " editor cannot have changed from here: save them"
        )
    with written(accepted.root.engine, on_disk, [each.change for each in in_editor]):
        _edit(ls, in_editor)
    row = record_acceptance(call, request, accepted, paths)
    answer: Json = leave(call.roots, row, Locations(ls.session))
    return answer


def _in_editor(ls: PackhoundServer, accepted: Acceptance) -> list[_OpenChange]:
    """Return what the editor has open as it was looked at, and can change."""
    changes = list[_OpenChange]()
    if not ls.session.client.edits_documents:
        return changes
    for each in accepted.changes:
        document = ls.session.documents.text_of(accepted.root.engine, each.path)
        if document is None or each.seen is None or each.after in (None, each.seen):
            continue
        version, text = document.version, document.buffer.source
        if (
            text == each.seen.removeprefix(_MARK)
            and not each.file.mode
            and _is_utf8(each.after or b"")
        ):
            changes.append(_OpenChange(document, version, each, text))
    return changes


def _edit(ls: PackhoundServer, changes: Sequence[_OpenChange]) -> None:
    """Have the editor change its documents. Raises SettingsError: it did not."""
    if not changes:
        return
    edits = [
        types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(each.document.uri, each.version),
            _text_edits(ls, each),
        )
        for each in changes
    ]
    edit = types.WorkspaceEdit(document_changes=edits)
    params = types.ApplyWorkspaceEditParams(edit, "Accept a proposed patch")
    pending: Future[types.ApplyWorkspaceEditResult] = ls.workspace_apply_edit(params)
    try:
        answer = pending.result(_ANSWER_S)
    except FutureTimeout:
        raise SettingsError(f"the editor did not answer within {_ANSWER_S:g} s") from None
    except Exception as error:
        raise SettingsError(f"the editor refused: {visible_line(str(error))}") from None
    if not answer.applied:
        reason = visible_line(answer.failure_reason or "no reason given")
        raise SettingsError(f"the editor refused: {reason}")
    deadline = time.monotonic() + _SYNC_S
    while unchanged := [each for each in changes if each.document.buffer.source == each.text]:
        if time.monotonic() > deadline:
            names = ", ".join(each.change.path for each in unchanged)
            raise SettingsError(f"the editor did not change {visible_line(names)}")
        time.sleep(_POLL_S)


def _text_edits(ls: PackhoundServer, each: _OpenChange) -> list[types.TextEdit]:
    """Return the edits that lead from what the editor has to what shall be."""
    lines = LineIndex(each.text)
    edits = []
    for start, end, new in each.change.edits:
        span = Span(start, end, lines.line_of(start), lines.line_of(max(start, end - 1)))
        where = range_of_span(span, each.text, ls.session.client.encoding)
        edits.append(types.TextEdit(where, new.decode()))
    return edits


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
