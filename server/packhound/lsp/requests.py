"""Our own requests: check the params, ask the engine, write JSON.

They do not depend on which editor asks; the same functions are commands, for clients that can send
nothing else.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import TypeAlias

from pygls.exceptions import JsonRpcInvalidParams

from packhound.api.json_codec import Json, hit_json, results_json
from packhound.core.errors import Cancelled
from packhound.core.types import Focus, Query, Results
from packhound.lsp.hover import hover_text
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.languageserver import PackhoundServer
from packhound.lsp.packing import neighbors, pack
from packhound.lsp.params import flag_in, limit_in, line_in, object_in, query_of, uri_in
from packhound.lsp.places import Places
from packhound.lsp.session import Session

Answer: TypeAlias = Callable[[PackhoundServer, Params], object]

# How soon a waiting request notices that it was cancelled.
GLANCE_S = 0.05


def search(ls: PackhoundServer, params: Params) -> Json:
    """`packhound/search`: query, limit?, mode?, kinds?, languages?, paths?, focus?."""
    session = ls.session
    query = query_of(params, session.settings, _focus(session, object_in(params, "focus")))
    return results_json(find(ls, query), Places(session).json)


def explain(ls: PackhoundServer, params: Params) -> Json:
    """`packhound/explain`: the score of the node at a position, whether it is a result or not."""
    query = _query_or_last(ls.session, params)
    engine, path = ls.located(params)
    hit = engine.explain(query, path, line_in(params), ls.protocol.cancelled())
    text = hover_text(query.text, hit, markdown=True) if hit else None
    shown = hit_json(hit, Places(ls.session).json) if hit else None
    return {"query": query.text, "hit": shown, "markdown": text}


def related(ls: PackhoundServer, params: Params) -> Json:
    """`packhound/related`: nodes like the one at a position."""
    engine, path = ls.located(params)
    limit = limit_in(params, ls.session.settings.limit)
    results = engine.related(path, line_in(params), limit, ls.protocol.cancelled())
    return results_json(results, Places(ls.session).json)


def status(ls: PackhoundServer, params: Params) -> Json | Future[Json]:
    """`packhound/status`; with `wait` it answers when every document is in the index."""
    session, cancel = ls.session, ls.protocol.cancelled()
    session.wait_for_folders()
    if not flag_in(params, "wait"):
        return session.state()
    # Waiting takes as long as indexing does: it must not take a thread from searches.
    answer: Future[Json] = Future()
    waiting = threading.Thread(
        target=lambda: _answer_when_settled(session, cancel, answer), daemon=True
    )
    waiting.start()
    return answer


def rebuild(ls: PackhoundServer, params: Params) -> Json:
    """`packhound/rebuild`: forget the indexes and build them again, in the background."""
    ls.session.rebuild()
    return ls.session.state()


def picked(ls: PackhoundServer, params: Params) -> None:
    """`packhound/picked`: the user opened the result at a position."""
    place = ls.session.locate(uri_in(params))
    if place is not None:
        engine, path = place
        engine.picked(path, line_in(params))


def forget(ls: PackhoundServer, params: Params) -> None:
    """`packhound/forget`: forget what the user opened, edited and picked, in all folders."""
    for engine in ls.session.workspace.engines:
        engine.forget()


# Every request of ours. A new one is a function and a line here, and one more to be a command.
REQUESTS: dict[str, Answer] = {
    "packhound/search": search,
    "packhound/explain": explain,
    "packhound/related": related,
    "packhound/status": status,
    "packhound/rebuild": rebuild,
    "packhound/pack": pack,
    "packhound/neighbors": neighbors,
    "packhound/forget": forget,
}
COMMANDS: dict[str, Answer] = {
    "packhound.server.search": search,
    "packhound.server.explain": explain,
    "packhound.server.related": related,
    "packhound.server.status": status,
    "packhound.server.rebuild": rebuild,
    "packhound.server.pack": pack,
    "packhound.server.picked": picked,
    "packhound.server.forget": forget,
}


def as_command(name: str, answer: Answer) -> Callable[..., object]:
    """An answer as a command with one optional object; several or other things are refused."""

    def command(ls: PackhoundServer, *arguments: object) -> object:
        argument = arguments[0] if arguments else None
        if len(arguments) > 1 or not isinstance(argument, dict | None):
            raise JsonRpcInvalidParams(f"{name} takes one object or nothing")
        return answer(ls, argument or {})

    return command


def find(ls: PackhoundServer, query: Query) -> Results:
    """Search all folders, and remember the results for hovers."""
    cancel = ls.protocol.cancelled()
    ls.session.wait_for_folders()
    results = ls.session.workspace.search(query, cancel)
    if not cancel.is_set():
        ls.session.last = (query, results)
    return results


def _answer_when_settled(session: Session, cancel: threading.Event, answer: Future[Json]) -> None:
    try:
        while not session.workspace.settled(GLANCE_S):
            if cancel.is_set():
                raise Cancelled("cancelled")
        answer.set_result(session.state())
    except Exception as error:
        answer.set_exception(error)


def _query_or_last(session: Session, params: Params) -> Query:
    if params.get("query") is not None:
        return query_of(params, session.settings, None)
    if session.last is None:
        raise JsonRpcInvalidParams("'query' is missing, and nothing was searched yet")
    return replace(session.last[0], focus=None)


def _focus(session: Session, params: Params | None) -> Focus | None:
    if params is None:
        return None
    place = session.locate(uri_in(params))
    # An untitled document is a place to search from like any other, only without a path.
    if place is None:
        return None
    return Focus(place[1], line_in(params) if params.get("position") is not None else 0)
