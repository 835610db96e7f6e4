"""`--html FILE`: the page of a pack, a status or a search, as a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import packhound
from tests.support.page import read_page, texts_of

COMMANDS = {
    "pack": ("pack", "unlock the door"),
    "status": ("status",),
    "search": ("search", "unlock the door"),
}
NAMED = {"pack": "open_door", "status": "2: 2 python", "search": "open_door"}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_is_written(tmp_path: Path, root: Path, name: str) -> None:
    file = tmp_path / "page.html"
    done = packhound(tmp_path, *COMMANDS[name], "--root", str(root), "--html", str(file))
    assert (done.returncode, done.stdout) == (0, "")
    assert f"wrote {file}" in done.stderr
    seen = read_page(file.read_text("utf-8"))
    assert NAMED[name] in "".join(texts_of(seen, "main"))


def test_what_does_not_go_together_is_refused(tmp_path: Path, root: Path) -> None:
    command = (*COMMANDS["pack"], "--root", str(root), "--html")
    missing = packhound(tmp_path, *command, str(tmp_path / "no" / "page.html"))
    assert missing.returncode == 2 and "No such file or directory" in missing.stderr
    both = packhound(tmp_path, *command, str(tmp_path / "page.html"), "--json")
    assert both.returncode == 2 and "--html goes with neither --json" in both.stderr
    search = (*COMMANDS["search"], "--root", str(root), "--also", "roof", "--html")
    further = packhound(tmp_path, *search, str(tmp_path / "page.html"))
    assert further.returncode == 2 and "nor --also" in further.stderr
    assert not (tmp_path / "page.html").exists()
