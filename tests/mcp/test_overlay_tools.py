"""Agents propose patches and ask as if they were applied, where the setting says so."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_files import Overrides
from packhound.mcp.folders import Folders
from packhound.mcp.server import _describe
from packhound.operations import OPERATIONS, as_text

DIFF = "--- /dev/null\n+++ b/hatch.py\n@@ -0,0 +1,2 @@\n+def open_hatch():\n+    return 1\n"


def test_the_group_offers_tools_and_an_argument(folder: Path) -> None:
    off = Overrides.of_command_line({"index.persist": False})
    on = Overrides.of_command_line({"index.persist": False, "mcp.tools": ["default", "overlays"]})
    with closing(Folders([folder], off)) as folders:
        tools = [_describe(each, folders, with_patch=False) for each in folders.operations]
        assert "propose" not in {tool["name"] for tool in tools}
        assert not any("patch" in tool["inputSchema"]["properties"] for tool in tools)
        with pytest.raises(SettingsError) as refusal:
            folders.call("offer", {})
        offered = ", ".join(operation.name for operation in folders.operations)
        assert str(refusal.value) == f"unknown tool 'offer'; expected one of: {offered}"
    with closing(Folders([folder], on)) as folders:
        tools = [_describe(each, folders, with_patch=True) for each in folders.operations]
        taking = {t["name"] for t in tools if "patch" in t["inputSchema"]["properties"]}
        assert taking == {each.name for each in OPERATIONS.values() if each.takes_patch} & {
            tool["name"] for tool in tools
        }
        assert {"propose", "overlays", "overlay", "discard_overlay"} <= {t["name"] for t in tools}
        proposed = folders.call("propose", {"diff": DIFF, "author": "agent"})
        found = folders.call("search", {"query": "open_hatch", "patch": proposed["id"]})
        assert as_text("search", found).count("+ hatch.py:1-2 function open_hatch") == 1
        assert folders.call("discard_overlay", {"id": proposed["id"]})["status"] == "discarded"


def test_an_agent_accepts_only_where_the_user_himself_has_named_the_tool(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    user_file, workspace_file = tmp_path / "config/packhound.toml", folder / ".packhound.toml"
    trusted = f"[folders]\ntrusted = ['{folder}']\n"
    off = Overrides.of_command_line({"index.persist": False})

    def is_offered() -> bool:
        with closing(Folders([folder], off)) as folders:
            names = {operation.name for operation in folders.operations}
            if "accept" not in names:
                with pytest.raises(SettingsError, match="'accept' is switched off; name it yours"):
                    folders.call("accept", {"proposal": DIFF})
                return False
            with pytest.raises(SettingsError, match="only a person may ask for it"):
                folders.call("accept", {"proposal": DIFF, "commit": "feat: open"})
            return folders.call("accept", {"proposal": DIFF})["status"] == "accepted"

    user_file.write_text(f"{trusted}[mcp]\ntools = ['default', 'overlays']\n")
    assert not is_offered()
    workspace_file.write_text("[mcp]\ntools = ['accept']\n")
    assert not is_offered()
    workspace_file.unlink()
    user_file.write_text("[mcp]\ntools = ['accept']\n")
    assert not (folder / "hatch.py").exists()
    assert is_offered()
    assert (folder / "hatch.py").read_text().startswith("def open_hatch")
