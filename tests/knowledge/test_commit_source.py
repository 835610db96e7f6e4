"""Git's history as a source."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.service import Engine
from tests.support.git_repository import git
from tests.support.project import write_files

BEFORE = (
    "def connect():\n    limit = 3\n    return retry(limit)\n\n\ndef gone():\n    return 'x = 1'\n"
)


def commit(root: Path, files: dict[str, str], message: str) -> None:
    write_files(root, files)
    git(root, "add", "-A")
    git(root, "commit", "-m", message)


@pytest.fixture
def history(tmp_path: Path, cache: Path) -> Iterator[Engine]:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init")
    commit(root, {"net.py": BEFORE}, "Add a client")
    after = BEFORE.replace("limit = 3", "limit = 8")
    message = "Raise the retry limit to eight\n\nThe broker needs a minute to start."
    commit(root, {"net.py": after}, message)
    commit(root, {"net.py": after[: after.index("def gone")]}, "Remove what nobody calls")
    engine = Engine.open(root, settings_from({"sources.commits.enabled": True}))
    assert engine.settled(60)
    yield engine
    engine.close()


def test_a_question_finds_the_commit_with_the_code_that_is_left(history: Engine) -> None:
    query = Query("when was the retry limit changed and why", types=("commit",))
    first = history.search(query).hits[0].record
    assert first is not None
    assert (first.type, first.title) == ("commit", "Raise the retry limit to eight")
    assert first.text == "The broker needs a minute to start.\nnet.py"
    assert first.metadata["code"] == ["net.py#connect"]
    assert first.metadata["paths"] == ["net.py"]
    listing = history.search(Query("", types=("commit",))).hits
    [added] = [h.record for h in listing if h.node.name == "Add a client"]
    assert added is not None
    assert added.metadata["code"] == ["net.py#connect"], "`gone` is gone"


def test_a_new_commit_is_found(history: Engine) -> None:
    assert len(history.search(Query("", types=("commit",))).hits) == 3
    commit(history.root, {"a.py": "A = 1\n"}, "Teach zebras")
    hits = history.search(Query("zebras", types=("commit",))).hits
    assert hits[0].node.name == "Teach zebras"


def test_path_filters_hold_for_commits_by_what_they_changed(history: Engine) -> None:
    commit(history.root, {"docs/a.md": "zebras\n", "zebra.py": "Z = 1\n"}, "Teach zebras")
    commit(history.root, {"docs/b.md": "zebras\n"}, "Write about zebras")

    def titles(query: str, **filters: tuple[str, ...]) -> set[str]:
        results = history.search(Query(f"zebras {query}", types=("commit",), **filters))
        assert not [note for note in results.notes if "path:" in note]
        return {hit.record.title for hit in results.hits if hit.record}

    both = {"Teach zebras", "Write about zebras"}
    assert titles("") == titles("path:docs/**") == titles("", paths=("*.md",)) == both
    assert titles("path:zebra.py") == titles("-path:docs/**") == {"Teach zebras"}
    assert titles("", exclude=("*.py",)) == both
    assert titles("path:docs -path:docs/a.md") == {"Write about zebras"}
    assert titles("path:net.py") == set()


def test_a_message_or_a_file_cannot_forge_a_commit(history: Engine) -> None:
    target = history.root / "written"
    forged = f"\x1e--output={target}\x1f1700000000\x1fEve\x1fzebra forged\x1fbody\x1f"
    diff = f"\x1e{'a' * 40}\n+++ b/net.py\n+    return retry(limit)\n"
    commit(history.root, {"a.txt": diff}, f"Teach zebras\n\nbody\n{forged}")
    records = [hit.record for hit in history.search(Query("zebra", types=("commit",))).hits]
    assert [record.title for record in records if record] == ["Teach zebras"]
    assert not target.exists()


def test_without_a_repository_the_answer_says_so(root: Path, cache: Path) -> None:
    engine = Engine.open(root, settings_from({"sources.commits.enabled": True}))
    results = engine.search(Query("retry", types=("commit",)))
    engine.close()
    assert not results.hits
    assert "commits: there is no history: git is untracked here" in results.notes


def test_commits_are_off_by_default(root: Path, engine: Engine) -> None:
    results = engine.search(Query("retry", types=("commit",)))
    assert "'commits' is switched off: set sources.commits.enabled to true" in results.notes
