"""`packhound/memory/NAME`: notes, written at a position, listed, shown, searched and deleted.

A request names a note by `id`, or code by `uri` and `position`; without them it is of all folders.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from packhound.api import MEMORY_REQUESTS, NOT_FOUND, Json, merge_notes
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer

Handler: TypeAlias = Callable[[PackhoundServer, Params], Json]


def memory_request(name: str) -> Handler:
    """Return the handler of `packhound/memory/NAME`."""
    if name in ("add", "episode"):
        return partial(_on_code, name)
    return partial(_in_all if name in ("list", "search") else _in_one, name)


def _on_code(name: str, ls: PackhoundServer, params: Params) -> Json:
    """Write a note or episode on the code at `uri` and `position`, or on that under `code`."""
    ls.session.wait_for_folders()
    engine = ls.session.workspace.engines[0]
    values = {key: v for key, v in params.items() if key not in ("uri", "position")}
    if params.get("uri") is not None:
        engine, path = ls.require_engine_path(params)
        if params.get("position") is not None:
            values["code"] = [f"{path}:{ls.session.documents.line_in(params) + 1}"]
    return MEMORY_REQUESTS[name](engine, values)


def _in_all(name: str, ls: PackhoundServer, params: Params) -> Json:
    """Return the notes of all folders, each with its root; with `uri` those on its code."""
    ls.session.wait_for_folders()
    answers = []
    for engine in ls.session.workspace.engines:
        answer = MEMORY_REQUESTS[name](engine, params)
        rows = answer["notes"]
        assert isinstance(rows, list)
        answers.append({**answer, "notes": [{**row, "root": str(engine.root)} for row in rows]})
    return merge_notes(name, params, answers)


def _in_one(name: str, ls: PackhoundServer, params: Params) -> Json:
    """Return the answer of the folder that has the note."""
    ls.session.wait_for_folders()
    for engine in ls.session.workspace.engines:
        answer = MEMORY_REQUESTS[name](engine, params)
        if answer.get("status") != NOT_FOUND:
            # A note, unlike a deletion, has code somewhere.
            return {**answer, "root": str(engine.root)} if "id" in answer else answer
    return {"status": NOT_FOUND}
