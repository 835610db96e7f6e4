"""`packhound team`, `push` and `pull` as two people of a team use them, one with fewer rights."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import packhound
from tests.support.git_repository import git
from tests.support.postgres import Database, Server
from tests.team.conftest import commit_all


@pytest.fixture
def team(server: Server) -> Database:
    """A database without tables, and two users who have no role of it yet."""
    database = Database(server.url, is_set_up=False)
    for user in ("ci", "ann", "bob"):
        database.role(user)
    return database


def kitchen(tmp_path: Path) -> Path:
    root = tmp_path / "kitchen"
    root.mkdir()
    for i in range(20):
        text = f'def boil_water_{i}(jug):\n    """Heat it."""\n    return jug\n'
        (root / f"cook{i}.py").write_text(text)
    commit_all(root, "example.org/shop/kitchen")
    return root


def test_two_people_and_a_store(team: Database, tmp_path: Path) -> None:
    def run(user: str, *arguments: str, stdin: str = "") -> str:
        url = team.url_of(user) if user else team.url
        option = "--from" if arguments[0] == "pull" else "--to"
        done = packhound(tmp_path, *arguments, option, url, stdin=stdin)
        return done.stdout + done.stderr

    root = kitchen(tmp_path)
    push, pull = ("push", "--root", str(root)), ("pull", "--root", str(root))
    assert "run 'packhound team setup'" in run("ci", *push)
    assert "the tables have version 4" in run("", "team", "setup")
    run("", "team", "grant", "ci", "example.org/shop/*", "--push")
    run("", "team", "grant", "ann", "example.org/shop/kitchen", "--branch", "main")
    run("", "team", "grant", "bob", "example.org/shop/cellar")
    assert "has no user or group 'eve'" in run("", "team", "grant", "eve", "*")

    assert "20 files, 20 of them parsed and moved" in run("ci", *push)
    assert "20 files, 0 of them parsed" in run("ci", *push)
    assert "you may not push to 'main'" in run("ann", *push)

    status = run("ann", "team", "status")
    assert "example.org/shop/kitchen: 1 branches, 20 files" in status
    assert "ann reads 'main' of 'example.org/shop/kitchen'" in status and "bob" not in status
    assert "kitchen" not in run("bob", "team", "status")
    assert "20 files, 20 of them from the store" in run("ann", *pull)
    packhound(tmp_path, "clear", "--root", str(root))
    assert "20 files, 0 of them from the store" in run("bob", *pull)
    packhound(tmp_path, "clear", "--root", str(root))

    secret = "boil_water_7(jug)"
    assert "give --yes" in run("", "team", "erase", stdin=secret)
    assert "lets you do no such thing" in run("ci", "team", "erase", "--yes", stdin=secret)
    assert "erased 1 files" in run("", "team", "erase", "--yes", stdin=secret)
    again = run("ci", *push)
    assert "19 files, 0 of them" in again and "'cook7.py' is left to each reader" in again
    with team.connect() as connection:
        left = connection.execute("SELECT count(*) FROM packhound.files").fetchone()
    assert left == (19,)

    run("", "team", "revoke", "ann", "example.org/shop/kitchen", "--branch", "main")
    assert "20 files, 0 of them from the store" in run("ann", *pull)
    assert "kitchen" not in run("ann", "team", "status")
    run("ci", "team", "remove", "example.org/shop/kitchen", "main")
    assert "has no branch 'main'" in run("ci", "team", "remove", "example.org/shop/kitchen", "main")


def test_a_push_names_its_repository_and_branch(team: Database, tmp_path: Path) -> None:
    team.set_up()
    root = kitchen(tmp_path)
    git(root, "checkout", "-q", "--detach")
    push = ("push", "--root", str(root), "--to", team.url)
    assert "give --branch" in packhound(tmp_path, *push).stderr
    git(root, "remote", "remove", "origin")
    assert "give --repository" in packhound(tmp_path, *push).stderr
    done = packhound(tmp_path, *push, "--repository", "shed", "--branch", "v1")
    assert done.stdout.startswith("shed v1: 20 files, 20 of them")
    unnamed = packhound(tmp_path, *push[:3], "--repository", "shed", "--branch", "v1")
    assert "name the store" in unnamed.stderr
