"""The hit is a whole function of the code that is asked about, not a part or a test of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.service import Engine

WATCH = '''\
def watch(folder, call):
    """Call a function when files of a folder change."""
    seen = {}

    def look_for_changed_files():
        """Look for changed files of the folder."""
        found = []
        for file in folder:
            if file.name.startswith("."):
                continue
            found.append(file)
        for file in sorted(found):
            report_changed_file(file)

    def report_changed_file(file):
        """Report a changed file of the folder."""
        before = seen.get(file)
        if before is None:
            seen[file] = file.changed
            return
        if before != file.changed:
            seen[file] = file.changed
            call(file)

    return look_for_changed_files


class Folder:
    def list_files(self):
        return []
'''
TEST = """\
def test_changed_files_of_a_folder_are_reported():
    report = []
    watch(Folder(), report.append)
    assert report == ["changed file of the folder"]
"""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    files = {"lib/watch.py": WATCH, "tests/test_watch.py": TEST, "lib/other.py": "def run(): ...\n"}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    engine = Engine.open(tmp_path, settings_from({"index.persist": False, "search.deep": "off"}))
    assert engine.settled(60)
    yield engine
    engine.close()


def names(engine: Engine, text: str) -> list[str]:
    return [hit.node.name for hit in engine.search(Query(text)).hits]


def test_functions_in_a_function_are_left_to_it(engine: Engine) -> None:
    found = names(engine, "where are changed files of a folder reported")
    assert found[0] == "watch"
    assert not {"look_for_changed_files", "report_changed_file"} & {*found}


def test_one_that_the_query_names_is_not(engine: Engine) -> None:
    assert names(engine, "report_changed_file")[0] == "report_changed_file"


def test_a_test_comes_after_the_code_unless_it_is_asked_for(engine: Engine) -> None:
    name = "test_changed_files_of_a_folder_are_reported"
    assert names(engine, "changed files of a folder are reported")[0] == "watch"
    assert names(engine, "test that changed files of a folder are reported")[0] == name
