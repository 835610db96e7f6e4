"""Requests of other processes to the engine that serves a folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from packhound.api.json_codec import Json, query_of, results_json, settings_json
from packhound.api.pack_codec import pack_json
from packhound.api.schema import pack_request_from
from packhound.api.tools.registry import call
from packhound.service import Engine

# Requests of the command line, which are no tools of agents.
RESULTS, PACK, FORGET, CONFIG = "results", "packed", "forget", "config"


def answer(engine: Engine, name: str, arguments: dict[str, Any]) -> Json:
    """Run a request, or a tool of agents. Raises PackhoundError."""
    if name in _ANSWERS:
        return _ANSWERS[name](engine, arguments)
    return call(engine, name, arguments)


def _results(engine: Engine, arguments: dict[str, Any]) -> Json:
    return results_json(engine.search(query_of(arguments)))


def _pack(engine: Engine, arguments: dict[str, Any]) -> Json:
    return pack_json(engine.pack(pack_request_from(arguments)), contributions=True)


def _config(engine: Engine, arguments: dict[str, Any]) -> Json:
    return settings_json(engine.follow_settings())


def _forget(engine: Engine, arguments: dict[str, Any]) -> Json:
    engine.forget()
    return {}


_ANSWERS: dict[str, Callable[[Engine, dict[str, Any]], Json]] = {
    RESULTS: _results,
    PACK: _pack,
    FORGET: _forget,
    CONFIG: _config,
}
