"""`packhound/grep`: pattern, regex?, case?, paths?, exclude?, count_only?, context?, query?, ..."""

from __future__ import annotations

from packhound.api import Json, grep_json, grep_request_from
from packhound.grep import GrepGroup, GrepLine
from packhound.lsp.jsonrpc.frames import Params
from packhound.lsp.language_server import PackhoundServer
from packhound.lsp.locations import Locations


def grep(ls: PackhoundServer, params: Params) -> Json:
    """Return the lines of all folders that match a pattern, by the definitions that hold them."""
    ls.session.wait_for_folders()
    request = grep_request_from(params)
    results = ls.session.workspace.grep(request, ls.protocol.cancel_event())
    locations = Locations(ls.session)

    def locate(group: GrepGroup) -> Json:
        return locations.json(group.node) if group.node else {}

    def locate_line(group: GrepGroup, line: GrepLine) -> Json:
        return locations.line_json(group.node, line.number) if group.node else {}

    return grep_json(results, locate, locate_line)
