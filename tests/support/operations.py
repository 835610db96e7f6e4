"""Operations as their fronts call them, on one engine."""

from __future__ import annotations

from packhound.operations import OPERATIONS, Call, answer, as_text, leave, pack_row
from packhound.operations.registry import read_request
from packhound.operations.rows import results_rows
from packhound.service import Roots

__all__ = ["OPERATIONS", "as_text", "call", "call_of", "memory", "request_of"]


def call_of(*engines, is_agent=True):
    """Return the call of an agent, or of an editor, about the folders of some engines."""
    settings = engines[0].follow_settings().settings
    return Call(Roots(engines), settings, is_agent=is_agent)


def call(engine, name, arguments):
    """Return the answer of an operation to an agent, once nothing is pending."""
    engine.settled(5)
    return answer(call_of(engine), name, arguments)


def memory(engine, name, values):
    """Return the answer of `memory/NAME` to a person."""
    return answer(call_of(engine, is_agent=False), f"memory/{name}", values)


def recall_note(engine, kind, name, limit):
    """Return the insight or stash of a name, else the nearest."""
    tool, field = ("pop", "name") if kind == "stash" else ("recall", "key")
    return answer(call_of(engine), tool, {field: name, "limit": limit})


def results_json(engine, results):
    """Return the results of an engine as rows."""
    call = call_of(engine)
    return leave(
        call.roots, results_rows(call.roots, results, len(results.hits) or 1, explain=True)
    )


def pack_json(packed, *, explain=False):
    """Return a pack of one folder as rows."""
    return pack_row(Roots([]), packed, "", explain=explain)


def request_of(name, values):
    """Return the checked request of an operation."""
    return read_request(name, values)
