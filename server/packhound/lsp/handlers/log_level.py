"""`packhound/logLevel` and `$/setTrace`: the log level of this process follows the client's."""

from __future__ import annotations

import logging

from lsprotocol import types

from packhound.core.log import log
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.params import text_in
from packhound.rpc import Params

_LEVELS = ("debug", "info", "warning", "error")


def log_level(ls: PackhoundServer, params: Params) -> None:
    """Set the level; one that is not known leaves it as it is."""
    if (level := text_in(params, "level")) in _LEVELS:
        log.setLevel(level.upper())


def set_trace(ls: PackhoundServer, params: types.SetTraceParams) -> None:
    """Log every step while the client traces all of its messages."""
    before, ls.session.is_traced = ls.session.is_traced, params.value == types.TraceValue.Verbose
    if ls.session.is_traced != before:
        log.setLevel(logging.DEBUG if ls.session.is_traced else logging.INFO)
