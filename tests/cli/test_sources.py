"""Sources beside code on the command line: counted, rebuilt, and named where they fail."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.service import Engine
from tests.support.command_line import packhound
from tests.support.project import write_files

LOG = "# Conversation: Keys\n\n## Phase 1: Ask\nWhich way?\n\n## Phase 2: Answer\nLeft.\n"


@pytest.fixture
def house(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PACKHOUND_DATA_DIR", str(tmp_path / "data"))
    write_files(root, {"AGENTS.md": "# Rules\nOil the hinges.\n", "keys-2025-01-02.md": LOG})
    return root


def test_index_counts_each_source_and_status_shows_it(tmp_path: Path, house: Path) -> None:
    text = packhound(tmp_path, "index", "--root", str(house)).stdout
    row = json.loads(packhound(tmp_path, "index", "--json", "--root", str(house)).stdout)
    n_code = row["nodes"]
    assert f"Code {n_code}, Knowledge 3, total {n_code + 3}" in text
    assert row["sources"] == {"knowledge": 3, "skills": 0, "notes": 0}
    status = json.loads(packhound(tmp_path, "status", "--json", "--root", str(house)).stdout)
    rows = {each["name"]: each for each in status["sources"]}
    assert (rows["knowledge"]["records"], rows["knowledge"]["problems"]) == (3, [])
    assert "3 records, newest of" in packhound(tmp_path, "status", "--root", str(house)).stdout


def test_index_names_a_folder_that_is_missing(tmp_path: Path, house: Path) -> None:
    change = 'knowledge.folders=["gone"]'
    done = packhound(tmp_path, "index", "--root", str(house), "--set", change)
    assert f"note: knowledge: folder '{house / 'gone'}' is not there" in done.stdout
    assert done.returncode == 0


def test_sources_are_rebuilt_alone(tmp_path: Path, house: Path) -> None:
    done = packhound(tmp_path, "rebuild", "knowledge", "--root", str(house))
    assert done.stdout == "knowledge: 3 records, 0 vectors reused, 3 regenerated\n"
    everything = packhound(tmp_path, "rebuild", "--root", str(house)).stdout.splitlines()
    assert everything[0].startswith("4 files, ")
    assert [line.split(":")[0] for line in everything[1:]] == ["knowledge", "skills", "notes"]
    off = packhound(tmp_path, "rebuild", "commits", "--root", str(house))
    assert off.returncode == 2
    assert "'commits' is switched off: set sources.commits.enabled to true" in off.stderr
    unknown = packhound(tmp_path, "rebuild", "nodes", "--root", str(house))
    assert unknown.returncode == 2
    assert "'nodes' is not one of 'code', 'knowledge'" in unknown.stderr


def test_a_source_that_is_off_reads_nothing(house: Path, tmp_path: Path) -> None:
    engine = Engine.open(house, settings_from({"index.persist": False}))
    try:
        assert engine.settled(60)
        engine.search(Query("open_door"))
        assert engine.status().sources == (), "nothing is open before it is asked for"
        engine.configure(
            settings_from(
                {
                    "index.persist": False,
                    "sources.knowledge.enabled": False,
                    "sources.notes.enabled": False,
                    "sources.skills.enabled": False,
                }
            )
        )
        assert engine.status(every_source=True).sources == ()
        engine.search(Query("open_door", types=("knowledge", "skill", "note", "commit")))
        assert not engine.sources.registry.opened
        assert "packhound-records" not in {thread.name for thread in threading.enumerate()}
    finally:
        engine.close()


def test_vectors_of_a_running_process_are_reused(house: Path) -> None:
    engine = Engine.open(house, settings_from({"index.persist": False}))
    try:
        assert engine.settled(60)
        engine.status(every_source=True)
        [reused] = engine.sources.rebuild(["knowledge"], regenerate=False)
        assert (reused.reused, reused.regenerated) == (3, 0)
        [regenerated] = engine.sources.rebuild(["knowledge"], regenerate=True)
        assert (regenerated.reused, regenerated.regenerated) == (0, 3)
    finally:
        engine.close()
