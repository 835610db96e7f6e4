"""Extractors of an installed package: `tests/fixtures/example-plugin`, installed into a folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command_line import packhound

BLOCKS = """\
resource "bucket" archive {
  # where invoices rest
  rule expiry {
    days = 30
  }
}
"""
TRANSLATIONS = 'msgid "churn of customers"\nmsgstr "Abwanderung"\n\nmsgid "fit"\nmsgstr "passend"\n'

Run = Callable[..., dict]


@pytest.fixture
def run(tmp_path: Path, root: Path, installed: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    paths = [str(installed), *sys.path]
    monkeypatch.setenv("PYTHONPATH", ":".join(path for path in paths if path))
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path))
    (root / "main.hcl").write_text(BLOCKS)
    (root / "de.po").write_text(TRANSLATIONS)

    def run(*arguments: str) -> dict:
        done = packhound(tmp_path, *arguments, "--root", str(root), "--json")
        assert done.returncode == 0, done.stderr
        answer: dict = json.loads(done.stdout)
        return answer

    return run


@pytest.fixture
def choose(tmp_path: Path) -> Callable[..., None]:
    def choose(*names: str) -> None:
        (tmp_path / "packhound.toml").write_text(f"index.extractors = {json.dumps(names)}\n")

    return choose


def nodes(answer: dict) -> list[tuple[str, str, int, int]]:
    return [
        (hit["kind"], hit["qualname"], hit["start_line"], hit["end_line"]) for hit in answer["hits"]
    ]


def test_the_nodes_of_an_extractor_are_found_shown_and_packed(run: Run, choose) -> None:
    assert nodes(run("search", "lang:hcl")) == []
    choose("hcl", "messages")
    assert nodes(run("search", "lang:hcl")) == [
        ("section", "archive", 1, 6),
        ("section", "expiry", 3, 5),
    ]
    best = run("search", "where invoices rest")["hits"][0]
    assert (best["path"], best["qualname"]) == ("main.hcl", "archive")
    assert run("show", "main.hcl#expiry")["text"].startswith("  rule expiry {")
    assert "where invoices rest" in run("pack", "where invoices rest")["text"]


def test_a_text_is_searched_in_place_of_the_file(run: Run, choose) -> None:
    assert run("search", "churn of customers", "--mode", "lexical")["hits"] == []
    choose("messages")
    hits = run("search", "churn of customers", "--mode", "lexical")["hits"]
    assert [(hit["path"], hit["kind"]) for hit in hits] == [("de.po", "window")]
    assert not run("search", "passend", "--mode", "lexical")["hits"]


def test_another_choice_reads_the_folder_again(run: Run, choose) -> None:
    choose("hcl")
    assert run("status")["languages"] == {"python": 2, "hcl": 1}
    assert "another version" not in str(run("status")["notes"])
    choose()
    status = run("status")
    assert status["languages"] == {"python": 2, "text": 1}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "a line",
            "extractor 'hostile' of packhound-example-plugin 1.2.0 failed (SettingsError: lines 1",
        ),
        ("hang", "extractor 'hostile' of packhound-example-plugin 1.2.0 took longer than 2 s"),
        (
            "exit",
            "extractor 'hostile' of packhound-example-plugin 1.2.0 needed too much memory, or",
        ),
    ],
)
def test_an_extractor_that_fails_is_named_and_the_file_is_still_found(
    run: Run, choose, root: Path, text: str, reason: str
) -> None:
    (root / "evil.hostile").write_text(f"the zebra {text}s\n")
    choose("hostile", "hcl")
    assert run("search", "zebra")["hits"][0]["path"] == "evil.hostile"
    status = run("status")
    assert [note for note in status["notes"] if f"'evil.hostile': {reason}" in note], status[
        "notes"
    ]
    assert status["languages"]["hcl"] == 1


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("absent", "no extractor 'absent' is installed; expected one of: endless, hcl, hostile"),
        ("endless", "extractor 'endless' of packhound-example-plugin 1.2.0 has no suffixes; give"),
    ],
)
def test_an_extractor_that_cannot_be_used_is_named(
    run: Run, choose, name: str, problem: str
) -> None:
    choose(name, "hcl")
    status = run("status")
    assert [note for note in status["notes"] if problem in note], status["notes"]
    assert status["languages"]["hcl"] == 1
