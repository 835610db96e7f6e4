"""Notes in `.packhound/notes` of the workspace: for a team, and never from an untrusted folder."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.errors import PackhoundError, SettingsError
from packhound.core.settings_files import FolderSettings, Layer, Overrides
from packhound.core.types import Query
from packhound.service import Engine
from tests.support.git_repository import git
from tests.support.operations import memory
from tests.support.project import wait_until

SECRET = "ghp_" + "x7Kq9TzL2mVb4NcR8wYpD1sF6hJ3gA0eUiOk"
STRANGER = 54_321
posix = pytest.mark.skipif(os.name != "posix", reason="links and FIFOs of POSIX")


@pytest.fixture
def team(root: Path, cache: Path) -> Iterator[Engine]:
    """The engine of a trusted folder, whose notes are shared."""
    layer = Layer("client", {"notes.shared": True})
    engine = Engine.open(root, FolderSettings(root, Overrides((layer,), trusted=True)))
    assert engine.settled(60)
    yield engine
    engine.close()


def add(engine: Engine, content: str, **values: object) -> dict[str, object]:
    return memory(engine, "add", {"type": "insight", "content": content, **values})


def contents(engine: Engine) -> list[str]:
    return [str(note.fields["content"]) for note in engine.notes.notebook.all()]


def folder(engine: Engine) -> Path:
    return engine.root / ".packhound" / "notes"


def test_a_shared_note_is_a_file_to_review(team: Engine) -> None:
    row = add(
        team, "Mail leaves\nthrough the queue", key="mail", code=["shop/mail.py#send_receipt"]
    )
    [path] = folder(team).iterdir()
    assert path.name == f"{row['id']}.json"
    text = path.read_text("utf-8")
    assert '"content": [\n    "Mail leaves",\n    "through the queue"\n  ],' in text
    assert '"    connect().send(address, render(order))"' in text
    [note] = team.notes.notebook.all()
    assert (note.shared, note.text) == (True, "Mail leaves\nthrough the queue")
    assert not team.notes.notebook.store.path.exists()
    hit = team.search(Query("send_receipt")).hits[0]
    assert [mark.record.title for mark in hit.notes] == ["mail"]


def test_private_notes_stay_private(team: Engine) -> None:
    add(team, "mine", shared=False)
    assert not folder(team).exists()
    with pytest.raises(SettingsError, match="'shared' is 'yes'; expected one of: true, false"):
        add(team, "x", shared="yes")


def test_change_and_forget_change_the_file(team: Engine) -> None:
    identity = add(team, "one")["id"]
    changed = memory(team, "change", {"id": identity, "content": "two"})
    assert (changed["content"], changed["shared"]) == ("two", True)
    assert contents(team) == ["two"]
    assert memory(team, "forget", {"id": identity}) == {"status": "deleted"}
    assert [*folder(team).iterdir()] == []
    assert memory(team, "forget", {"id": identity}) == {"status": "not_found"}


def test_secrets_are_not_written(team: Engine) -> None:
    values = {"key": SECRET, "author": SECRET, "tags": [SECRET], "metadata": {SECRET: [SECRET]}}
    (team.root / "shop" / "keys.py").write_text(f"def connect():\n    return {SECRET!r}\n")
    team.refresh()
    assert team.settled(60)
    row = add(team, f"use {SECRET}", code=["shop/keys.py#connect"], **values)
    [path] = folder(team).iterdir()
    assert SECRET not in path.read_text("utf-8")
    assert "REDACTED" in path.read_text("utf-8")
    assert row["state"] == "", "the digest is that of the code as it is"


def test_an_untrusted_folder_is_ignored_and_named(team: Engine, tmp_path: Path) -> None:
    add(team, "queue mail", code=["shop/mail.py#send_receipt"])
    clone = tmp_path / "clone"
    shutil.copytree(team.root, clone)
    stranger = Engine.open(clone, FolderSettings(clone))
    assert stranger.settled(60)
    assert stranger.notes.notebook.all() == []
    assert stranger.search(Query("send_receipt")).hits[0].notes == ()
    results = stranger.search(Query("queue", types=("note",)))
    assert results.hits == ()
    remedy = f"'{clone}' is not trusted; if you trust it, add it to 'folders.trusted'"
    assert f"notes: '.packhound/notes' is ignored: {remedy}" in results.notes
    with pytest.raises(SettingsError, match=r"no note can be shared: .* is not trusted"):
        add(stranger, "x", shared=True)
    assert not [
        hit for hit in stranger.search(Query("queue mail")).hits if "notes" in hit.node.path
    ]
    stranger.close()


def test_the_users_setting_trusts_a_folder(
    team: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(team, "queue mail")
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir(exist_ok=True)
    trust = f"folders.trusted = ['{tmp_path}']\n"
    (team.root / ".packhound.toml").write_text(trust)
    assert not FolderSettings(team.root).read().trusted, "no folder trusts itself"
    (tmp_path / "config" / "packhound.toml").write_text(trust)
    assert FolderSettings(team.root).read().trusted
    assert not FolderSettings(tmp_path.parent / "other").read().trusted


def test_two_peoples_notes_merge_and_none_is_lost(team: Engine) -> None:
    git(team.root, "init")
    first = add(team, "both know")
    git(team.root, "add", "-A")
    git(team.root, "commit", "-m", "one")
    git(team.root, "checkout", "-b", "theirs")
    add(team, "theirs")
    memory(team, "change", {"id": first["id"], "content": "changed"})
    git(team.root, "add", "-A")
    git(team.root, "commit", "-m", "two")
    git(team.root, "checkout", "-")
    add(team, "ours")
    git(team.root, "add", "-A")
    git(team.root, "commit", "-m", "three")
    git(team.root, "merge", "theirs", "-m", "merged")
    wait_until(lambda: set(contents(team)) == {"changed", "theirs", "ours"})


def test_an_edit_in_place_is_seen(team: Engine) -> None:
    add(team, "before")
    assert contents(team) == ["before"]
    [path] = folder(team).iterdir()
    path.write_text(path.read_text().replace("before", "after!"))
    wait_until(lambda: contents(team) == ["after!"])


def test_code_that_moved_is_followed_and_no_file_is_written(team: Engine) -> None:
    add(team, "queue", code=["shop/mail.py#send_receipt"])
    [path] = folder(team).iterdir()
    before = path.read_bytes()
    for old, new in [("mail", "post"), ("post", "letters"), ("letters", "post")]:
        (team.root / "shop" / f"{old}.py").rename(team.root / "shop" / f"{new}.py")
        team.refresh()
        assert team.settled(60)
        [note] = team.notes.notebook.all()
        [place] = team.notes.notebook.resolutions(note)
        assert (place.state, place.reference) == ("", f"shop/{new}.py#send_receipt")
        [note] = team.notes.notebook.all()
        assert [anchor.path for anchor in note.anchors] == [f"shop/{new}.py"]
    [hit] = [h for h in team.search(Query("send_receipt")).hits if h.node.name == "send_receipt"]
    assert [mark.record.text for mark in hit.notes] == ["queue"]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "is skipped: Expecting"),
        ("[]", "must be an object"),
        ('{"type": "memo"}', "'type' is 'memo'"),
        ('{"type": "insight", "content": "c", "id": "other", "created_at": 1}', "'id' is 'other'"),
        ('{"type": "insight", "content": [1], "id": "bad", "created_at": 1}', "a list of lines"),
        (
            '{"type": "insight", "content": "c", "id": "bad",'
            ' "created_at": "9999-12-31T23:59:59-23:59"}',
            "'created_at' is '9999-12-31T23:59:59-23:59'",
        ),
        ("[" * 100_000, "is skipped: "),
        ("x" * (1 << 20) + "x", "no regular file of at most 1,048,576 bytes"),
    ],
)
def test_a_bad_file_is_named_and_the_others_are_read(team: Engine, text: str, problem: str) -> None:
    add(team, "good")
    (folder(team) / "bad.json").write_text(text)
    (folder(team) / "README.md").write_text("no note")
    assert contents(team) == ["good"]
    [note] = team.search(Query("good", types=("note",))).notes
    assert "'.packhound/notes/bad.json' is skipped: " in note
    assert problem in note


def test_a_file_replaces_no_note_of_the_users_own(team: Engine) -> None:
    identity = add(team, "mine", shared=False)["id"]
    add(team, "ours")
    [path] = folder(team).iterdir()
    forged = json.loads(path.read_text()) | {"id": identity, "content": "forged"}
    (folder(team) / f"{identity}.json").write_text(json.dumps(forged))
    assert set(contents(team)) == {"mine", "ours"}


@posix
def test_links_and_pipes_are_refused(team: Engine, tmp_path: Path) -> None:
    add(team, "good")
    [path] = folder(team).iterdir()
    (tmp_path / "outside.json").write_text(path.read_text())
    (folder(team) / "linked.json").symlink_to(tmp_path / "outside.json")
    os.mkfifo(folder(team) / "pipe.json")
    assert contents(team) == ["good"]
    assert len(team.notes.notebook.shared.problems()) == 2


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may chown")
def test_what_belongs_to_another_user_is_not_read_and_named(team: Engine) -> None:
    add(team, "good")
    forged = folder(team) / f"{add(team, 'forged')['id']}.json"
    os.chown(forged, STRANGER, -1)
    remedy = "it belongs to another user; make it yours with chown if you trust it, or delete it"
    wait_until(lambda: contents(team) == ["good"])
    [row] = [row for row in team.status(every_source=True).sources if row.name == "notes"]
    assert row.problems == (f"'.packhound/notes/{forged.name}' is ignored: {remedy}",)
    for name in (".packhound/notes", ".packhound"):
        os.chown(team.root / name, STRANGER, -1)
        assert contents(team) == []
        assert f"notes: '{name}' is ignored: {remedy}" in (
            team.search(Query("good", types=("note",))).notes
        )
        with pytest.raises(PackhoundError, match=f"no note is written to '{name}': {remedy}"):
            add(team, "x")
    os.chown(team.root, STRANGER, -1)
    assert set(contents(team)) == {"good", "forged"}, "they are of the workspace's owner"


def test_a_note_that_is_too_large_to_share_is_not_written(team: Engine) -> None:
    body = "\n".join(f"    x_{n} = {n}" for n in range(7_000))
    for n in range(12):
        (team.root / f"long_{n}.py").write_text(f"def long():\n{body}\n")
    team.refresh()
    assert team.settled(60)
    code = [f"long_{n}.py#long" for n in range(12)]
    with pytest.raises(SettingsError, match=r"the note has [\d,]+ bytes with its code; a shared"):
        add(team, "x" * 90_000, code=code)
    assert contents(team) == []
    add(team, "x" * 90_000, code=code, shared=False)


@posix
@pytest.mark.parametrize("name", [".packhound", ".packhound/notes"])
def test_nothing_is_written_through_a_linked_folder(
    team: Engine, tmp_path: Path, name: str
) -> None:
    outside = tmp_path / "outside"
    (outside / "notes").mkdir(parents=True)
    (team.root / name).parent.mkdir(exist_ok=True)
    (team.root / name).symlink_to(outside, target_is_directory=True)
    with pytest.raises(PackhoundError, match="is no folder; notes are not shared"):
        add(team, "x")
    assert [*outside.rglob("*")] == [outside / "notes"]
    assert contents(team) == []
