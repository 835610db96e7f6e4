"""Requests of other processes to the engine that serves a folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from packhound.api.grep_json import grep_json
from packhound.api.json_codec import Json, query_of, results_json, settings_json
from packhound.api.memory import MEMORY_REQUESTS
from packhound.api.pack_codec import pack_json
from packhound.api.schema import grep_request_from, pack_request_from
from packhound.api.tools.registry import call
from packhound.core.types import Results
from packhound.service import Engine

# Requests of the command line; some have the name of a tool of agents, which answers otherwise.
SEARCH, EXPLAIN, RELATED, STATUS = "cli/search", "cli/explain", "cli/related", "cli/status"
PACK, GREP, REBUILD = "cli/pack", "cli/grep", "cli/rebuild"
FORGET, CONFIG = "cli/forget", "cli/config"
MEMORY = "memory/"
"""Before the name of a request on notes."""

_FRESH_S = 2.0
"""Time for files that changed on disk to be read before an answer; then it says what is missing."""


def answer(engine: Engine, name: str, arguments: dict[str, Any]) -> Json:
    """Run a request, or a tool of agents. Raises PackhoundError."""
    if name not in (FORGET, CONFIG):
        # Nobody may watch the folder; an unchanged file costs one stat each.
        engine.refresh()
        engine.settled(_FRESH_S)
    if name in _ANSWERS:
        return _ANSWERS[name](engine, arguments)
    return call(engine, name, arguments)


def _search(engine: Engine, arguments: dict[str, Any]) -> Json:
    results = engine.search(query_of(arguments))
    return results_json(engine.sources.episodes.record_search(results))


def _pack(engine: Engine, arguments: dict[str, Any]) -> Json:
    return pack_json(engine.pack(pack_request_from(arguments)), contributions=True)


def _explain(engine: Engine, arguments: dict[str, Any]) -> Json:
    query = query_of(arguments)
    hit = engine.explain(query, str(arguments["path"]), int(arguments["line"]))
    hits = (hit,) if hit else ()
    generation = engine.snapshot.generation
    return results_json(Results(query.text, hits, False, generation, took_ms=0, candidates=0))


def _related(engine: Engine, arguments: dict[str, Any]) -> Json:
    path, line, limit = (arguments[name] for name in ("path", "line", "limit"))
    return results_json(engine.related(str(path), int(line), int(limit)))


def _status(engine: Engine, arguments: dict[str, Any]) -> Json:
    return asdict(engine.status(every_source=True))


def _grep(engine: Engine, arguments: dict[str, Any]) -> Json:
    return grep_json(engine.grep(grep_request_from(arguments)))


def _rebuild(engine: Engine, arguments: dict[str, Any]) -> Json:
    regenerate = bool(arguments["regenerate"])
    return {"rebuilt": [*engine.sources.rebuild(arguments["sources"], regenerate=regenerate)]}


def _config(engine: Engine, arguments: dict[str, Any]) -> Json:
    return settings_json(engine.follow_settings())


def _forget(engine: Engine, arguments: dict[str, Any]) -> Json:
    engine.forget()
    return {}


_ANSWERS: dict[str, Callable[[Engine, dict[str, Any]], Json]] = {
    SEARCH: _search,
    PACK: _pack,
    GREP: _grep,
    FORGET: _forget,
    CONFIG: _config,
    REBUILD: _rebuild,
    EXPLAIN: _explain,
    RELATED: _related,
    STATUS: _status,
    **{f"{MEMORY}{name}": request for name, request in MEMORY_REQUESTS.items()},
}
