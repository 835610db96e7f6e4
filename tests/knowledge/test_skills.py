"""Skills: SKILL.md in its open format, and recorded skills with their success."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.types import Query
from packhound.service import Engine, notes_folder
from tests.support.operations import as_text, call
from tests.support.project import write_files

PDF = """---
name: pdf-forms
description: >
  Fill in the fields of PDF forms
  and flatten them.
license: MIT
---

Run `fill.py` with the fields as JSON.
"""


def read(engine: Engine, root: Path, files: dict[str, str]) -> None:
    write_files(root, files)
    engine.refresh()
    assert engine.settled(60)


def names(engine: Engine, text: str, **query: object) -> list[str]:
    results = engine.search(Query(text, types=("skill",), **query))  # type: ignore[arg-type]
    return [hit.record.id for hit in results.hits if hit.record]


def test_a_skill_is_found_by_its_description(engine: Engine, root: Path) -> None:
    read(engine, root, {".agents/skills/pdf-forms/SKILL.md": PDF})
    [hit] = engine.search(Query("complete a document form", types=("skill",))).hits
    assert hit.record is not None
    assert hit.record.title == "pdf-forms: Fill in the fields of PDF forms and flatten them."
    assert (hit.source, hit.node.kind) == ("skills", "skill")
    assert hit.record.metadata["license"] == "MIT"
    assert hit.record.text == "Run `fill.py` with the fields as JSON."
    [same] = engine.search(Query("complete a document form type:reasoning")).hits
    assert same.record == hit.record


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (PDF.replace("pdf-forms", "PDF forms"), "name 'PDF forms' must be 1 to 64"),
        (PDF.replace("pdf-forms", "other"), "must be that of its folder, 'pdf-forms'"),
        (PDF.replace("Fill in", "x" * 1_100), "must have 1 to 1,024"),
        ("# No front matter\n", "it must begin with '---'"),
    ],
)
def test_a_skill_that_breaks_the_format_is_named(
    engine: Engine, root: Path, text: str, problem: str
) -> None:
    read(engine, root, {"skills/pdf-forms/SKILL.md": text})
    results = engine.search(Query("pdf", types=("skill",)))
    assert not results.hits
    [note] = [note for note in results.notes if problem in note]
    assert "skills/pdf-forms/SKILL.md" in note


def test_recorded_skills_are_found_and_uses_counted(engine: Engine) -> None:
    skill = {
        "name": "fix flaky test",
        "preconditions": ["a test fails now and then"],
        "steps": ["freeze the clock", "run it a hundred times"],
        "verification": ["no failure in a hundred runs"],
        "tags": ["tests"],
        "success_score": 1.0,
    }
    first = call(engine, "record_skill", skill)
    assert (first["usage_count"], first["success_score"]) == (1, 1.0)
    again = call(engine, "record_skill", {"name": "fix flaky test", "success_score": 0.5})
    assert (again["usage_count"], again["success_score"]) == (2, 0.75)
    assert again["steps"] == ("freeze the clock", "run it a hundred times")
    assert names(engine, "unstable tests") == ["recorded-fix flaky test"]
    assert names(engine, "", tags=("tests",)) == ["recorded-fix flaky test"]
    assert names(engine, "", tags=("other",)) == []
    text = as_text("skills", call(engine, "skills", {"query": "unstable tests"}))
    assert "freeze the clock" in text


def test_what_fails_more_often_than_not_is_kept_and_not_found(engine: Engine) -> None:
    call(engine, "record_skill", {"name": "guess", "success_score": 0.49})
    call(engine, "record_skill", {"name": "guess well", "success_score": 0.5})
    assert names(engine, "guess") == ["recorded-guess well"]
    lines = (notes_folder(engine.root) / "skills.jsonl").read_text().splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["guess", "guess well"]


def test_no_use_is_lost_where_two_processes_record_at_once(engine: Engine) -> None:
    path = notes_folder(engine.root) / "skills.jsonl"
    code = (
        "import sys, pathlib\nfrom packhound.knowledge import record_skill\n"
        "for _ in range(20): record_skill(pathlib.Path(sys.argv[1]), {'name': 'both'})\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    children = [subprocess.Popen(command) for _ in range(2)]
    assert [child.wait(120) for child in children] == [0, 0]
    assert call(engine, "record_skill", {"name": "both"})["usage_count"] == 41


def test_a_broken_line_is_named_and_skipped(engine: Engine) -> None:
    call(engine, "record_skill", {"name": "good"})
    path = notes_folder(engine.root) / "skills.jsonl"
    with path.open("a") as file:
        file.write('{"name": "bad", "success_score": 7}\n{"name": "cut')
    call(engine, "record_skill", {"name": "after"})
    results = engine.search(Query("", types=("skill",)))
    assert {hit.node.name for hit in results.hits} == {"good", "after"}
    assert [note for note in results.notes if "line 2 is skipped: 'success_score'" in note]
    assert [note for note in results.notes if "line 3 is skipped" in note]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_bad_field_is_named(engine: Engine) -> None:
    with pytest.raises(SettingsError, match=r"success_score.*between 0 and 1"):
        call(engine, "record_skill", {"name": "x", "success_score": 2})
