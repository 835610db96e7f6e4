"""The VS Code extension's own checks, and the drivers of a real VS Code beside its tests."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.support.editor_clients import CHECKOUT, CLIENTS, EDITORS, missing

EXTENSION = CHECKOUT / "vscode-extension"
# An editor on a busy machine; a test never waits this long where nothing is wrong.
PATIENCE_S = 1800
AUTO_SAVE = {"files.autoSave": "afterDelay", "files.autoSaveDelay": 50}
QUIET = {
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "editor.minimap.enabled": False,
    "workbench.colorTheme": "Default Dark Modern",
}


def npm(*arguments: str) -> str:
    if not (EXTENSION / "node_modules").is_dir() or not shutil.which("npm"):
        missing("the extension's node_modules")
    done = subprocess.run(
        ["npm", *arguments], cwd=EXTENSION, capture_output=True, text=True, timeout=PATIENCE_S
    )
    # Of node's tests, in TAP, what failed comes anywhere.
    failed = re.findall(
        r"^ *not ok .*(?:\n(?! *(?:ok|# Subtest)).*){0,20}", done.stdout, re.MULTILINE
    )
    printed = "\n".join([*failed[:5], done.stdout[-3000:], done.stderr[-3000:]])
    assert done.returncode == 0, printed
    return done.stdout


def drive(
    node: str,
    script: str,
    tmp_path: Path,
    path: str | None = None,
    patience_s: int = PATIENCE_S,
    **config: object,
) -> subprocess.CompletedProcess:
    """Runs one of the drivers of `tests/editors/vscode` with its configuration."""
    config_file = tmp_path / "drive.json"
    config_file.write_text(json.dumps({"clients": str(CLIENTS), **config}))
    return subprocess.run(
        [node, EDITORS / "vscode" / script, config_file],
        capture_output=True,
        text=True,
        timeout=patience_s,
        env={**os.environ, "PATH": path or os.environ["PATH"]},
    )
