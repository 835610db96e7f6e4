"""Notes in the team's store: sent and read where the user wants that, the local file the truth."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import settings_from
from packhound.memory import NoteStore
from packhound.operations import Call, answer, as_text
from packhound.service import Engine, Roots, notes_folder
from packhound.service.team_notes import UNAVAILABLE
from packhound.team.admin import Administration
from tests.support.lsp_client import wait_until
from tests.support.postgres import Database, Server
from tests.support.program import run_program
from tests.team.test_remote import CELLAR, KITCHEN, TOKEN, repository

CODE = {"stove.py": "def light_stove(gas):\n    spark(gas)\n    return gas\n"}


class Person:
    """A user of the store with a clone, a data folder and settings of his own."""

    def __init__(
        self,
        folder: Path,
        url: str,
        project: str = KITCHEN,
        data: Path | None = None,
        **settings: object,
    ) -> None:
        self.data = data or folder / "data"
        self.root = repository(folder / "clone", project, CODE)
        values = {"team.store": url, "team.notes": True}
        self._settings = settings_from(
            values | {key.replace("__", "."): value for key, value in settings.items()}
        )
        with self._at_home():
            self.engine = Engine.open(self.root, self._settings)
        assert self.engine.settled(60)

    @contextmanager
    def _at_home(self) -> Iterator[None]:
        before = os.environ.get("PACKHOUND_DATA_DIR")
        os.environ["PACKHOUND_DATA_DIR"] = str(self.data)
        try:
            yield
        finally:
            if before is None:
                del os.environ["PACKHOUND_DATA_DIR"]
            else:
                os.environ["PACKHOUND_DATA_DIR"] = before

    def ask(self, name: str, /, **arguments: object) -> dict:
        call = Call(Roots([self.engine]), self.engine.index.settings, is_agent=True)
        with self._at_home():
            return answer(call, name, arguments)

    def recall(self, key: str) -> list[tuple[str, str]]:
        """Return the owner and the content of each note that a key recalls."""
        rows = self.ask("recall", key=key)["results"]
        return [(row.get("owner", ""), row["content"]) for row in rows]

    def sync(self) -> None:
        """Wait until what was written is sent and what is there is read."""

        def is_done() -> bool:
            if thread := self.engine.notes.team.start_round():
                thread.join()
            return thread is not None and not self.engine.notes.team.problems

        wait_until(is_done)


@pytest.fixture
def join(database: Database, tmp_path: Path) -> Iterator[Callable[..., Person]]:
    """Have a person who may push to the kitchen, unless grants say else, open his clone."""
    people = []

    def join(name: str, *grants: tuple[str, str, bool], **more: object) -> Person:
        url = database.user(f"{name}_n", *(grants or [(KITCHEN, "*", True)]))
        folder = tmp_path / f"{name}{len(people)}"
        people.append(Person(folder, url, **more))
        return people[-1]

    yield join
    for person in people:
        person.engine.close()


def rows(database: Database) -> list[tuple[str, dict]]:
    with database.connect() as connection:
        found = connection.execute("SELECT owner, note FROM packhound.notes ORDER BY pushed_at")
        return [(owner, json.loads(note)) for owner, note in found]


def test_what_one_writes_the_other_recalls_with_its_owner(join: Callable[..., Person]) -> None:
    ann, bob = join("ann"), join("bob")
    ann.ask("remember", key="gas", content="The gas of the stove is turned off at night")
    ann.sync()
    bob.sync()
    assert bob.recall("gas") == [("ann_n", "The gas of the stove is turned off at night")]
    bob.ask("remember", key="gas", content="Bob turns it on at six")
    found = bob.ask("recall", key="gas")
    assert [row.get("owner") for row in found["results"]] == [None, "ann_n"]
    assert "pushed by ann_n" in as_text("recall", found)
    # By meaning too, in one order with one's own.
    meant = bob.ask("recall", key="who turns off the stove at night")
    assert meant["match_type"] == "semantic" and len(meant["results"]) == 2
    ann.ask("stash", name="oven", summary="The oven is half built")
    ann.ask("decide", topic="fuel", decision="Gas, no coal")
    ann.sync()
    bob.sync()
    assert bob.ask("pop", name="oven")["results"][0]["owner"] == "ann_n"
    hits = bob.ask("search", query="type:decision coal")["hits"]
    assert [(hit["type"], hit["metadata"]["owner"]) for hit in hits] == [("decision", "ann_n")]


def test_a_change_and_a_deletion_follow(join: Callable[..., Person], database: Database) -> None:
    ann, bob = join("ann"), join("bob")
    identity = ann.ask("remember", key="gas", content="Off at night")["id"]
    ann.sync()
    bob.sync()
    assert bob.recall("gas") == [("ann_n", "Off at night")]
    for operation in ("forget", "memory/forget"):
        with pytest.raises(SettingsError, match="ann_n, who pushed it"):
            bob.ask(operation, id=identity)
    ann.ask("memory/change", id=identity, content="Off at ten")
    ann.sync()
    bob.sync()
    assert bob.recall("gas") == [("ann_n", "Off at ten")]
    ann.ask("forget", id=identity)
    ann.sync()
    bob.sync()
    assert bob.recall("gas") == []
    assert rows(database) == []


def test_no_answer_crosses_projects(join: Callable[..., Person]) -> None:
    both = ("example.org/shop/*", "*", True)
    ann, cook = join("ann", both), join("ann", both, project=CELLAR)
    ann.ask("remember", key="deploy", content="The kitchen is deployed on Mondays")
    cook.ask("remember", key="deploy", content="The cellar is deployed on Fridays")
    for person in (ann, cook):
        person.sync()
    bob, eve = join("bob", both), join("bob", both, project=CELLAR)
    for person in (bob, eve):
        person.sync()
    assert bob.recall("deploy") == [("ann_n", "The kitchen is deployed on Mondays")]
    assert eve.recall("deploy") == [("ann_n", "The cellar is deployed on Fridays")]
    assert ann.recall("deploy")[0] == ("", "The kitchen is deployed on Mondays")
    hits = bob.ask("search", query="type:note deployed Fridays cellar")["hits"]
    assert [hit["text"] for hit in hits] == ["The kitchen is deployed on Mondays"]


def test_neither_secrets_nor_code_leave(join: Callable[..., Person], database: Database) -> None:
    ann = join("ann")
    content = f"The token is {TOKEN}"
    ann.ask("remember", key="gas", content=content, code=["stove.py#light_stove"])
    ann.sync()
    [(_, note)] = rows(database)
    assert TOKEN not in json.dumps(note) and "REDACTED" in note["content"]
    assert note["anchors"][0]["qualname"] == "light_stove" and "spark" not in json.dumps(note)
    with ann._at_home():
        assert content in [each.text for each in NoteStore(notes_folder(ann.root)).all()]
    bob = join("bob")
    bob.sync()
    [row] = bob.ask("recall", key="gas")["results"]
    assert [(each["ref"], each["state"]) for each in row["code"]] == [("stove.py#light_stove", "")]
    (bob.root / "stove.py").write_text(CODE["stove.py"].replace("spark", "ignite"))
    bob.engine.refresh()
    assert bob.engine.settled(60)
    assert bob.ask("recall", key="gas")["results"][0]["state"] == "stale"
    assert bob.ask("memory/show", id=row["id"])["code"][0]["diff"] == ""


def test_without_the_setting_nothing_is_sent_or_read(
    join: Callable[..., Person], database: Database
) -> None:
    ann, bob = join("ann", team__notes=False), join("bob")
    ann.ask("remember", key="gas", content="Off at night")
    assert ann.engine.notes.team.start_round() is None
    bob.ask("remember", key="gas", content="On at six")
    bob.sync()
    assert [owner for owner, _ in rows(database)] == ["bob_n"]
    assert ann.recall("gas") == [("", "Off at night")]


def test_the_rights_are_those_of_the_repository(
    join: Callable[..., Person], database: Database
) -> None:
    ann = join("ann")
    reader = join("rea", (KITCHEN, "main", False))
    stranger = join("str", (CELLAR, "*", True))
    ann.ask("remember", key="gas", content="Off at night")
    ann.sync()
    reader.sync()
    assert reader.recall("gas") == [("ann_n", "Off at night")]
    reader.ask("remember", key="mine", content="I may not push")
    wait_until(lambda: reader.engine.notes.team.problems)
    assert "are not sent" in reader.engine.notes.team.problems[0]
    assert "are not sent" in str(reader.engine.status().notes)
    # What may be read is read on, and what is one's own is there.
    assert reader.recall("gas") == [("ann_n", "Off at night")]
    assert reader.recall("mine") == [("", "I may not push")]
    stranger.sync()
    assert stranger.recall("gas") == []
    with Administration.open(database.url) as store:
        store.revoke("rea_n", KITCHEN, "main")
    reader.engine.notes.team.look(60)
    assert reader.recall("gas") == []
    for user, n in (("ann_n", 1), ("rea_n", 0), ("str_n", 0)):
        with database.connect(user) as connection:
            assert connection.execute("SELECT FROM packhound.notes").rowcount == n
            assert connection.execute("DELETE FROM packhound.notes WHERE owner <> %s", [user])
    with database.connect("str_n") as connection:
        for owner in ("ann_n", "str_n"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(
                    "INSERT INTO packhound.notes (repository, owner, device, id, digest, note)"
                    " VALUES (%s, %s, '', 'x', '', '')",
                    [KITCHEN, owner],
                )
    assert [owner for owner, _ in rows(database)] == ["ann_n"]


def test_a_false_digest_replaces_nobodys_note(
    join: Callable[..., Person], database: Database
) -> None:
    ann, bob = join("ann"), join("bob")
    ann.ask("remember", key="gas", content="Off at night")
    ann.sync()
    database.user("eve_n", (KITCHEN, "*", True))
    with database.connect("eve_n") as connection:
        forged = json.dumps({**rows(database)[0][1], "content": "Leave it on"}).encode()
        connection.execute(
            "INSERT INTO packhound.notes (repository, device, id, digest, note)"
            " SELECT repository, 'x', id, digest, %s FROM packhound.notes",
            [forged],
        )
        connection.execute(
            "INSERT INTO packhound.notes (repository, device, id, digest, note)"
            " VALUES (%s, 'x', 'y', 'y', '[1]'), (%s, 'x', 'z', 'z', '{')",
            [KITCHEN, KITCHEN],
        )
    bob.sync()
    # Hers is her own, whatever its id, and those of nobody are none.
    assert bob.recall("gas") == [("ann_n", "Off at night"), ("eve_n", "Leave it on")]
    assert len(bob.ask("memory/list")["notes"]) == 2


def test_while_the_store_is_down_it_is_said_once_and_sent_later(
    join: Callable[..., Person], server: Server, database: Database
) -> None:
    ann = join("ann")
    ann.ask("remember", key="first", content="There before")
    ann.sync()
    server.kill()
    ann.ask("remember", key="gas", content="Off at night")
    wait_until(lambda: ann.engine.notes.team.problems)
    assert ann.recall("gas") == [("", "Off at night")]
    said = [ann.ask("recall", key=key)["notes"] for key in ("first", "gas", "who lights the stove")]
    assert [UNAVAILABLE in notes for notes in said].count(True) <= 1
    server.restart()
    ann.sync()
    assert [note["key"] for _, note in rows(database)] == ["first", "gas"]


@pytest.mark.slow
def test_a_server_that_is_killed_meanwhile_loses_and_doubles_nothing(
    join: Callable[..., Person], server: Server, database: Database
) -> None:
    ann = join("ann")
    for n_kills in range(3):
        with ann._at_home():
            for i in range(60):
                fields = {"key": f"k{n_kills}/{i}", "content": f"Note {i}"}
                ann.engine.notes.notebook.add("insight", fields)
        ann.engine.notes.team.start_round()
        time.sleep(random.Random(n_kills).uniform(0, 0.3))
        server.kill()
        server.restart()
        ann.sync()
        keys = [note["key"] for _, note in rows(database)]
        assert len(keys) == len({*keys}) == 60 * (n_kills + 1)


def test_the_sentence_comes_once(join: Callable[..., Person], server: Server) -> None:
    ann = join("ann")
    ann.ask("remember", key="gas", content="Off at night")
    ann.sync()
    server.kill()
    answers = [ann.ask("recall", key="gas")]
    wait_until(lambda: ann.engine.notes.team.problems)
    answers += [ann.ask("recall", key="gas") for _ in range(3)]
    server.restart()
    assert [UNAVAILABLE in each["notes"] for each in answers].count(True) == 1
    assert [each["match_type"] for each in answers] == ["exact"] * 4


def test_a_note_without_a_vector_is_found_by_its_words(join: Callable[..., Person]) -> None:
    ann, bob = join("ann"), join("bob", meaning__enabled=False)
    ann.ask("remember", key="gas", content="The burner is turned off at night")
    ann.sync()
    bob.sync()
    found = bob.ask("recall", key="burner night")
    assert [row["owner"] for row in found["results"]] == ["ann_n"]


def test_many_notes_are_sent_and_read(join: Callable[..., Person], database: Database) -> None:
    ann, bob = join("ann"), join("bob")
    with ann._at_home():
        for i in range(130):
            ann.engine.notes.notebook.add("insight", {"key": f"k{i}", "content": f"Note {i}"})
    ann.sync()
    assert len(rows(database)) == 130
    bob.sync()
    assert len(bob.ask("memory/list")["notes"]) == 130


def test_a_second_machine_deletes_nothing_of_the_first(
    join: Callable[..., Person], database: Database
) -> None:
    home, office = join("ann"), join("ann")
    home.ask("remember", key="gas", content="Off at night")
    home.sync()
    office.ask("remember", key="oven", content="Hot")
    office.sync()
    assert len(rows(database)) == 2
    assert office.recall("gas") == [("ann_n", "Off at night")]


def test_a_second_clone_on_the_machine_deletes_nothing_of_the_first(
    join: Callable[..., Person], database: Database
) -> None:
    first = join("ann")
    second = join("ann", data=first.data)
    first.ask("remember", key="gas", content="Off at night")
    second.ask("remember", key="oven", content="Hot")
    for _ in range(2):
        first.sync()
        second.sync()
    assert sorted(note["key"] for _, note in rows(database)) == ["gas", "oven"]
    assert first.recall("oven") == [("ann_n", "Hot")]
    assert second.recall("gas") == [("ann_n", "Off at night")]


def test_a_damaged_name_of_the_machine_is_made_anew(
    join: Callable[..., Person], database: Database, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / "team-device").write_bytes(b"\xff\xfe")
    ann = join("ann", data=tmp_path / "data")
    ann.ask("remember", key="gas", content="Off at night")
    ann.sync()
    assert [note["key"] for _, note in rows(database)] == ["gas"]


def test_rebuild_sends_all_again(join: Callable[..., Person], database: Database) -> None:
    ann = join("ann")
    ann.ask("remember", key="gas", content="Off at night")
    ann.sync()
    with database.connect() as connection:
        connection.execute("UPDATE packhound.notes SET note = '{}'")
    ann.sync()
    assert rows(database)[0][1] == {}
    [row] = ann.ask("rebuild_sources", sources=["notes"], remote=True, regenerate=True)["rebuilt"]
    assert (row["name"], row["records"], row["reused"]) == ("notes", 1, 0)
    assert rows(database)[0][1]["key"] == "gas"
    with pytest.raises(SettingsError, match="notes alone"):
        ann.ask("rebuild_sources", sources=["commits"], remote=True)


def test_a_secret_that_was_not_known_is_erased(
    join: Callable[..., Person], database: Database
) -> None:
    ann = join("ann")
    ann.ask("remember", key="gas", content="The word of the cellar is 'Möhre17'")
    ann.ask("remember", key="oven", content="Hot")
    ann.sync()
    with Administration.open(database.url, for_push=True) as store:
        assert store.erase("Möhre17".encode()) == 1
    ann.sync()
    assert [note["key"] for _, note in rows(database)] == ["oven"]


def test_the_command_line_sends_before_it_ends(database: Database, tmp_path: Path) -> None:
    url = database.user("cli_n", (KITCHEN, "*", True))
    root = repository(tmp_path / "clone", KITCHEN, CODE)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "packhound.toml").write_text(f'[team]\nstore = "{url}"\nnotes = true\n')

    folders = {f"PACKHOUND_{name.upper()}_DIR": str(tmp_path / name) for name in ("config", "data")}

    def run(*arguments: str) -> str:
        done = run_program(*arguments, env=folders, cwd=root)
        done.check_returncode()
        return done.stdout

    identity = run("memory", "add", "insight", "gas", "Off at night").split()[-1]
    assert [note["id"] for _, note in rows(database)] == [identity]
    assert "1 records" in run("rebuild", "--remote", "--regenerate-embeddings")
    with pytest.raises(subprocess.CalledProcessError):
        run("rebuild", "code", "--remote")
    run("memory", "forget", identity)
    assert rows(database) == []


def test_a_folder_without_a_remote_sends_nothing(
    join: Callable[..., Person], tmp_path: Path, database: Database
) -> None:
    ann = join("ann")
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").write_text("def a():\n    pass\n")
    engine = Engine.open(plain, ann._settings)
    assert engine.settled(60)
    engine.notes.add("insight", {"key": "x", "content": "y"})
    wait_until(lambda: engine.notes.team.problems)
    engine.close()
    assert rows(database) == []
