"""Agents propose patches and ask as if they were applied, where the setting says so."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from packhound.core.settings_files import Overrides
from packhound.mcp.folders import Folders
from packhound.mcp.server import _describe
from packhound.operations import OPERATIONS, as_text

DIFF = "--- /dev/null\n+++ b/hatch.py\n@@ -0,0 +1,2 @@\n+def open_hatch():\n+    return 1\n"


def test_the_group_offers_tools_and_an_argument(folder: Path) -> None:
    off = Overrides.of_command_line({"index.persist": False})
    on = Overrides.of_command_line({"index.persist": False, "mcp.tools": ["default", "overlays"]})
    with closing(Folders([folder], off)) as folders:
        tools = [_describe(operation, folders) for operation in folders.operations]
        assert "propose" not in {tool["name"] for tool in tools}
        assert not any("patch" in tool["inputSchema"]["properties"] for tool in tools)
    with closing(Folders([folder], on)) as folders:
        tools = [_describe(operation, folders) for operation in folders.operations]
        taking = {t["name"] for t in tools if "patch" in t["inputSchema"]["properties"]}
        assert taking == {each.name for each in OPERATIONS.values() if each.takes_patch} & {
            tool["name"] for tool in tools
        }
        assert {"propose", "overlays", "overlay", "discard_overlay"} <= {t["name"] for t in tools}
        proposed = folders.call("propose", {"diff": DIFF, "author": "agent"})
        found = folders.call("search", {"query": "open_hatch", "patch": proposed["id"]})
        assert as_text("search", found).count("+ hatch.py:1-2 function open_hatch") == 1
        assert folders.call("discard_overlay", {"id": proposed["id"]})["status"] == "discarded"
