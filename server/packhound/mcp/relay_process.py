"""The process that `packhound mcp` becomes: a relay between the agent and the background engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from packhound.core.user_folders import cache_folder
from packhound.relay import MCP_RELAY, command_line


def relay(
    roots: Sequence[Path], settings: Mapping[str, object], command: Sequence[str]
) -> NoReturn:
    """Replace this process by a relay, or by `command --alone REASON` where there is no engine."""
    session = json.dumps(
        {"roots": list(map(str, roots)), "started_in": str(Path.cwd()), "settings": dict(settings)}
    )
    alone = json.dumps([*command_line(), *command])
    # Without `site` and the environment it is the interpreter and the standard library alone.
    arguments = [sys.executable, "-S", "-E", "-s", str(MCP_RELAY)]
    arguments += [str(cache_folder().absolute()), session, alone]
    if sys.platform == "win32":
        sys.exit(subprocess.call(arguments))  # There a replaced process counts as ended.
    os.execv(sys.executable, arguments)
