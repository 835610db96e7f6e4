"""The pages of `--html` in a real browser: nothing is asked for, all is legible and reachable."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.program import run_program
from tests.support.vscode import drive

pytestmark = pytest.mark.editors

COMMANDS = {
    "pack": ("pack", "where is a parcel weighed, and what is its price", "--budget", "2000"),
    "status": ("status",),
    "search": ("search", "price of a parcel"),
}


def test_pages_in_a_browser(node: str, workspace: Path, tmp_path: Path, pictures: Path) -> None:
    pages = {name: tmp_path / f"page-of-{name}.html" for name in COMMANDS}
    for name, command in COMMANDS.items():
        env = {"PACKHOUND_CACHE_DIR": str(tmp_path / "cache")}
        arguments = (*command, "--root", str(workspace), "--html", str(pages[name]))
        assert run_program(*arguments, env=env).returncode == 0
    report = tmp_path / "report.json"
    files = [str(file) for file in pages.values()]
    config = {"pages": files, "pictures": str(pictures), "report": str(report)}
    done = drive(node, "pages.mjs", tmp_path, **config)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(report.read_text())
    assert [row["file"] for row in rows] == [file for file in files for _ in range(2)]
    backgrounds = {row["colorScheme"]: row["background"] for row in rows}
    assert backgrounds["light"] != backgrounds["dark"]
    for row in rows:
        assert row["requests"] == [f"file://{row['file']}"]
        assert (row["messages"], row["faint"]) == ([], [])
        assert row["overflow"] == 0
        assert row["reached"] == row["wanted"] > 0
