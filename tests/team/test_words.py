"""The inverted table of a branch: after any pushes what one made from nothing would be."""

from __future__ import annotations

import random
import zlib
from pathlib import Path

import msgspec
import pytest

from packhound.team import words
from packhound.team.admin import Administration
from packhound.team.store import Branch, Store
from packhound.text import terms
from tests.support.postgres import Database
from tests.team.conftest import commit_all
from tests.team.test_remote import CELLAR, KITCHEN, push_to, repository

WORDS = ("soup", "wine", "plate", "guest", "stove", "oven", "bread")


def table(store: Store, branch: Branch) -> dict[str, set[str]]:
    """Return the paths of the files that have each term, as the parts say it."""
    parts = store.words(branch.id)
    blocks = [parts[part] for part in sorted(parts) if part >= 256]
    ids = [block[i : i + 16] for block in blocks for i in range(0, len(block), 16)]
    paths: dict[str, set[str]] = {}
    for part, packed in parts.items():
        if 0 <= part < 256:
            for term, numbers in msgspec.msgpack.decode(zlib.decompress(packed)).items():
                uuids = [words.UUID(bytes=ids[number]) for number in numbers]
                paths[term] = {*store.texts_of(branch, uuids)}
                assert len(paths[term]) == len(numbers)
    return paths


def branch_named(store: Store, name: str) -> Branch:
    return next(branch for branch in store.branches() if branch.name == name)


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_after_any_pushes_it_is_as_if_made_from_nothing(
    seed: int, database: Database, tmp_path: Path
) -> None:
    draw, url = random.Random(seed), database.user("ci_w", ("*", "*", True))

    def text() -> str:
        names = "_".join(draw.sample(WORDS, 3))
        return f"def {names}(x):\n    return {draw.choice(WORDS)}(x)\n"

    root = repository(tmp_path / "clone", KITCHEN, {f"f{i}.py": text() for i in range(12)})
    push_to(url, root, KITCHEN)
    for n_push in range(4):
        for path in draw.sample(sorted(root.glob("*.py")), 3):
            path.unlink()
        for i in range(draw.randrange(6)):
            (root / f"new_{n_push}_{i}.py").write_text(text())
        draw.choice(sorted(root.glob("*.py"))).write_text(text())
        commit_all(root)
        push_to(url, root, KITCHEN)
    push_to(url, root, KITCHEN, "from_nothing")
    with Store.open(url) as store:
        grown, made = (branch_named(store, name) for name in ("main", "from_nothing"))
        assert table(store, grown) == table(store, made)
        assert table(store, made)["soup"] == {
            path.name for path in root.glob("*.py") if "soup" in path.read_text()
        }
        n_files = len([*root.glob("*.py")])
        assert words.files_with_words(store, [grown], ["soup"], 100).n_files == {grown.id: n_files}


def test_files_with_the_rarest_terms_come_first(database: Database, tmp_path: Path) -> None:
    url = database.user("ci_w", ("*", "*", True))
    files = {f"f{i}.py": f"def serve(guest):\n    return plate_{i}(guest)\n" for i in range(9)}
    files["f5.py"] = "def serve(guest):\n    return stove(guest)\n"
    push_to(url, repository(tmp_path / "clone", KITCHEN, files), KITCHEN)
    with Store.open(url) as store:
        branch = branch_named(store, "main")
        found = words.files_with_words(store, [branch], terms("guest stove nowhere"), 3)
        assert len(found.files) == 3 and [*store.texts_of(branch, found.files[:1])] == ["f5.py"]
        assert words.files_with_words(store, [branch], ["nowhere"], 3).files == []


def test_of_several_repositories_a_term_is_as_rare_as_in_all_of_them(
    database: Database, tmp_path: Path
) -> None:
    url = database.user("ci_w", ("*", "*", True))
    kitchen = {f"f{i}.py": f"def serve_{i}(guest):\n    pass\n" for i in range(9)}
    kitchen["stove.py"] = "def light(stove):\n    pass\n"
    cellar = {f"f{i}.py": "def cork(stove):\n    pass\n" for i in range(5)}
    cellar |= {f"g{i}.py": "def oven(stove):\n    pass\n" for i in range(5)}
    push_to(url, repository(tmp_path / "kitchen", KITCHEN, kitchen), KITCHEN)
    push_to(url, repository(tmp_path / "cellar", CELLAR, cellar), CELLAR)
    cook = database.user("cook_w", (KITCHEN, "*", False))
    asked = terms("stove oven")
    likely = {"stove": {"stove.py"}, "oven": {f"g{i}.py" for i in range(5)}}
    for of, best, sizes in ((url, "oven", [10, 10]), (cook, "stove", [10])):
        with Store.open(of) as store:
            branches = store.branches()
            found = words.files_with_words(store, branches, asked, 6)
            assert [*found.n_files.values()] == sizes
            repositories = {path for b in branches for path in store.texts_of(b, found.files[:1])}
            assert repositories <= likely[best]
            assert repositories


def test_a_damaged_table_finds_nothing_and_is_made_anew(database: Database, tmp_path: Path) -> None:
    url = database.user("ci_w", ("*", "*", True))
    root = repository(tmp_path / "clone", KITCHEN, {"a.py": "def soup():\n    pass\n"})
    push_to(url, root, KITCHEN)
    for junk in (b"", b"junk", zlib.compress(b"\x93\x01"), zlib.compress(b"\x81\xa4soup\x91\xff")):
        with database.connect() as connection:
            connection.execute("UPDATE packhound.words SET packed = %s", [junk])
        with Store.open(url) as store:
            branch = branch_named(store, "main")
            assert words.files_with_words(store, [branch], ["soup"], 3).files == []
    push_to(url, root, KITCHEN)
    with Store.open(url) as store:
        found = words.files_with_words(store, [branch_named(store, "main")], ["soup"], 3)
        assert len(found.files) == 1


def test_what_is_erased_leaves_no_word(database: Database, tmp_path: Path) -> None:
    url = database.user("ci_w", ("*", "*", True))
    files = {"a.py": "def lamp():\n    return zanzibar\n", "b.py": "def wine():\n    pass\n"}
    root = repository(tmp_path / "clone", KITCHEN, files)
    push_to(url, root, KITCHEN)
    both = {*terms("zanzibar wine")}
    with Store.open(url) as store:
        assert both <= {*table(store, branch_named(store, "main"))}
    with Administration.open(database.url, for_push=True) as store:
        assert store.erase(b"zanzibar") == 1
        assert store.words(branch_named(store, "main").id) == {}
    push_to(url, root, KITCHEN)
    with Store.open(url) as store:
        assert both & {*table(store, branch_named(store, "main"))} == {*terms("wine")}
