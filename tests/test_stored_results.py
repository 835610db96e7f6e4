"""Published figures: each says of which code it is, and is found stale when that code changes."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
from pathlib import Path

import pytest

from benchmarks import stored, tables
from benchmarks.stored import FOLDER, RESULTS, Stored

_LINK = re.compile(r"\]\(([^)#]+\.json)\)")
_OF_OTHERS = ("nodes_ripgrep", "nodes_semble", "readers", "code_figures_before")
"""Figures of peers, judgements of people, and of another commit."""


def test_every_result_that_a_page_quotes_has_a_command() -> None:
    known = {(FOLDER / each.path).resolve() for each in RESULTS}
    pages = [*FOLDER.rglob("*.md"), FOLDER.parent / "README.md"]
    quoted = {
        (page.parent / link).resolve()
        for page in pages
        for link in _LINK.findall(page.read_text("utf-8"))
    }
    results = {path for path in quoted if path.is_relative_to(FOLDER)}
    assert len(results) > 20
    missing = {path.name for path in results - known}
    assert not {name for name in missing if not name.startswith(_OF_OTHERS)}


def test_tables_of_the_pages_are_those_of_the_results() -> None:
    pages = [page.read_text("utf-8") for page in tables.PAGES]
    assert all(f"<!-- table: {name} -->\n| " in "".join(pages) for name in tables.TABLES)
    assert pages == [*map(tables.with_tables, pages)], "run python -m benchmarks.tables"


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.path)
def test_what_a_result_depends_on_is_there(result: Stored) -> None:
    assert (FOLDER / result.path).is_file()
    assert importlib.util.find_spec(f"benchmarks.{result.command.split()[0]}")
    server = FOLDER.parent / "server" / "packhound"
    places = [server / name for name in result.packages]
    places += [FOLDER.parent / name for name in result.others]
    assert all(place.exists() for place in places)


def test_a_result_is_stale_once_its_code_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "server" / "packhound" / "redact" / "rules.py"
    source.parent.mkdir(parents=True)
    source.write_text("RULES = 1\n")
    (tmp_path / "unrelated.py").write_text("1\n")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *command], check=True)
    monkeypatch.setattr(stored, "ROOT", tmp_path)
    monkeypatch.setattr(stored, "FOLDER", tmp_path)
    result = Stored("shapes.json", "", ("redact",))
    monkeypatch.setattr(stored, "RESULTS", (result,))
    path = tmp_path / result.path

    stored.save(path, {"redacted": 0.9})
    assert stored.load(path) == stored.load_current(path) == {"redacted": 0.9}
    (tmp_path / "unrelated.py").write_text("2\n")
    assert not stored.state(result)[0]
    source.write_text("RULES = 2\n")
    assert stored.state(result)[0]
    assert stored.load(path) == {"redacted": 0.9} and stored.load_current(path) == {}
    path.write_text(json.dumps({"redacted": 0.9}))
    assert stored.state(result)[0]
