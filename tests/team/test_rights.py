"""Nobody sees a file, a name or a count that no grant of his covers; a second rule says which."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple
from uuid import UUID

import numpy as np
import psycopg
import pytest

from packhound.core.errors import StoreError
from packhound.team.admin import Administration, Grant
from packhound.team.store import Row, Store
from tests.support.postgres import Database, Server

_worlds = count()
QUERY = [1.0] + [0.0] * 255
ROW = Row(b"\0" * 16, b"", "kitchen.py", b"\1" * 16, 1, b"", b"")


class World(NamedTuple):
    """Users with their groups, grants, branches with their files, and who owns each file."""

    groups: dict[str, set[str]]
    grants: list[Grant]
    branches: dict[tuple[str, str], set[UUID]]
    ids: dict[UUID, tuple[str, str]]
    owners: dict[UUID, str]
    repositories: dict[UUID, str]

    def allows(self, user: str, repository: str, branch: str, *, push: bool = False) -> bool:
        """Apply the rule to a branch, "" for any."""
        return any(
            grant.grantee in {user, *self.groups[user]}
            and _matches(grant.repository, repository)
            and (not branch or _matches(grant.branch, branch))
            and (grant.may_push or not push)
            for grant in self.grants
        )

    def readable(self, user: str) -> set[tuple[str, str]]:
        return {key for key in self.branches if self.allows(user, *key)}

    def files(self, user: str) -> set[UUID]:
        listed = {file for key in self.readable(user) for file in self.branches[key]}
        return listed | {file for file, owner in self.owners.items() if owner == user}


def _matches(pattern: str, name: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def make_world(database: Database, seed: int) -> World:
    draw, number = random.Random(seed), next(_worlds)
    groups = [f"group_{number}_{i}" for i in range(4)]
    users = [f"user_{number}_{i}" for i in range(8)]
    repositories = [f"{org}/{name}" for org in ("a", "ab", "b") for name in ("x", "xy", "z*")]
    names = ["main", "maintain", "ann/1", "ann/2"]
    member_of: dict[str, set[str]] = {}
    for i, group in enumerate(groups):  # A group may be in those before it.
        above = {g for g in groups[:i] if draw.random() < 0.3}
        database.role(group, groups=tuple(above))
        member_of[group] = above.union(*(member_of[g] for g in above))
    for user in users:
        direct = {group for group in groups if draw.random() < 0.3}
        database.role(user, groups=("packhound", *direct))
        member_of[user] = direct.union(*(member_of[group] for group in direct))
    grants = {
        (grant.grantee, grant.repository, grant.branch): grant
        for _ in range(draw.randrange(25))
        for grant in [
            Grant(
                draw.choice([*users, *groups]),
                draw.choice([*repositories, "a*", "ab/*", "*", "nowhere"]),
                draw.choice([*names, "main*", "ann/*", "*"]),
                draw.random() < 0.4,
            )
        ]
    }
    with Administration.open(database.url) as store:
        for grant in grants.values():
            store.grant(grant)
    branches: dict[tuple[str, str], set[UUID]] = {}
    ids: dict[UUID, tuple[str, str]] = {}
    owners, of = dict[UUID, str](), dict[UUID, str]()
    with database.connect() as connection:
        for repository in draw.sample(repositories, 5):
            files = []
            for i in range(6):
                owner = draw.choice([*users, "postgres", "postgres"])
                row = connection.execute(
                    "INSERT INTO packhound.files"
                    " (repository, key, owner, path, origin, digest, nodes, analysis, text)"
                    " VALUES (%s, %s, %s, %s, '', '', 1, '', '') RETURNING id",
                    [repository, bytes([i]) * 16, owner, f"{repository}/{i}.py"],
                ).fetchone()
                assert row
                connection.execute(
                    "INSERT INTO packhound.vectors VALUES (%s, %s, 0, 'encoder', %s, %s)",
                    [repository, row[0], str(QUERY), draw.random() < 0.5],
                )
                files.append(row[0])
                owners[row[0]], of[row[0]] = owner, repository
            for name in draw.sample(names, 2):
                chosen = {*draw.sample(files, draw.randrange(5))}
                branches[repository, name] = chosen
                row = connection.execute(
                    "INSERT INTO packhound.branches (repository, name, commit)"
                    " VALUES (%s, %s, '') RETURNING id",
                    [repository, name],
                ).fetchone()
                assert row
                ids[row[0]] = repository, name
                for file in chosen:
                    query = "INSERT INTO packhound.contents VALUES (%s, %s)"
                    connection.execute(query, [row[0], file])
                connection.execute("INSERT INTO packhound.words VALUES (%s, 0, '')", [row[0]])
    return World({u: member_of[u] for u in users}, [*grants.values()], branches, ids, owners, of)


def check_reading(world: World, user: str, connection: psycopg.Connection) -> int:
    """Ask all that a user can read, by every road; return the number of questions."""
    files, branches = world.files(user), world.readable(user)

    def ask(query: str, *values: object) -> set[tuple[object, ...]]:
        return {*connection.execute(query, [*values])}

    assert ask("SELECT id FROM packhound.files") == {(file,) for file in files}
    assert ask("SELECT count(*) FROM packhound.files") == {(len(files),)}
    assert ask("SELECT repository, name FROM packhound.branches") == branches
    assert ask("SELECT count(*) FROM packhound.branches") == {(len(branches),)}
    assert ask("SELECT count(*) FROM packhound.words") == {(len(branches),)}
    listed = {file for key in branches for file in world.branches[key]}
    assert ask("SELECT DISTINCT file FROM packhound.contents") == {(file,) for file in listed}
    assert ask("SELECT file FROM packhound.vectors") == {(file,) for file in listed}
    assert ask("SELECT count(*) FROM packhound.vectors") == {(len(listed),)}
    nearest = "SELECT packhound.nearest(%s, %s, 'encoder', %s::real[], 100)"
    for branch, key in world.ids.items():
        there = world.branches[key] if key in branches else set()
        assert ask(nearest, [key[0]], [branch], QUERY) == {(file,) for file in there}
    shown = {(repository,) for file, repository in world.repositories.items() if file in files}
    assert ask("SELECT repository FROM packhound.usage") == shown
    hidden = [file for file in world.owners if file not in files]
    assert ask("SELECT FROM packhound.files WHERE id = ANY(%s)", hidden) == set()
    own = {user, *world.groups[user]}
    assert {row[0] for row in ask("SELECT grantee FROM packhound.grants")} <= own
    return 11 + len(world.ids)


def check_writing(world: World, user: str, draw: random.Random, url: str) -> int:
    """Try to push where it is granted and where not, and to list what may not be seen."""
    files = world.files(user)
    hidden = [file for file in world.owners if file not in files]
    refusals = set()
    with Store.open(url) as store:
        for file, repository in world.repositories.items():
            if file in files and world.allows(user, repository, "", push=True):
                continue
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                store.put_vectors(repository, "false", {file: np.array([QUERY])}, indexed=False)
        for repository, branch in [*world.branches, ("a/x", "ann/new"), ("other/x", "main")]:
            may = world.allows(user, repository, branch, push=True)
            assert store.may_push(repository, branch) == may
            if hidden and may:
                try:
                    store.set_branch(repository, branch, "", {draw.choice(hidden)})
                except psycopg.errors.InsufficientPrivilege:
                    continue
                raise AssertionError("a file that may not be seen was listed")
            if not may:
                with pytest.raises(psycopg.errors.InsufficientPrivilege) as refused:
                    store.set_branch(repository, branch, "", set())
                refusals.add(str(refused.value))
    assert len(refusals) <= 1  # The same whether the branch is there or not.
    return len(world.branches)


def rounds(server: Server, seeds: Iterator[int], n_questions: int) -> None:
    n = 0
    while n < n_questions:
        seed = next(seeds)
        database = Database(server.url)
        world = make_world(database, seed)
        for user in world.groups:
            with database.connect(user) as connection:
                n += check_reading(world, user, connection)
            n += check_writing(world, user, random.Random(seed), database.url_of(user))


def test_users_see_what_is_granted_to_them_and_their_groups(server: Server) -> None:
    rounds(server, count(), 300)


@pytest.mark.release
def test_ten_thousand_questions(server: Server) -> None:
    rounds(server, count(1_000), 10_000)


def test_a_user_without_the_role_of_the_store_reads_nothing(database: Database) -> None:
    database.role("stranger")
    with (
        pytest.raises(StoreError, match="lets you do no such thing"),
        Store.open(database.url_of("stranger")) as store,
    ):
        store.known_keys(["a/x"])


def test_what_two_people_push_is_kept_apart(database: Database) -> None:
    ann = database.user("ann_1", ("a/x", "ann/*", True))
    bob = database.user("bob_1", ("a/x", "bob/*", True))
    with Store.open(ann) as store:
        of_ann = store.add("a/x", [ROW])
        store.set_branch("a/x", "ann/1", "", {*of_ann.values()})
    with Store.open(bob) as store:
        assert store.known_keys(["a/x"]) == {}
        of_bob = store.add("a/x", [ROW])
        assert of_bob.keys() == of_ann.keys() and of_bob != of_ann
        assert store.analyses([*of_ann.values()]) == {}
        store.set_branch("a/x", "bob/1", "", {*of_bob.values()})
        assert store.known_keys(["a/x"]) == of_bob
    with Store.open(ann) as store:
        assert store.known_keys(["a/x"]) == of_ann


def test_files_are_pushed_under_no_other_name_and_only_where_granted(database: Database) -> None:
    url = database.user("ann_2", ("a/x", "*", True), ("a/y", "*", False))
    columns = "repository, key, path, origin, digest, nodes, analysis, text"
    with psycopg.connect(url, autocommit=True) as connection:
        for repository, owner in (("a/x", "postgres"), ("a/y", "ann_2"), ("a/z", "ann_2")):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(
                    f"INSERT INTO packhound.files ({columns}, owner)"
                    " VALUES (%s, '', '', '', '', 0, '', '', %s)",
                    [repository, owner],
                )
        for statement in (
            "UPDATE packhound.files SET analysis = ''",
            "DELETE FROM packhound.files",
            "INSERT INTO packhound.grants VALUES ('ann_2', '*', '*', true)",
            "SELECT * FROM packhound.erased",
            "CREATE TABLE packhound.mine (x int)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)
