"""`team.remotes`: repositories of the store that are searched beside the open folder."""

from __future__ import annotations

import json
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import read_changes, settings_from
from packhound.lsp.uris import path_from_uri
from packhound.operations import Call, answer, as_text
from packhound.service import Engine, Roots
from packhound.service import remotes as module
from packhound.team.admin import Administration
from tests.support.lsp_client import LspClient, wait_until, write_files
from tests.support.postgres import Database, Server
from tests.support.program import run_program
from tests.team.conftest import commit_all
from tests.team.test_remote import CELLAR, KITCHEN, push_to, repository

LINK = "https://{repository}/blob/{branch}/{path}#L{line}"
BARN = "example.org/farm/barn"
Open = Callable[..., Engine]


def dishes(word: str, n: int = 12) -> dict[str, str]:
    return {
        f"{word}/plate_{i}.py": f"def carry_{word}_{i}(guest):\n    # Carry a plate to a guest.\n"
        f"    return guest.{word}({i})\n"
        for i in range(n)
    }


WORDS = {KITCHEN: "soup", CELLAR: "wine"}


@pytest.fixture(scope="module")
def pushed(server: Server, tmp_path_factory: pytest.TempPathFactory) -> tuple[Database, Path]:
    """Return a store that has two repositories, and the folder of their clones."""
    base, database = tmp_path_factory.mktemp("beside"), Database(server.url)
    url = database.user("ci_b", ("example.org/*", "*", True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PACKHOUND_CACHE_DIR", str(base / "cache"))
        for name, word in WORDS.items():
            push_to(url, repository(base / "clones" / word, name, dishes(word)), name)
    return database, base / "clones"


@pytest.fixture
def database(request: pytest.FixtureRequest, server: Server) -> Database:
    """Return a store of the test's own, which has its clones if it has any."""
    has_clones = "clones" in request.fixturenames
    return Database(server.url, like=request.getfixturevalue("pushed")[0] if has_clones else None)


@pytest.fixture
def ci(database: Database) -> str:
    return database.user("ci_b", ("example.org/*", "*", True))


@pytest.fixture
def ann(database: Database) -> str:
    return database.user("ann_b", ("example.org/*", "*", False))


@pytest.fixture
def clones(tmp_path: Path, pushed: tuple[Database, Path]) -> dict[str, Path]:
    """Clones of two repositories that are in the store."""
    shutil.copytree(pushed[1], tmp_path / "clones")
    return {name: tmp_path / "clones" / word for name, word in WORDS.items()}


@pytest.fixture
def open_office(tmp_path: Path, ann: str) -> Iterator[Open]:
    """Open the user's own folder, with settings of his."""
    (tmp_path / "office").mkdir()
    (tmp_path / "office" / "desk.py").write_text("def carry_paper(guest):\n    return guest\n")
    engines = []

    def open_folder(**settings: object) -> Engine:
        values = {"team.store": ann, "team.remotes": ["shop/*"], "team.link": LINK}
        values |= {name.replace("__", "."): value for name, value in settings.items()}
        engine = Engine.open(tmp_path / "office", settings_from(values))
        engines.append(engine)
        assert engine.settled(60)
        return engine

    yield open_folder
    for engine in engines:
        engine.close()


def search(engine: Engine, query: str, **more: object) -> dict:
    call = Call(Roots([engine]), engine.index.settings, is_typing=True)
    return answer(call, "search", {"query": query, "deep": False, **more})


def searched(engine: Engine, query: str, **more: object) -> dict:
    """Return the answer once the remotes were pulled, or could not be."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        found = search(engine, query, **more)
        if not any(note.startswith("not searched yet") for note in found["notes"]):
            return found
        time.sleep(0.02)
    raise AssertionError(found["notes"])


def named(engine: Engine, query: str) -> list[str]:
    """Return the names of the hits of a repository that the query names."""
    found = answer(Call(Roots([engine]), engine.index.settings), "search", {"query": query})
    return [hit["name"] for hit in found["hits"]]


def places(found: dict) -> list[tuple[str, str]]:
    return [(hit.get("repository", ""), hit["path"]) for hit in found["hits"]]


def test_hits_come_in_the_order_and_with_the_confidence_of_one_workspace(
    open_office: Open, clones: dict[str, Path]
) -> None:
    office = open_office()
    opened = [Engine.open(clones[name], settings_from({})) for name in (KITCHEN, CELLAR)]
    assert all(engine.settled(60) for engine in opened)
    together = Roots([office, *opened])
    for query in ("carry a plate to a guest", "carry_wine_3", "paper", "soup guest", "zebra"):
        found = searched(office, query, limit=30)
        call = Call(together, office.index.settings, is_typing=True)
        as_one = answer(
            call, "search", {"query": query, "deep": False, "limit": 30, "remotes": False}
        )
        names = {str(clones[name]): name for name in clones}
        assert places(found) == [
            (names.get(hit["root"], ""), hit["path"]) for hit in as_one["hits"]
        ]
        for key in ("confidence", "confidence_word"):
            assert found[key] == as_one[key]
        for key in ("score", "confidence"):
            assert [hit[key] for hit in found["hits"]] == [hit[key] for hit in as_one["hits"]]
    for engine in opened:
        engine.close()


def test_a_hit_says_where_it_is_and_is_read_from_there(
    open_office: Open, clones: dict[str, Path]
) -> None:
    office = open_office()
    hit = searched(office, "carry_wine_3")["hits"][0]
    assert hit["repository"] == CELLAR and hit["branch"] == "main"
    assert hit["link"] == f"https://{CELLAR}/blob/main/wine/plate_3.py#L1"
    assert not Path(hit["root"], hit["path"]).stat().st_mode & 0o222
    text = as_text("search", searched(office, "carry_wine_3"))
    place = "repo@example.org+shop+cellar@main/wine/plate_3.py"
    assert f"{place}:1" in text
    call = Call(Roots([office]), office.index.settings)
    assert "guest.wine(3)" in answer(call, "read_node", {"path": f"{place}:1"})["text"]
    assert answer(call, "search", {"query": "carry", "root": hit["root"]})["hits"]
    # What is one's own is called as before.
    own = searched(office, "carry_paper")["hits"][0]
    assert own["path"] == "desk.py" and "label" not in own and "link" not in own


def test_the_folder_is_answered_for_while_the_store_says_nothing(open_office: Open) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        office = open_office(team__store=f"postgresql://ann@127.0.0.1:{port}/x")
        found = search(office, "carry_paper")
        assert places(found) == [("", "desk.py")]
        assert [n for n in found["notes"] if n.startswith("not searched yet")]
        # Nothing is asked of a store without remotes, or where a request does not want them.
        assert search(office, "carry_paper", remotes=False)["notes"] == []


def test_what_is_pulled_is_searched_while_the_store_is_down(
    open_office: Open, clones: dict[str, Path], ann: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = open_office()
    assert (KITCHEN, "soup/plate_1.py") in places(searched(office, "carry_soup_1"))
    monkeypatch.setattr(module, "_LOOK_S", 0.0)
    with monkeypatch.context() as broken:
        broken.setattr(module.team.Store, "open", _refuse)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            found = search(office, "carry_soup_1")
            if any("is not read: it is down" in note for note in found["notes"]):
                break
        assert [note for note in found["notes"] if "it is down" in note]
        assert (KITCHEN, "soup/plate_1.py") in places(found)


def _refuse(*_: object, **__: object) -> None:
    from packhound.core.errors import StoreError

    raise StoreError("it is down")


def test_what_may_not_be_read_any_more_is_deleted(
    open_office: Open, clones: dict[str, Path], database: Database, cache: Path
) -> None:
    office = open_office()
    assert {name for name, _ in places(searched(office, "carry a plate"))} >= {KITCHEN, CELLAR}
    with Administration.open(database.url) as store:
        store.revoke("ann_b", "example.org/*", "*")
    database.user("ann_b", (KITCHEN, "*", False))
    office.others.look()
    found = searched(office, "carry a plate", limit=50)
    assert {name for name, _ in places(found)} == {"", KITCHEN}
    assert not [path for path in cache.rglob("*.py") if path.parent.name == "wine"]


def test_a_later_push_replaces_what_was_pulled(
    open_office: Open, clones: dict[str, Path], ci: str
) -> None:
    office = open_office()
    root = searched(office, "carry_soup_1")["hits"][0]["root"]
    (clones[KITCHEN] / "stove.py").write_text("def light_stove(gas):\n    return gas\n")
    commit_all(clones[KITCHEN])
    push_to(ci, clones[KITCHEN], KITCHEN)
    office.others.look()
    hit = searched(office, "light_stove")["hits"][0]
    assert hit["name"] == "light_stove" and hit["root"] != root
    assert not Path(root).exists()


@pytest.mark.slow
def test_beyond_the_limit_the_files_with_words_of_the_question_are_fetched(
    open_office: Open, ci: str, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CANDIDATES", 3)
    filler = "# " + "plate " * 100 + "\n"
    for name, word in WORDS.items():
        files = {path: text + filler * 100 for path, text in dishes(word).items()}
        push_to(ci, repository(tmp_path / word, name, files), name)
    office = open_office(team__remotes=["kitchen", "cellar"], team__remote_megabytes=1)
    found = searched(office, "carry_wine_3")
    assert (CELLAR, "wine/plate_3.py") in places(found)
    assert any(f"{CELLAR} is too large to pull" in note for note in found["notes"])
    there = {path.name for path in cache.rglob("*.py") if path.parent.name == "wine"}
    assert "plate_3.py" in there and len(there) == 3
    assert named(office, "repo:cellar carry_wine_7")[0] == "carry_wine_7"
    # A later push, which deletes one file and adds another.
    (tmp_path / "wine" / "wine" / "plate_7.py").unlink()
    (tmp_path / "wine" / "cork.py").write_text("def pull_cork(bottle):\n    return bottle\n")
    commit_all(tmp_path / "wine")
    push_to(ci, tmp_path / "wine", CELLAR)
    office.others.look()
    assert (CELLAR, "cork.py") in places(searched(office, "pull_cork"))
    assert "wine/plate_7.py" not in [path for _, path in places(searched(office, "carry_wine_7"))]


def test_repositories_too_large_to_pull_are_one_question_with_one_choice_of_files(
    open_office: Open, ci: str, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CANDIDATES", 4)
    filler = "# " + "plate " * 100 + "\n"
    for name, word in WORDS.items():
        files = {path: text + filler * 200 for path, text in dishes(word).items()}
        push_to(ci, repository(tmp_path / word, name, files), name)
    office = open_office(team__remotes=["kitchen", "cellar"], team__remote_megabytes=1)
    office.others.look()
    found = searched(office, "carry_wine_3")
    assert places(found)[0] == (CELLAR, "wine/plate_3.py")
    large = [note for note in found["notes"] if "too large to pull: searched are" in note]
    assert len(large) == 2 and all("of its 12 files" in note for note in large)
    there = [path for path in cache.rglob("plate_*.py") if path.parent.name in WORDS.values()]
    assert len(there) == 4
    for name, word in WORDS.items():
        assert places(searched(office, f"carry_{word}_7"))[0] == (name, f"{word}/plate_7.py")


@pytest.mark.slow
def test_what_is_dropped_was_not_used_for_longest(
    open_office: Open, ci: str, tmp_path: Path, cache: Path
) -> None:
    filler = "# " + "plate " * 100 + "\n"
    for name, word in WORDS.items():
        files = {path: text + filler * 100 for path, text in dishes(word).items()}
        push_to(ci, repository(tmp_path / word, name, files), name)
    office = open_office(team__remotes=[], team__remote_megabytes=1)
    for name, word in (("kitchen", "soup"), ("cellar", "wine")):
        assert named(office, f"repo:{name} carry_{word}_0")[0] == f"carry_{word}_0"
        assert {path.parent.name for path in cache.rglob("*.py")} == {word}


@pytest.mark.slow
def test_an_organisation_is_a_filter(
    open_office: Open, clones: dict[str, Path], ci: str, tmp_path: Path
) -> None:
    push_to(ci, repository(tmp_path / "barn", BARN, dishes("hay", 2)), BARN)
    office = open_office(team__remotes=["*"])
    searched(office, "carry")
    assert {name for name, _ in places(searched(office, "org:farm carry guest"))} == {BARN}
    found = searched(office, "org:example.org/shop carry guest", limit=50)
    assert {name for name, _ in places(found)} == {KITCHEN, CELLAR}
    with pytest.raises(SettingsError, match=r"'org:navy': no open folder"):
        search(office, "org:navy carry")
    commit_all(office.root, "example.org/farm/office")
    del office.others.repositories
    assert {name for name, _ in places(searched(office, "org:farm carry"))} == {"", BARN}


def test_a_repository_that_is_open_is_not_searched_twice(clones: dict[str, Path], ann: str) -> None:
    settings = settings_from({"team.store": ann, "team.remotes": ["shop/*"]})
    engine = Engine.open(clones[KITCHEN], settings)
    assert engine.settled(60)
    found = searched(engine, "carry a plate", limit=50)
    assert {name for name, _ in places(found)} == {"", CELLAR}
    assert [path for _, path in places(found)].count("soup/plate_1.py") == 1
    engine.close()


def test_a_repository_that_is_open_beside_another_folder_is_not_searched_twice(
    open_office: Open, clones: dict[str, Path]
) -> None:
    office = open_office()
    searched(office, "carry a plate")
    kitchen = Engine.open(clones[KITCHEN], office.index.settings)
    assert kitchen.settled(60)
    for folders in ([office, kitchen], [kitchen, office]):
        call = Call(Roots(folders), office.index.settings, is_typing=True)
        found = answer(call, "search", {"query": "carry a plate", "deep": False, "limit": 50})
        assert {name for name, _ in places(found)} == {"", CELLAR}
    kitchen.close()


def test_other_types_than_code_are_asked_of_the_folder_alone(
    open_office: Open, clones: dict[str, Path]
) -> None:
    office = open_office()
    searched(office, "carry")
    office.notes.add("insight", {"content": "Plates are carried by two"})
    found = search(office, "type:note plates carried")
    assert [hit["type"] for hit in found["hits"]] == ["note"]


def test_while_a_later_push_cannot_be_pulled_the_one_before_is_searched(
    open_office: Open, clones: dict[str, Path], ci: str, database: Database
) -> None:
    office = open_office()
    assert (KITCHEN, "soup/plate_1.py") in places(searched(office, "carry_soup_1"))
    (clones[KITCHEN] / "stove.py").write_text("def light_stove(gas):\n    return gas\n")
    commit_all(clones[KITCHEN])
    push_to(ci, clones[KITCHEN], KITCHEN)
    with database.connect() as connection:
        connection.execute("UPDATE packhound.files SET text = 'x' WHERE path = 'stove.py'")
    assert any("is damaged" in note for note in office.others.look())
    found = search(office, "carry_soup_1")
    assert (KITCHEN, "soup/plate_1.py") in places(found)
    note = f"not searched yet: the newest push of {KITCHEN} (a text of the team's store is damaged)"
    assert note in found["notes"]


def test_without_a_store_a_note_says_so(open_office: Open) -> None:
    office = open_office(team__store="")
    found = search(office, "carry_paper")
    assert places(found) == [("", "desk.py")]
    assert [note for note in found["notes"] if "your 'team.store' names none" in note]
    assert office.others.look() == [note for note in found["notes"] if "team.store" in note]


def test_dates_of_pushes_answer_no_question(open_office: Open, clones: dict[str, Path]) -> None:
    office = open_office()
    assert {name for name, _ in places(searched(office, "carry a plate"))} >= {KITCHEN}
    found = search(office, "carry a plate since:2020-01-01")
    assert {name for name, _ in places(found)} <= {""}
    assert any(note.startswith("without remote repositories") for note in found["notes"])


def test_an_organisation_asks_no_remotes_where_none_are_wanted(
    open_office: Open, clones: dict[str, Path]
) -> None:
    office = open_office()
    searched(office, "carry")
    assert places(searched(office, "org:shop carry a plate"))
    arguments = {"query": "org:shop carry", "remotes": False, "deep": False}
    refusal = "'org:shop': no open folder is of it"
    # A list at each key asks with the remotes next.
    typed = search(office, "org:shop carry", remotes=False)
    assert typed["hits"] == [] and typed["notes"] == [refusal]
    with pytest.raises(SettingsError, match=refusal):
        answer(Call(Roots([office]), office.index.settings), "search", arguments)
    with pytest.raises(SettingsError, match="leave out"):
        named(office, "org:shop repo:kitchen carry")


@pytest.mark.parametrize("name", ["team.remotes", "team.link", "team.remoteMegabytes"])
def test_the_settings_are_the_users(name: str, tmp_path: Path) -> None:
    from packhound.core.settings_files import FolderSettings, Overrides

    value = {"team.remotes": '["*"]', "team.link": '"x"', "team.remoteMegabytes": "7"}[name]
    (tmp_path / ".packhound.toml").write_text(f"{name} = {value}\n")
    in_force = FolderSettings(tmp_path, Overrides(trusted=True)).read()
    assert name not in in_force.layers
    assert any("your own settings alone" in problem for problem in in_force.problems)
    assert read_changes({name: json.loads(value)}).problems == ()


def test_the_command_line_pulls_and_searches_them(
    clones: dict[str, Path], ann: str, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "packhound.toml").write_text(
        f'[team]\nstore = "{ann}"\nremotes = ["shop/*"]\n'
    )
    shutil.copytree(clones[KITCHEN], tmp_path / "mine")

    def run(*arguments: str) -> str:
        done = run_program(*arguments, cwd=tmp_path / "mine")
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "12 files" in run("pull")
    assert "wine" in {path.parent.name for path in cache.rglob("*.py")}
    # A search that finds the store slow says so, and is asked again.
    place = "repo@example.org+shop+cellar@main/wine/plate_3.py"
    wait_until(lambda: place in run("search", "carry_wine_3"))
    assert "repo@" not in run("search", "--no-remotes", "carry_wine_3")


@pytest.mark.slow
def test_an_editor_has_them_in_its_second_answer(
    clones: dict[str, Path], ann: str, tmp_path: Path
) -> None:
    folder = write_files(tmp_path / "office", {"desk.py": "def carry_paper(guest):\n    pass\n"})
    client = LspClient(tmp_path / "editor-cache")
    try:
        settings = {"team": {"store": ann, "remotes": ["shop/*"], "link": LINK}}
        client.initialize(folder, initializationOptions=settings)
        client.settle()
        first = client.request("packhound/search", {"query": "carry_wine_3"})
        assert {hit["path"] for hit in first["hits"]} <= {"desk.py"}
        params = {"query": "carry_wine_3", "remotes": True}
        wait_until(lambda: "wine/plate_3.py carry_wine_3" in client.search(**params), 120)
        hit = client.request("packhound/search", params)["hits"][0]
        assert hit["folder"] == CELLAR and hit["link"].endswith("/wine/plate_3.py#L1")
        assert hit["selectionRange"]["start"] == {"line": 0, "character": 4}
        path = path_from_uri(hit["uri"])
        assert path and "guest.wine(3)" in Path(path).read_text()
        explained = client.request("packhound/explain", {"path": hit["ref"], "root": hit["root"]})
        assert explained["hit"]["name"] == "carry_wine_3"
    finally:
        client.kill()
    assert client.tracebacks() == []
