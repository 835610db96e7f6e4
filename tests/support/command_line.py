"""The command line as a process on a folder of two files."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.program import run_program

CODE = 'def open_door(key):\n    """Unlock the front door."""\n    return key.turn()\n'


def make_house(folder: Path) -> Path:
    """Write the folder that the tests search."""
    folder.mkdir()
    (folder / "door.py").write_text(CODE)
    (folder / "roof.py").write_text("def mend_roof():\n    return 'tiles'\n")
    return folder


def packhound(tmp_path: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    environment = {"PACKHOUND_CACHE_DIR": str(tmp_path / "cache"), "COLUMNS": "120"}
    return run_program(*arguments, env=environment, stdin=stdin)
