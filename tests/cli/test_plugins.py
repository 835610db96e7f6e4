"""Plugins of an installed package: `tests/fixtures/example-plugin`, installed into a folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.support.command_line import packhound


@pytest.fixture
def search(tmp_path: Path, root: Path, installed: Path, monkeypatch: pytest.MonkeyPatch):
    paths = [str(installed), *sys.path]
    monkeypatch.setenv("PYTHONPATH", ":".join(path for path in paths if path))

    def search(*options: str) -> dict:
        command = ("search", "unlock the door", "--root", str(root), "--json", "--set")
        done = packhound(tmp_path, *command, "search.deep=off", *options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return search


def reasons(answer: dict) -> set[str]:
    for hit in answer["hits"]:
        total = sum(signal["contribution"] for signal in hit["why"])
        assert hit["score"] == pytest.approx(total)
    return {signal["signal"] for hit in answer["hits"] for signal in hit["why"]}


def test_a_fuser_ranks_and_its_reasons_are_shown(search) -> None:
    assert reasons(search("--fuser", "names_first")) == {"name", "words"}
    assert reasons(search("--set", "search.fuser=names_first")) == {"name", "words"}


def test_a_scorer_adds_a_reason_by_its_weight(search) -> None:
    best, plain = search("--scorer", "documented=0.5")["hits"][0], search()["hits"][0]
    [reason] = [s for s in best["why"] if s["signal"] == "scorer_documented"]
    assert (reason["value"], reason["weight"]) == (1, 0.5)
    assert best["score"] == pytest.approx(plain["score"] + 0.5)
    configured = search("--set", 'search.scorers=["documented=0.5"]')
    assert configured["hits"][0]["score"] == best["score"]
    assert "scorer_documented" in reasons(configured)


@pytest.mark.parametrize(
    ("options", "note"),
    [
        (("--fuser", "broken"), "'broken' of packhound-example-plugin 1.2.0 failed (RuntimeError:"),
        (("--fuser", "short"), "'short' of packhound-example-plugin 1.2.0 did not return lists of"),
        (("--fuser", "gone"), "'gone' of packhound-example-plugin 1.2.0 cannot be loaded"),
        (("--fuser", "absent"), "no fuser 'absent' is installed; expected one of: linear, blend"),
        (("--scorer", "broken"), "'broken' of packhound-example-plugin 1.2.0 failed (RuntimeError"),
        (("--scorer", "documented=much"), "'documented=much': its weight must be a number"),
    ],
)
def test_a_plugin_that_fails_is_named_and_the_search_goes_on(search, options, note: str) -> None:
    answer = search(*options)
    assert [text for text in answer["notes"] if note in text], answer["notes"]
    assert [hit["score"] for hit in answer["hits"]] == [hit["score"] for hit in search()["hits"]]
