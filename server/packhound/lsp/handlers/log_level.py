"""`packhound/logLevel` and `$/setTrace`: the log level of this process follows the client's."""

from __future__ import annotations

import logging

from lsprotocol import types

from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.params import text_in
from packhound.rpc import Params

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


def log_level(ls: PackhoundServer, params: Params) -> None:
    """Set the level; one that is not known leaves it as it is."""
    level = _LEVELS.get(text_in(params, "level"))
    if level is not None:
        logging.getLogger("packhound").setLevel(level)


def set_trace(ls: PackhoundServer, params: types.SetTraceParams) -> None:
    """Log every step while the client traces all of its messages."""
    before, ls.session.is_traced = ls.session.is_traced, params.value == types.TraceValue.Verbose
    if ls.session.is_traced != before:
        level = logging.DEBUG if ls.session.is_traced else logging.INFO
        logging.getLogger("packhound").setLevel(level)
