"""`packhound/logLevel`: the level of this process's log lines follows the client's."""

from __future__ import annotations

import logging

from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.params import text_in

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
