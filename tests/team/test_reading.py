"""A folder that is read from a team's store has the index, and the answers, of a local reading."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Document, Hit, Query
from packhound.files import WalkLimits, read, walk_by_steps
from packhound.git import find_revision
from packhound.indexing.timing import DEFAULT_TIMING
from packhound.parsing import AnalysedFile, SharedPool
from packhound.service.engine import Engine
from packhound.service.peers import Peers
from packhound.service.roots import clear_index
from packhound.team.push import Pushed, push
from packhound.team.reading import StoredFiles
from packhound.team.row import encode_row, inflate
from packhound.team.store import Store
from tests.support.index_check import contents
from tests.support.postgres import Database
from tests.team.conftest import REPOSITORY, commit_all

PATIENT = replace(DEFAULT_TIMING, stored_s=60.0)
QUERIES = (
    *("parse a file", "class Cart", "retry with backoff", "send mail kind:function", "Snapshot"),
    *("sort numbers", "lang:rust read", "merge segments", "total price of all items", '"def "'),
)


def pushed(url: str, root: Path, branch: str = "main") -> Pushed:
    revision = find_revision(root, "HEAD")
    assert revision
    with Store.open(url, for_push=True) as store:
        return push(store, root, revision, REPOSITORY, branch, WalkLimits())


def documents(root: Path) -> Iterator[Document]:
    for entry in walk_by_steps(root, WalkLimits()):
        if entry and (document := read(root, entry[0], 1_000_000)):
            yield document


class Counting:
    """Parsers that note what they are given."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def parse_batches(self, documents: Iterator[Document]) -> Iterator[list[AnalysedFile]]:
        def noted() -> Iterator[Document]:
            for document in documents:
                self.paths.append(document.path)
                yield document

        pool = SharedPool(2, with_texts=False)
        try:
            yield from pool.parse_batches(noted())
        finally:
            pool.close()


def read_from(
    url: str, root: Path, *, checked: float = 0.0
) -> tuple[dict[str, AnalysedFile], list[str], StoredFiles]:
    """Return files by path, the paths that were parsed, and the store."""
    stored, parsers = StoredFiles(url, root, 60.0, checked=checked), Counting()
    files = [*chain.from_iterable(stored.beside(parsers).parse_batches(documents(root)))]
    by_path = {file.path: file for file in files}
    assert len(by_path) == len(files)
    return by_path, parsers.paths, stored


def parsed(root: Path) -> dict[str, AnalysedFile]:
    files = chain.from_iterable(Counting().parse_batches(documents(root)))
    return {file.path: file for file in files}


def _as_read(hit: Hit) -> Hit:
    """A hit without what depends on the order in which files were read."""
    refs = [replace(ref, node_id=0, generation=0) for ref in (hit.node, *hit.siblings, *hit.copies)]
    n = 1 + len(hit.siblings)
    return replace(hit, node=refs[0], siblings=(*refs[1:n],), copies=(*refs[n:],))


def test_all_of_a_pushed_commit_is_read_as_parsing_makes_it(
    database: Database, clone_of_all_languages: Path
) -> None:
    url = database.user("reader_1", (REPOSITORY, "*", True))
    assert pushed(url, clone_of_all_languages).left_out == ()
    files, paths, stored = read_from(url, clone_of_all_languages)
    assert paths == [] and stored.problem == ""
    assert files == parsed(clone_of_all_languages)
    assert len({file.language for file in files.values()}) >= 29


@pytest.mark.slow
def test_answers_over_what_was_read_from_the_store_are_those_of_a_local_reading(
    database: Database, clone_of_all_languages: Path
) -> None:
    url = database.user("reader_2", (REPOSITORY, "*", True))
    pushed(url, clone_of_all_languages)
    (clone_of_all_languages / "fixtures" / "new.py").write_text(
        "def unsalted_butter(grams):\n    return grams\n"
    )
    answers, indexes, n_read = [], [], 0
    for store in ("", url):
        settings = settings_from({"team.store": store, "ranking.gitHistory": False})
        engine = Engine.open(clone_of_all_languages, settings, timing=PATIENT, peers=Peers())
        assert engine.settled(60)
        results = [engine.search(Query(text)) for text in QUERIES]
        answers.append([[_as_read(hit) for hit in result.hits] for result in results])
        indexes.append(contents(engine.snapshot))
        stored = engine.index.stored
        n_read = stored.n_read if stored else 0
        engine.close()
        clear_index(None)
    assert answers[0] == answers[1] and any(answers[0])
    assert indexes[0] == indexes[1]
    assert n_read == len(indexes[0]["files"]) - 1


def test_a_second_push_moves_only_what_is_new(database: Database, clone: Path) -> None:
    url = database.user("reader_3", (REPOSITORY, "*", True))
    first = pushed(url, clone)
    assert first.new == first.files > 30
    assert pushed(url, clone) == first._replace(new=0, nodes=0, n_bytes=0)
    (clone / "new.py").write_text("def unsalted_butter(grams):\n    return grams\n")
    commit_all(clone)
    again = pushed(url, clone, "feature")
    assert (again.files, again.new) == (first.files + 1, 1)
    assert 0 < again.n_bytes < 1_000


def test_a_change_of_what_is_ignored_counts_for_files_pushed_before(
    database: Database, clone: Path
) -> None:
    url = database.user("reader_8", (REPOSITORY, "*", True))
    first = pushed(url, clone)
    (clone / ".gitignore").write_text("users.py\n")
    commit_all(clone)
    # Git has it still, since it was there before; the index leaves it out, here as there.
    again = pushed(url, clone)
    assert again.files == first.files  # One less, and the ignore file.
    files, paths, _ = read_from(url, clone)
    assert paths == [] and files == parsed(clone)
    (clone / ".gitignore").unlink()
    commit_all(clone)
    assert pushed(url, clone)[:2] == (first.files, 0)


def test_what_the_store_lacks_is_parsed(database: Database, clone: Path) -> None:
    url = database.user("reader_4", (REPOSITORY, "*", True))
    pushed(url, clone)
    new, moved = clone / "new.py", clone / "moved.py"
    new.write_text("def unsalted_butter(grams):\n    return grams\n")
    shutil.move(clone / "fixtures/questions/src/users.py", moved)
    files, paths, _ = read_from(url, clone)
    assert {*paths} == {"new.py", "moved.py"}
    assert files == parsed(clone)


def test_uncommitted_and_ignored_files_and_secrets_stay_here(
    database: Database, clone: Path
) -> None:
    url = database.user("reader_5", (REPOSITORY, "*", True))
    token = "ghp_" + "4f9aK2mQ8sLw7RtYx1Zc3Vb6Nn5Jd0HgPqE2"
    (clone / "login.py").write_text(f'TOKEN = "{token}"\n\ndef log_in():\n    pass\n')
    (clone / ".gitignore").write_text("private/\n")
    (clone / "private").mkdir()
    (clone / "private" / "plan.py").write_text("def secret_plan():\n    pass\n")
    commit_all(clone)
    (clone / "draft.py").write_text("def unfinished():\n    pass\n")
    pushed(url, clone)
    with database.connect() as connection:
        rows = connection.execute("SELECT path, analysis, text FROM packhound.files").fetchall()
    stored = {path: inflate(analysis) + inflate(text) for path, analysis, text in rows}
    assert "login.py" in stored and not {"private/plan.py", "draft.py"} & {*stored}
    assert not any(token[4:].encode() in text or b"secret_plan" in text for text in stored.values())
    # What was stored of it is not what is here, so it is parsed here.
    files, paths, _ = read_from(url, clone)
    assert {*paths} == {"login.py", "draft.py"}
    assert files == parsed(clone)


def test_damaged_rows_are_parsed_here(database: Database, clone: Path) -> None:
    url = database.user("reader_6", (REPOSITORY, "*", True))
    pushed(url, clone)
    damages = (
        "substr(analysis, 1, length(analysis) / 2)",  # Cut.
        "(SELECT analysis FROM packhound.files o WHERE o.path <> f.path LIMIT 1)",  # Of others.
        "text",  # Something else.
        "set_byte(analysis, length(analysis) / 2, 255 - get_byte(analysis, length(analysis) / 2))",
    )
    with database.connect() as connection:
        paths = connection.execute("SELECT path FROM packhound.files ORDER BY path").fetchall()
        for i, path in enumerate(paths):
            damage = damages[i % len(damages)]
            connection.execute(
                f"UPDATE packhound.files f SET analysis = {damage} WHERE path = %s", path
            )
    files, parsed_here, _ = read_from(url, clone)
    assert files == parsed(clone)
    assert len(parsed_here) == len(files)


def test_a_false_analysis_is_found_out(database: Database, clone: Path) -> None:
    url = database.user("reader_7", (REPOSITORY, "*", True))
    pushed(url, clone)
    path = "fixtures/questions/src/users.py"
    true = parsed(clone)[path]
    false = encode_row(replace(true, runs=f"{true.runs[1:]}x"))
    with database.connect() as connection:
        connection.execute(
            "UPDATE packhound.files SET analysis = %s WHERE path = %s", [false, path]
        )
    _, _, stored = read_from(url, clone, checked=1.0)
    assert path in stored.problem
