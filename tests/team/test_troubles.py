"""Whatever a store does, a folder is read; one sentence says why not from there."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from packhound.core.errors import StoreError
from packhound.core.settings_files import FolderSettings, Overrides
from packhound.core.settings_reader import settings_from
from packhound.service.engine import Engine
from packhound.team.admin import Administration
from packhound.team.reading import StoredFiles
from packhound.team.schema import VERSION
from packhound.team.store import Store
from tests.support.postgres import Database, Server
from tests.team.conftest import REPOSITORY
from tests.team.test_reading import PATIENT, parsed, pushed, read_from


def test_a_folder_is_read_without_its_store(clone: Path, tmp_path: Path) -> None:
    settings = settings_from({"team.store": f"postgresql:///none?host={tmp_path}"})
    engine = Engine.open(clone, settings, timing=PATIENT)
    assert engine.settled(60)
    status = engine.status()
    assert status.state == "ready" and status.files > 30
    assert [note for note in status.notes if note.startswith("the team's store is not read: ")]
    engine.close()


def test_a_store_that_failed_is_left_alone_for_a_while(clone: Path, tmp_path: Path) -> None:
    _, _, stored = read_from(f"postgresql:///none?host={tmp_path}", clone)
    assert stored.problem
    parsers = object()
    assert stored.beside(parsers) is parsers  # type: ignore[arg-type]


def test_a_store_that_stops_answering_delays_nothing_for_long(
    database: Database, clone: Path
) -> None:
    url = database.user("slow_1", (REPOSITORY, "*", True))
    pushed(url, clone)
    with database.connect() as connection:
        # It says what it has, and never gives any of it.
        connection.execute(
            "CREATE FUNCTION packhound.slowly() RETURNS boolean LANGUAGE plpgsql VOLATILE AS"
            " $$ BEGIN IF current_query() LIKE '%analysis%' THEN PERFORM pg_sleep(600); END IF;"
            " RETURN true; END $$"
        )
        connection.execute("GRANT EXECUTE ON FUNCTION packhound.slowly TO packhound")
        connection.execute(
            "CREATE POLICY slow ON packhound.files AS RESTRICTIVE FOR SELECT"
            " USING (packhound.slowly())"
        )
    files, paths, _ = read_from(url, clone)
    assert files == parsed(clone) and {*paths} == {*files}


@contextmanager
def version(database: Database, number: int) -> Iterator[None]:
    with database.connect() as connection:
        connection.execute("UPDATE packhound.version SET version = %s", [number])
        yield
        connection.execute("UPDATE packhound.version SET version = %s", [VERSION])


def test_stores_of_other_versions_are_refused_with_the_remedy(
    server: Server, database: Database
) -> None:
    for number, remedy in ((VERSION + 1, "update it"), (0, "packhound team setup")):
        with (
            version(database, number),
            pytest.raises(StoreError, match=remedy),
            Store.open(database.url),
        ):
            pass
    empty = Database(server.url, is_set_up=False)
    with pytest.raises(StoreError, match="team setup"), Store.open(empty.url):
        pass


def test_two_who_set_up_at_once_make_one_store(server: Server) -> None:
    database, versions = Database(server.url, is_set_up=False), list[int]()

    def set_up() -> None:
        with Administration.open(database.url, any_version=True) as store:
            versions.append(store.setup())

    threads = [threading.Thread(target=set_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(versions) == [0, VERSION, VERSION, VERSION]
    with Store.open(database.url) as store:
        assert store.known_keys(["a/x"]) == {}


def test_a_url_with_a_password_is_refused_without_saying_it() -> None:
    with (
        pytest.raises(StoreError, match="has a password") as refused,
        Store.open("postgresql://me:sesame@db.invalid/x"),
    ):
        pass
    assert "sesame" not in str(refused.value)


def test_no_folder_names_the_store_trusted_or_not(clone: Path) -> None:
    (clone / ".packhound.toml").write_text('[team]\nstore = "postgresql://db.invalid/x"\n')
    for trusted in (True, False):
        in_force = FolderSettings(clone, Overrides(trusted=trusted)).read()
        assert in_force.settings.team.store == ""
        assert [problem for problem in in_force.problems if "'team.store'" in problem]


def test_without_a_store_its_library_is_not_even_imported(clone: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from packhound.service.engine import Engine\n"
        "engine = Engine.open(Path(sys.argv[1])); engine.settled(); engine.close()\n"
        "print('psycopg' in sys.modules or 'packhound.team.store' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, clone], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_a_folder_that_is_no_clone_asks_for_nothing(database: Database, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").write_text("def boil_water(jug):\n    return jug\n")
    files, paths, stored = read_from(database.url, tmp_path / "plain")
    assert {*files} == {*paths} == {"a.py"} and stored.problem == ""


def test_a_closed_reading_ends_its_threads(database: Database, clone: Path) -> None:
    url = database.user("closed_1", (REPOSITORY, "*", True))
    pushed(url, clone)
    from tests.team.test_reading import Counting, documents

    earlier = {*threading.enumerate()}
    reading = StoredFiles(url, clone, 60.0).beside(Counting()).parse_batches(documents(clone))
    next(reading)
    reading.close()  # type: ignore[attr-defined]
    for thread in {*threading.enumerate()} - earlier:
        if thread.name == "packhound-team":
            thread.join(30)
            assert not thread.is_alive()
