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
    if not result.command.startswith(stored.BY_HAND):
        module, *arguments = result.command.split()
        spec = importlib.util.find_spec(f"benchmarks.{module}")
        assert spec and spec.origin
        options = [each.partition("=")[0] for each in arguments if each.startswith("--")]
        program = Path(spec.origin).read_text("utf-8")
        assert all(f'"{option}"' in program for option in options)
        inputs = re.findall(r"\{(\w+)\}", result.command)
        assert {*inputs} <= {*stored.INPUTS, "out", "cache"}
    server = FOLDER.parent / "server" / "packhound"
    places = [server / name for name in result.packages]
    places += [FOLDER.parent / name for name in result.others]
    assert all(place.exists() for place in places)


def test_figures_measure_what_is_stale_and_say_what_they_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rules]]\nid = "box"\nregex = "box_[a-z0-9]{20}"\n')
    result = Stored("shapes.json", "packs.shapes {rules} {out}", ("",))
    by_hand = Stored("hand.json", f"{stored.BY_HAND} somehow", ("",))
    monkeypatch.setattr(stored, "FOLDER", tmp_path)
    monkeypatch.setattr(stored, "RESULTS", (result, by_hand))

    def figures(*options: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["figures", *options])
        with pytest.raises(SystemExit) as end:
            stored.main()
        return int(end.value.code or 0), capfd.readouterr().out

    assert figures("--stale", "--only", "shapes")[0] == 1
    code, printed = figures("--only", "shapes")
    assert code == 1 and "needs rules= (gitleaks' rules" in printed
    code, printed = figures("--only", "shapes", f"rules={rules}")
    assert code == 0 and "shapes.json: packs.shapes" in printed
    assert stored.load(tmp_path / "shapes.json")
    code, printed = figures("--only", "shapes")
    assert code == 0 and "shapes.json" not in printed
    code, printed = figures()
    assert code == 1 and "hand.json: by hand: somehow" in printed
    assert figures("rules")[0] == 2


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
    source.write_text('"""Rules."""\n\nRULES = 1  # One is enough.\n')
    assert not stored.state(result)[0]
    source.write_text("RULES = 2\n")
    assert stored.state(result)[0]
    assert stored.load(path) == {"redacted": 0.9} and stored.load_current(path) == {}
    path.write_text(json.dumps({"redacted": 0.9}))
    assert stored.state(result)[0]
