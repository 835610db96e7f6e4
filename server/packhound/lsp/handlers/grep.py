"""`packhound/grep`: pattern, regex?, case?, paths?, exclude?, count_only?, context?, query?, ..."""

from __future__ import annotations

from packhound.api import Json, grep_json, grep_request_from, grep_request_json
from packhound.grep import GrepGroup, GrepLine
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations
from packhound.lsp.roots import ask_folders
from packhound.service import Engine


def grep(ls: PackhoundServer, params: Params) -> Json:
    """Return the lines of all folders that match a pattern, by the definitions that hold them."""
    ls.session.wait_for_folders()
    request, cancelled = grep_request_from(params), ls.protocol.cancel_event()
    locations = Locations(ls.session)

    def locate(group: GrepGroup) -> Json:
        return locations.json(group.node) if group.node else {}

    def locate_line(group: GrepGroup, line: GrepLine) -> Json:
        return locations.line_json(group.node, line.number) if group.node else {}

    def ask(engine: Engine, arguments: Json) -> Json:
        results = engine.grep(grep_request_from(arguments), cancelled)
        return grep_json(results, locate, locate_line)

    return ask_folders(ls, "grep", grep_request_json(request), ask)
