"""`repo:NAME`: repositories of the store that are not cloned, asked as a folder is."""

from __future__ import annotations

import hashlib
import threading
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from pathlib import Path
from uuid import UUID

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import settings_from
from packhound.files import WalkLimits
from packhound.git import find_revision
from packhound.operations import Call, answer
from packhound.service import remotes
from packhound.service.engine import Engine
from packhound.service.several_roots import Roots
from packhound.team.admin import Administration
from packhound.team.push import push
from packhound.team.remote import match_branches
from packhound.team.store import Branch, Row, Store
from tests.support.postgres import Database
from tests.team.conftest import commit_all

KITCHEN, CELLAR = "example.org/shop/kitchen", "example.org/shop/cellar"
TOKEN = "ghp_" + "4f9aK2mQ8sLw7RtYx1Zc3Vb6Nn5Jd0HgPqE2"


def repository(folder: Path, name: str, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    commit_all(folder, name)
    return folder


def push_to(url: str, root: Path, name: str, branch: str = "main") -> None:
    revision = find_revision(root, "HEAD")
    assert revision
    with Store.open(url, for_push=True) as store:
        push(store, root, revision, name, branch, WalkLimits())


def ask(engine: Engine, operation: str, /, **arguments: object) -> dict:
    return answer(Call(Roots([engine]), engine.index.settings), operation, arguments)


@pytest.fixture
def kitchen(tmp_path: Path) -> Path:
    files = {
        f"cook/dish_{i}.py": f"def serve_dish_{i}(guest):\n    return {i}\n" for i in range(20)
    }
    files["cook/stove.py"] = f'TOKEN = "{TOKEN}"\n\n\ndef light_stove(gas):\n    return gas\n'
    return repository(tmp_path / "kitchen", KITCHEN, files)


@pytest.fixture
def ci(database: Database) -> str:
    return database.user("ci_r", ("example.org/*", "*", True))


@pytest.fixture
def office(database: Database, ci: str, tmp_path: Path) -> Iterator[Engine]:
    """A folder of a user who may read the kitchen, and not the cellar."""
    url = database.user("ann_r", (KITCHEN, "*", False))
    (tmp_path / "office").mkdir()
    (tmp_path / "office" / "desk.py").write_text("def tidy_desk():\n    pass\n")
    engine = Engine.open(tmp_path / "office", settings_from({"team.store": url}))
    assert engine.settled(60)
    yield engine
    engine.close()


def test_a_repository_that_is_not_cloned_is_searched_and_read(
    office: Engine, ci: str, kitchen: Path
) -> None:
    push_to(ci, kitchen, KITCHEN)
    found = ask(office, "search", query="repo:kitchen light_stove")
    hit = found["hits"][0]
    assert (hit["name"], hit["path"]) == ("light_stove", "cook/stove.py")
    assert hit["label"] == "repo@example.org+shop+kitchen@main"
    assert any("without secrets" in note and KITCHEN in note for note in found["notes"])
    read = ask(office, "read_node", path=f"{hit['label']}/cook/stove.py")
    assert "REDACTED" in read["text"] and TOKEN not in read["text"]
    lines = ask(office, "grep", pattern="def serve_dish_1[0-9]", root=f"repo:{KITCHEN}")
    assert lines["total_lines"] == 10
    # Its files came as they were pushed, so nothing of them is parsed again.
    other = office.others.at(hit["root"])
    assert other and other.engine.index.stored
    assert other.engine.index.stored.problem == ""
    written = [path for path in Path(hit["root"]).rglob("*") if path.is_file()]
    assert len(written) == 21 and not any(path.stat().st_mode & 0o277 for path in written)
    assert "light_stove" not in [h["name"] for h in ask(office, "search", query="stove")["hits"]]


def test_what_may_not_be_read_is_as_if_it_were_not_there(
    office: Engine, ci: str, kitchen: Path
) -> None:
    push_to(ci, kitchen, CELLAR)
    refusals = []
    for name in ("cellar", "nowhere"):
        with pytest.raises(SettingsError) as refused:
            ask(office, "search", query=f"repo:{name} light_stove")
        refusals.append(str(refused.value).replace(name, "NAME"))
    assert refusals[0] == refusals[1]


def test_another_branch_and_a_later_push(
    office: Engine, ci: str, kitchen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remotes, "_BRANCH_S", 0.0)
    push_to(ci, kitchen, KITCHEN)
    assert ask(office, "search", query="repo:shop/kitchen light_stove")["hits"]
    (kitchen / "cook" / "oven.py").write_text("def open_oven(door):\n    return door\n")
    commit_all(kitchen)
    push_to(ci, kitchen, KITCHEN, "ann/oven")
    for query in ("repo:kitchen@ann/oven open_oven", "repo:kitchen@main open_oven"):
        names = [hit["name"] for hit in ask(office, "search", query=query)["hits"]]
        assert ("open_oven" in names) == ("oven " in query)
    push_to(ci, kitchen, KITCHEN)
    names = [hit["name"] for hit in ask(office, "search", query="repo:kitchen open_oven")["hits"]]
    assert names[0] == "open_oven"


def test_those_who_ask_at_once_have_it_written_once(
    office: Engine, ci: str, kitchen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push_to(ci, kitchen, KITCHEN)
    before_writing, local, written = threading.Barrier(2), threading.local(), []
    read_tree, write_branch = remotes.team.read_tree, remotes.team.write_branch

    def read_together(folder: Path) -> object:
        tree = read_tree(folder)
        if threading.current_thread().name.startswith("asker") and not hasattr(local, "has_read"):
            local.has_read = True
            before_writing.wait(60)  # Both have seen that there is none.
        return tree

    def note_writing(*arguments: object) -> int:
        written.append(arguments)
        return write_branch(*arguments)

    monkeypatch.setattr(remotes.team, "read_tree", read_together)
    monkeypatch.setattr(remotes.team, "write_branch", note_writing)
    with ThreadPoolExecutor(2, "asker") as pool:
        query = "repo:kitchen light_stove"
        answers = [pool.submit(ask, office, "search", query=query) for _ in range(2)]
        names = [each.result()["hits"][0]["name"] for each in answers]
    assert names == ["light_stove"] * 2 and len(written) == 1


def test_what_may_not_be_read_any_more_is_deleted_when_another_is_asked(
    office: Engine, ci: str, kitchen: Path, database: Database, cache: Path
) -> None:
    push_to(ci, kitchen, KITCHEN)
    push_to(ci, kitchen, CELLAR)
    assert ask(office, "search", query="repo:kitchen light_stove")["hits"]
    with Administration.open(database.url) as store:
        store.revoke("ann_r", KITCHEN, "*")
    database.user("ann_r", (CELLAR, "*", False))
    hits = ask(office, "search", query="repo:cellar light_stove")["hits"]
    assert hits[0]["label"] == "repo@example.org+shop+cellar@main"
    assert len([*cache.rglob("stove.py")]) == 1


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    name = "host/shop/" + "a" * 400
    branch = Branch(UUID(int=1), name, "main", "0" * 40, datetime.now(timezone.utc))
    assert match_branches([branch], "*a" * 40 + "b") == []
    assert match_branches([branch], "*" * 200 + "b") == []
    for pattern in ("shop/*", "*", "h*/a*", "**a"):
        assert match_branches([branch], pattern) == [branch]
    for pattern in ("op/*", "shop", "[a]*", "?*"):
        assert match_branches([branch], pattern) == []


def test_a_pusher_cannot_write_outside_the_folder(office: Engine, ci: str, cache: Path) -> None:
    rows = []
    for i, path in enumerate(["../evil.py", "/tmp/evil.py", ".git/config", "good.py", "a/../b.py"]):
        text = b"def good():\n    pass\n"
        digest = hashlib.blake2b(text, digest_size=16).digest()
        rows.append(Row(bytes([i]) * 16, b"", path, digest, 1, b"junk", zlib.compress(text)))
    with Store.open(ci) as store:
        store.set_branch(KITCHEN, "main", "0" * 40, {*store.add(KITCHEN, rows).values()})
    hits = ask(office, "search", query="repo:kitchen good")["hits"]
    assert [hit["path"] for hit in hits] == ["good.py"]
    assert [path.name for path in cache.rglob("*.py")] == ["good.py"]


def test_without_a_store_the_remedy_is_said(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    engine = Engine.open(tmp_path / "plain")
    with pytest.raises(SettingsError, match=r"team\.store"):
        ask(engine, "search", query="repo:kitchen stove")
    engine.close()
