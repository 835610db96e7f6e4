"""A push that is killed, or whose server is, is never half visible; the next one completes it."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.team.store import Store
from tests.support.postgres import Database, Server
from tests.team.conftest import CHECKOUT, REPOSITORY, commit_all
from tests.team.test_reading import parsed, read_from

N_FILES = 40
BEGIN_S, LONGEST_S = 0.05, 1.5


@pytest.fixture(scope="module")
def mortal_server() -> Iterator[Server]:
    server = Server()
    yield server
    server.stop()


def change(root: Path, round_: int) -> None:
    """Commit a change of half of the files."""
    root.mkdir(exist_ok=True)
    for i in range(round_ % 2, N_FILES, 2 if round_ else 1):
        body = "".join(f"    step_{j} = {round_ * j}\n" for j in range(1, 40))
        (root / f"m{i}.py").write_text(f"def mend_roof_{i}_{round_}(tiles):\n{body}")
    commit_all(root)


def listed(database: Database) -> set[tuple[str, bytes]]:
    """Path and digest of each file of the branch, of which none may be there twice."""
    with database.connect() as connection:
        rows = connection.execute(
            "SELECT f.path, f.digest FROM packhound.branches b"
            " JOIN packhound.contents c ON c.branch = b.id JOIN packhound.files f ON f.id = c.file"
        ).fetchall()
        doubled = connection.execute(
            "SELECT FROM packhound.files GROUP BY repository, key, owner HAVING count(*) > 1"
        ).rowcount
    assert len({path for path, _ in rows}) == len(rows) and not doubled
    return {*rows}


def files_of(root: Path) -> set[tuple[str, bytes]]:
    return {(file.path, file.digest) for file in parsed(root).values()}


def start(url: str, root: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.support.push_child", url, str(root), REPOSITORY]
    return subprocess.Popen(
        command, cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def push_whole(url: str, root: Path) -> None:
    with start(url, root) as child:
        child.communicate(timeout=60)
    assert child.returncode == 0


def kill_pushes(server: Server, root: Path, n_kills: int, *, seed: int) -> None:
    """Kill client and server in turn while they push commit after commit."""
    draw, database = random.Random(seed), Database(server.url)
    url = database.user("mortal", (REPOSITORY, "*", True))
    before: set[tuple[str, bytes]] = set()
    for round_ in range(n_kills):
        change(root, round_)
        after = files_of(root)
        with start(url, root) as child:
            assert child.stdout and child.stdout.readline() == "begins\n"
            time.sleep(draw.uniform(BEGIN_S, LONGEST_S))
            if round_ % 4 == 3:
                server.kill()
                server.restart()
            else:
                child.kill()
            is_acknowledged = "done" in child.communicate(timeout=60)[0]
        seen = listed(database)
        assert seen == after or (seen == before and not is_acknowledged)
        before = seen
        if round_ % 2:
            push_whole(url, root)
            assert listed(database) == after
            before = after
    push_whole(url, root)
    files, paths, _ = read_from(url, root)
    assert paths == [] and files == parsed(root)


@pytest.mark.slow
def test_pushes_and_servers_that_are_killed(mortal_server: Server, tmp_path: Path) -> None:
    kill_pushes(mortal_server, tmp_path / "clone", 4, seed=1)


@pytest.mark.release
def test_two_hundred_kills(mortal_server: Server, tmp_path: Path) -> None:
    for seed in range(20):
        kill_pushes(mortal_server, tmp_path / f"clone{seed}", 10, seed=seed)


@pytest.mark.slow
def test_what_a_dead_push_left_goes_in_time(server: Server, tmp_path: Path) -> None:
    database, root = Database(server.url), tmp_path / "clone"
    url = database.user("tidy", (REPOSITORY, "*", True))
    change(root, 0)
    push_whole(url, root)
    first = listed(database)
    with database.connect() as connection:
        connection.execute("UPDATE packhound.files SET pushed_at = now() - interval '2 days'")
    change(root, 1)
    push_whole(url, root)
    with database.connect() as connection:
        rows = connection.execute("SELECT path, digest FROM packhound.files").fetchall()
    assert {*rows} == listed(database) != first


def test_two_who_push_at_once_leave_the_commit_of_one(server: Server, tmp_path: Path) -> None:
    database, roots = Database(server.url), [tmp_path / "one", tmp_path / "two"]
    url = database.user("tidy", (REPOSITORY, "*", True))
    for i, root in enumerate(roots):
        change(root, 0)
        change(root, i + 1)
    children = [start(url, root) for root in roots]
    for child in children:
        with child:
            child.communicate(timeout=60)
        assert child.returncode == 0
    assert listed(database) in [files_of(root) for root in roots]


def test_a_branch_that_is_removed_leaves_those_beside_it(server: Server, tmp_path: Path) -> None:
    database, root = Database(server.url), tmp_path / "clone"
    url = database.user("tidy", (REPOSITORY, "*", True))
    change(root, 0)
    push_whole(url, root)
    with Store.open(url) as store:
        files = {*store.known_keys([REPOSITORY]).values()}
        store.set_branch(REPOSITORY, "other", "", files)
        assert store.remove_branch(REPOSITORY, "main")
        assert not store.remove_branch(REPOSITORY, "main")
        assert [branch.name for branch in store.branches()] == ["other"]
    assert {digest for _, digest in listed(database)} == {digest for _, digest in files_of(root)}
