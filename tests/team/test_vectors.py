"""The vectors of a branch: those that a reader makes, for who may read it, where pgvector is."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from psycopg import sql

from packhound.core.settings_reader import settings_from
from packhound.service.engine import Engine
from packhound.team.admin import Administration
from packhound.team.candidates import find_candidates
from packhound.team.store import Store
from packhound.team.vectors import nearest_files
from packhound.text import terms
from tests.support.postgres import Database
from tests.support.program import run_program
from tests.team.conftest import CHECKOUT, commit_all
from tests.team.test_remote import KITCHEN, ask, push_to, repository
from tests.team.test_words import branch_named

QUESTION = "remove a directory from the disk"
FOLDERS = {
    "a.py": "def delete_folder(path):\n    for entry in path:\n        entry.unlink()\n",
    "b.py": "def light_stove(gas):\n    return gas\n",
    "c.py": "def pour_wine(guest):\n    return guest\n",
}


@pytest.fixture
def ci(database: Database) -> str:
    return database.user("ci_v", ("*", "*", True))


def nearest(url: str, branch: str = "main", question: str = QUESTION) -> list[str]:
    """Return the paths of the nearest files of a branch, the nearest first."""
    with Store.open(url) as store:
        of = branch_named(store, branch)
        files = nearest_files(store, [of], question)
        return [path for file in files for path in store.texts_of(of, [file])]


def stored(database: Database, path: str) -> np.ndarray:
    """Return the vectors of a file in the order of its nodes."""
    with database.connect() as connection:
        rows = connection.execute(
            "SELECT v.embedding::text FROM packhound.vectors v JOIN packhound.files f"
            " ON f.id = v.file WHERE f.path = %s ORDER BY v.node",
            [path],
        ).fetchall()
    return np.array([[float(value) for value in row[0][1:-1].split(",")] for row in rows])


def count(database: Database) -> int:
    with database.connect() as connection:
        row = connection.execute("SELECT count(*) FROM packhound.vectors").fetchone()
    assert row
    return int(row[0])


def test_they_are_those_of_the_reader(database: Database, ci: str, clone: Path) -> None:
    push_to(ci, clone, KITCHEN)
    engine = Engine.open(clone, settings_from({"ranking.gitHistory": False}))
    assert engine.settled(60)
    snapshot = engine.snapshot
    assert count(database) == snapshot.n_nodes
    path = "server/packhound/index/snapshot.py"
    own = snapshot.vectors.rows(snapshot.files[path].node_ids).astype(np.float64)
    pushed = stored(database, path)
    assert own.shape == pushed.shape
    cosines = (own * pushed).sum(1) / np.linalg.norm(own, axis=1) / np.linalg.norm(pushed, axis=1)
    assert cosines.min() > 0.999
    engine.close()


def test_a_push_replaces_those_of_what_has_changed(
    database: Database, ci: str, tmp_path: Path
) -> None:
    root = repository(tmp_path / "clone", KITCHEN, FOLDERS)
    push_to(ci, root, KITCHEN)
    assert nearest(ci)[0] == "a.py"
    before = count(database)
    push_to(ci, root, KITCHEN)
    assert count(database) == before
    (root / "a.py").write_text("def boil_rice(pot):\n    return pot\n")
    (root / "b.py").write_text("def erase_directory(tree):\n    return tree.rmdir()\n")
    commit_all(root)
    push_to(ci, root, KITCHEN)
    assert nearest(ci)[0] == "b.py" and {*nearest(ci)} == {*FOLDERS}


def test_a_push_adds_those_that_are_missing(database: Database, ci: str, tmp_path: Path) -> None:
    root = repository(tmp_path / "clone", KITCHEN, FOLDERS)
    push_to(ci, root, KITCHEN)
    n_vectors = count(database)
    with database.connect() as connection:
        connection.execute(
            "DELETE FROM packhound.vectors v USING packhound.files f"
            " WHERE f.id = v.file AND f.path = 'a.py'"
        )
        connection.execute("UPDATE packhound.vectors SET encoder = 'of another version'")
        connection.execute("UPDATE packhound.files SET analysis = 'x' WHERE path = 'b.py'")
    assert nearest(ci) == []
    push_to(ci, root, KITCHEN)
    assert nearest(ci)[0] == "a.py" and {*nearest(ci)} == {"a.py", "c.py"}
    assert count(database) == n_vectors


def test_nobody_has_neighbours_of_other_branches(
    database: Database, ci: str, tmp_path: Path
) -> None:
    root = repository(tmp_path / "clone", KITCHEN, FOLDERS)
    push_to(ci, root, KITCHEN, "main")
    (root / "d.py").write_text("def drop_directory(path):\n    path.rmdir()\n")
    (root / "a.py").unlink()
    commit_all(root)
    push_to(ci, root, KITCHEN, "ann/secret")
    bob = database.user("bob_v", (KITCHEN, "main", False))
    assert {*nearest(bob)} == {*FOLDERS}
    assert {*nearest(ci, "ann/secret")} == {"b.py", "c.py", "d.py"}
    with Store.open(ci) as store:
        secret = branch_named(store, "ann/secret")
    with Store.open(bob) as store:
        assert nearest_files(store, [secret], QUESTION) == []


def test_where_most_are_of_other_branches_the_nearest_of_one_are_found(
    database: Database, ci: str, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that is asked for its nearest, and filtered then, finds none of these."""
    monkeypatch.setattr("packhound.team.vectors._MOST_SCANNED", 0)
    for name in ("search", "graph", "parsing"):
        shutil.copytree(CHECKOUT / "server" / "packhound" / name, clone / name)
    commit_all(clone)
    push_to(ci, clone, KITCHEN)
    assert count(database) > 2_000
    for path in [*clone.rglob("*.*")]:
        if path.is_file() and ".git" not in path.parts:
            path.unlink()
    for name, text in FOLDERS.items():
        (clone / name).write_text(text)
    commit_all(clone)
    push_to(ci, clone, KITCHEN, "few")
    ann = database.user("ann_v", (KITCHEN, "few", False))
    with database.connect() as connection:
        # So few are read in full otherwise.
        off = sql.SQL("ALTER DATABASE {} SET enable_sort = off")
        connection.execute(off.format(sql.Identifier(database.name)))
    question = "compact the segments of postings by node ids"
    assert {*nearest(ann, "few", question)} == {*FOLDERS}


def test_what_is_in_the_index_and_what_is_not_are_neighbours_alike(
    database: Database, ci: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "clone", KITCHEN, FOLDERS)
    push_to(ci, root, KITCHEN)
    before, ranked = count(database), nearest(ci)
    monkeypatch.setattr("packhound.team.vectors._MOST_SCANNED", before)
    (root / "d.py").write_text("def drop_directory(path):\n    path.rmdir()\n")
    commit_all(root)
    push_to(ci, root, KITCHEN)
    with database.connect() as connection:
        indexed = "SELECT f.path FROM packhound.vectors v JOIN packhound.files f ON f.id = v.file"
        assert {*connection.execute(f"{indexed} WHERE v.indexed")} == {("d.py",)}
    assert [path for path in nearest(ci) if path != "d.py"] == ranked
    assert "d.py" in nearest(ci)[:2]


def test_a_store_of_an_older_version_gets_its_vectors_by_the_next_push(
    database: Database, ci: str, tmp_path: Path
) -> None:
    root = repository(tmp_path / "clone", KITCHEN, FOLDERS)
    push_to(ci, root, KITCHEN)
    with database.connect() as connection:
        connection.execute("UPDATE packhound.version SET version = 3")
        connection.execute("ALTER TABLE packhound.vectors DROP COLUMN indexed CASCADE")
        connection.execute("DROP FUNCTION packhound.nearest")
        connection.execute(
            "CREATE FUNCTION packhound.nearest(text, uuid, text, real[], int) RETURNS SETOF uuid"
            " LANGUAGE sql AS 'SELECT NULL::uuid'"
        )
    database.set_up()
    assert nearest(ci) == []
    push_to(ci, root, KITCHEN)
    assert nearest(ci)[0] == "a.py"


def test_what_is_erased_is_no_neighbour(database: Database, ci: str, tmp_path: Path) -> None:
    root = repository(tmp_path / "clone", KITCHEN, FOLDERS)
    push_to(ci, root, KITCHEN)
    assert nearest(ci)[0] == "a.py"
    with Administration.open(database.url, for_push=True) as store:
        assert store.erase(b"entry.unlink()") == 1
    assert {*nearest(ci)} == {"b.py", "c.py"} and stored(database, "a.py").size == 0


def test_without_pgvector_words_alone_lead_to_files(
    database: Database, ci: str, tmp_path: Path
) -> None:
    """The owner of this database may not create the extension, until a superuser does."""
    database.role("owner_v")
    plain = Database(database.url, is_set_up=False)
    with database.connect() as connection:
        connection.execute("ALTER ROLE owner_v CREATEROLE")
        names = sql.Identifier(plain.name), sql.Identifier("owner_v")
        connection.execute(sql.SQL("ALTER DATABASE {} OWNER TO {}").format(*names))
    done = run_program("team", "setup", "--to", plain.url_of("owner_v"))
    assert done.returncode == 0 and "searched by words alone" in done.stderr
    url = plain.user("ci_v", ("*", "*", True))
    root = repository(tmp_path / "clone", KITCHEN, FOLDERS)
    push_to(url, root, KITCHEN)

    def found() -> tuple[list[str], str]:
        (tmp_path / "office").mkdir(exist_ok=True)
        settings = settings_from({"team.store": url, "team.remoteMegabytes": 1})
        engine = Engine.open(tmp_path / "office", settings)
        assert engine.settled(60)
        answered = ask(engine, "search", query=f"repo:kitchen {QUESTION}", deep=False)
        engine.close()
        note = next(note for note in answered["notes"] if "too large to pull" in note)
        return [hit["path"] for hit in answered["hits"]], note

    for i in range(20):  # More than there is room for.
        (root / f"filler_{i}.py").write_text(f"# {'plate ' * 100}\n" * 100)
    commit_all(root)
    push_to(url, root, KITCHEN)
    hits, note = found()
    assert hits == [] and "meaning" not in note
    done = run_program("team", "setup", "--to", plain.url)
    assert done.returncode == 0 and not done.stderr
    push_to(url, root, KITCHEN)
    hits, note = found()
    assert hits[0] == "a.py" and "nearest in meaning" in note


def test_the_best_by_words_and_by_meaning_are_candidates(ci: str, tmp_path: Path) -> None:
    push_to(ci, repository(tmp_path / "clone", KITCHEN, FOLDERS), KITCHEN)
    with Store.open(ci) as store:
        branch = branch_named(store, "main")

        def found(question: str) -> tuple[list[str], bool]:
            best = find_candidates(store, [branch], terms("stove"), question, 2)
            assert best.n_files == {branch.id: len(FOLDERS)}
            return sorted(store.texts_of(branch, best.files)), best.by_meaning

        assert found(QUESTION) == (["a.py", "b.py"], True)
        assert found("") == (["b.py"], False)
