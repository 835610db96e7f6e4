"""Which files are searched, and that nothing from outside the folder ever is."""

import contextlib
import os
import shutil
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from packhound.files.reader import (
    decode,
    is_searched_text,
    read,
    read_unchanged,
    stamp_at,
    why_unread,
)
from packhound.files.walk import WalkLimits, is_included, is_searchable, walk, walk_by_steps
from tests.support.release import size


def make(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def walked(root: Path, **limits: object) -> list[str]:
    return [path for path, _ in walk(root, WalkLimits(**limits))]  # type: ignore[arg-type]


def test_nested_ignore_files_and_the_deeper_one_wins(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            ".gitignore": "*.log\nbuild/\n/only_here.py\n",
            "a.py": "a",
            "only_here.py": "x",
            "sub/only_here.py": "y",
            "sub/.gitignore": "!keep.log\nsecret.py\n",
            "sub/keep.log": "k",
            "sub/drop.txt": "d",
            "sub/secret.py": "s",
            "other.log": "o",
            "build/out.py": "b",
        },
    )
    actual = walked(tmp_path)
    assert actual == [".gitignore", "a.py", "sub/.gitignore", *actual[3:]]
    assert set(actual[3:]) == {"sub/drop.txt", "sub/keep.log", "sub/only_here.py"}


def test_packhoundignore_forces_in_and_keeps_out(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            ".gitignore": "vendor/\n",
            ".packhoundignore": "!vendor/\n!vendor/**\n!.env.example\ngenerated/\n",
            "vendor/lib.py": "v",
            "generated/code.py": "g",
            ".env.example": "e",
            ".env": "SECRET=1",
        },
    )
    actual = walked(tmp_path)
    assert "vendor/lib.py" in actual
    assert ".env.example" in actual
    assert ".env" not in actual
    assert "generated/code.py" not in actual


@pytest.mark.parametrize(
    "name",
    [
        *(".env", "server.pem", "id_rsa", "app.min.js", "x.png", "node_modules/a.js", "a.po"),
        *("key.ppk", "prod.kubeconfig", ".npmrc", ".pypirc", ".netrc", "terraform.tfstate"),
        "terraform.tfstate.backup",
    ],
)
def test_secrets_binaries_and_generated_files_stay_out(tmp_path: Path, name: str) -> None:
    make(tmp_path, {name: "text", "a.py": "a"})
    assert walked(tmp_path) == ["a.py"]
    assert not is_included(tmp_path, name, WalkLimits())


def test_wanted_agrees_with_walk(tmp_path: Path) -> None:
    files = ["a.py", "sub/b.py", "sub/deep/c.py", "sub/deep/d.tmp", "out/e.py"]
    make(tmp_path, dict.fromkeys(files, "x") | {".gitignore": "out\n", "sub/.gitignore": "*.tmp\n"})
    actual = set(walked(tmp_path))
    for name in files:
        assert is_included(tmp_path, name, WalkLimits()) == (name in actual), name


def test_what_lies_too_deep_is_passed_over(tmp_path: Path) -> None:
    at = {depth: "d/" * depth + "a.py" for depth in (0, 1, 127, 128, 129, 400)}
    folder = tmp_path
    for depth in range(401):
        if depth in at:
            make(folder, {"a.py": "x"})
        folder /= "d"
        folder.mkdir()
    assert walked(tmp_path) == [at[depth] for depth in (0, 1, 127, 128)]
    for depth, name in at.items():
        assert is_included(tmp_path, name, WalkLimits()) == (depth <= 128)


def test_a_walk_pauses_where_nothing_is_found(tmp_path: Path) -> None:
    make(tmp_path, {f"{n}.png": "" for n in range(1_200)} | {"a.py": "x"})
    steps = list(walk_by_steps(tmp_path, WalkLimits()))
    assert steps.count(None) == 2 and len(steps) == 3


def test_links_lead_nowhere(tmp_path: Path) -> None:
    outside = make(tmp_path / "outside", {"canary.py": "canary"})
    root = make(tmp_path / "root", {"a.py": "a"})
    (root / "file.py").symlink_to(outside / "canary.py")
    (root / "folder").symlink_to(outside)
    (root / "loop").symlink_to(root)
    assert walked(root) == ["a.py"]
    assert read(root, "file.py", 1_000) is None
    assert read(root, "folder/canary.py", 1_000) is None
    assert read(root, "../outside/canary.py", 1_000) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert walked(tmp_path) == []
    assert read(tmp_path, "pipe.py", 1_000) is None


def test_caps(tmp_path: Path) -> None:
    make(tmp_path, {f"f{n}.py": "x" * (n + 1) for n in range(9)})
    assert len(walked(tmp_path, max_files=4)) == 4
    documents = [read(tmp_path, path, 3) for path in walked(tmp_path, max_file_bytes=3)]
    small = [document.path for document in documents if document and not document.is_large]
    assert len(documents) == 9 and small == ["f0.py", "f1.py", "f2.py"]
    (tmp_path / "huge.log").write_bytes(b"x\n" * 15_000_002)
    assert "huge.log" not in walked(tmp_path) and read(tmp_path, "huge.log", 1_000_000) is None
    assert why_unread(tmp_path, "huge.log", 1_000_000) == "too large"


def test_examples_of_secrets_are_searched_and_secrets_are_not(tmp_path: Path) -> None:
    examples = [".env.example", ".env.sample", "a.diff", "a.patch", "a.snap", "a.svg", "go.sum"]
    secrets = [".env", ".env.local", "credentials.json", "secrets.yaml", "server.pem"]
    make(tmp_path, dict.fromkeys((*examples, *secrets), "KEY=1\n"))
    assert walked(tmp_path) == sorted(examples)


def test_a_byte_order_mark_does_not_count(tmp_path: Path) -> None:
    make(tmp_path, {"marked.json": "\ufeff" + "1\n" * 32_768, "plain.json": "1\n" * 32_768})
    assert walked(tmp_path) == ["marked.json", "plain.json"]
    texts = [read(tmp_path, path, 1_000_000).source for path in walked(tmp_path)]
    assert texts == [b"1\n" * 32_768] * 2


def test_settings_can_leave_out_more(tmp_path: Path) -> None:
    make(tmp_path, {"a.py": "a", "legacy/b.py": "b"})
    assert walked(tmp_path, exclude=("legacy/",)) == ["a.py"]


def test_a_folder_that_is_re_included_re_includes_nothing_else(tmp_path: Path) -> None:
    make(tmp_path, {"config/prod.secret.yaml": "x", "config/a.py": "x", "vendor/b.py": "x"})
    for name in (".gitignore", ".packhoundignore"):
        make(tmp_path, {name: "*.secret.yaml\n!config/\nvendor\n"})
        assert "config/a.py" in walked(tmp_path)
        assert not {"config/prod.secret.yaml", "vendor/b.py"}.intersection(walked(tmp_path))
        (tmp_path / name).unlink()


def test_rules_from_outside_the_folder_count(tmp_path: Path) -> None:
    repository = make(
        tmp_path / "repository",
        {
            ".git/HEAD": "ref: refs/heads/main",
            ".git/info/exclude": "private.py\n",
            ".gitignore": "*.log\n/here/anchored.py\nignored/\nbuild/\n",
            "here/.gitignore": "!kept.log\n",
            **{f"here/{n}": "x" for n in ("a.py", "a.log", "kept.log", "private.py", "mine.py")},
            **{f"here/{n}": "x" for n in ("anchored.py", "deep/anchored.py", "build/b.py")},
            **{f"ignored/{n}": "x" for n in ("a.py", "a.log", "mine.py", "build/b.py")},
        },
    )
    user = make(tmp_path, {"user-rules": "mine.py\n"}) / "user-rules"
    (tmp_path / "linked-rules").symlink_to(user)
    for rules in (user, tmp_path / "linked-rules"):
        current = walked(repository / "here", user_ignore_file=rules)
        assert sorted(current) == [".gitignore", "a.py", "deep/anchored.py", "kept.log"]
    # What the repository ignores is opened for itself, and none of its rules count.
    inside = walked(repository / "ignored", user_ignore_file=user)
    assert sorted(inside) == ["a.log", "a.py", "build/b.py"]


@pytest.mark.skipif(not shutil.which("git"), reason="git makes the working tree")
def test_the_excludes_of_a_linked_working_tree_are_those_of_its_repository(tmp_path: Path) -> None:
    main = make(tmp_path / "main", {"a.py": "x", "private.py": "x", ".gitignore": "\n"})
    git = ("git", "-C", main, "-c", "user.name=n", "-c", "user.email=e")
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run([*git, *command], check=True)
    subprocess.run([*git, "worktree", "add", "-q", tmp_path / "linked"], check=True)
    make(main, {".git/info/exclude": "private.py\n"})
    assert walked(tmp_path / "linked") == walked(main) == [".gitignore", "a.py"]


@pytest.mark.parametrize(
    "pointer", ["", "gitdir: ", "gitdir: /dev", "gitdir: \0", "gitdir: //host/share", "x" * 9_000]
)
def test_a_pointer_to_no_repository_leads_nowhere(tmp_path: Path, pointer: str) -> None:
    make(tmp_path, {".git": pointer, "a.py": "x"})
    assert "a.py" in walked(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have owners")
def test_a_repository_of_another_user_above_the_folder_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, {".git/HEAD": "", ".gitignore": "*.py\n", "here/a.py": "x"})
    assert walked(tmp_path / "here") == []
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert walked(tmp_path / "here") == ["a.py"]


def test_a_broken_ignore_file_stops_nothing(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": b"\xff\xfe[\n!\n/a.py\n", "a.py": "a", "b.py": "b"})
    assert "b.py" in walked(tmp_path)


def test_a_pattern_that_would_take_for_ever_does_not(tmp_path: Path) -> None:
    long = "a" * 200 + ".py"
    bombs = "*a" * 20 + "b\n" + "**/a/" * 20 + "b\n" + "*a*a*a/" * 3 + "b\n" + "[z-a]\n"
    deep = "/".join(["a" * 100] * 3) + "/c.py"
    make(tmp_path, {".gitignore": bombs + "*.log\n", long: "x", "b.log": "x", deep: "x"})
    assert walked(tmp_path, exclude=("*a" * 20 + "b", "c*.pyc")) == [".gitignore", long, deep]
    assert is_included(tmp_path, deep, WalkLimits())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_ignore_file_says_nothing(tmp_path: Path) -> None:
    outside = make(tmp_path / "outside", {"rules": "*.py\n"})
    root = make(tmp_path / "root", {f"{n}/a.py": "x" for n in "pqrs"})
    os.mkfifo(root / "p" / ".gitignore")
    (root / "q" / ".gitignore").symlink_to(outside / "rules")
    (root / "r" / ".gitignore").mkdir()
    make(root, {"s/.gitignore": "*.py\n" * 50_000})
    (root / ".git" / "info").mkdir(parents=True)
    os.mkfifo(root / ".git" / "info" / "exclude")
    assert walked(root) == ["p/a.py", "q/a.py", "r/a.py", "s/.gitignore", "s/a.py"]


def test_what_is_named_is_judged_as_what_is_walked(tmp_path: Path) -> None:
    make(tmp_path, {"a.py": "x", "big.json": "1," * 60_000, "big.py": "x\n" * 60_000, "no.py": ""})
    names = ["a.py", "big.json", "big.py", "no.py", "gone.py", "x" * 300, "a\0b"]
    assert [name for name in names if is_searchable(tmp_path, name, WalkLimits())] == walked(
        tmp_path
    )


@pytest.mark.skipif(sys.platform != "linux", reason="bytes as file names, devices, sockets")
def test_what_is_no_text_file_with_a_name_is_passed_over(tmp_path: Path) -> None:
    make(tmp_path, {"a.py": "a", "A.py": "A", "日本 😀\n.py": "x"})
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/latin-\xe9.py"))).write_text("x")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket.py"))
        with contextlib.suppress(PermissionError):
            os.mknod(tmp_path / "zero.py", stat.S_IFCHR | 0o666, os.makedev(1, 5))
        actual = walked(tmp_path)
    assert sorted(actual) == ["A.py", "a.py", "日本 😀\n.py"]
    for name in ("socket.py", "zero.py", "latin-\udce9.py"):
        assert not is_searchable(tmp_path, name, WalkLimits())
        assert name == "latin-\udce9.py" or read(tmp_path, name, 1_000) is None


def test_links_in_circles_end(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    assert walked(tmp_path) == []
    assert read(tmp_path, "one/a.py", 1_000) is None
    assert not is_searchable(tmp_path, "one", WalkLimits())


def test_a_change_within_one_tick_of_the_clock_is_seen(tmp_path: Path) -> None:
    path, missed = tmp_path / "a.py", 0
    for n in range(size(300)):
        path.write_text(f"a = {n % 10}\n")
        first = read(tmp_path, "a.py", 1_000)
        path.write_text(f"a = {(n + 1) % 10}\n")
        ((_, stamp),) = walk(tmp_path, WalkLimits())
        missed += first.stamp == stamp
    assert not missed


def test_a_lock_file_is_blanked_once_until_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "package-lock.json"
    path.write_bytes(b'"a": {\n"version": "1",\n"resolved": "https"\n')
    stamp = stamp_at(tmp_path, path.name)
    first = read_unchanged(str(tmp_path), path.name, stamp)
    assert first == b'"a": {\n"version": "1",\n\n'
    assert read_unchanged(str(tmp_path), path.name, stamp) is first
    path.write_bytes(b'"b": {\n')
    assert read_unchanged(str(tmp_path), path.name, stamp) is None
    assert read_unchanged(str(tmp_path), path.name, stamp_at(tmp_path, path.name)) == b'"b": {\n'


@pytest.mark.parametrize(
    ("after_ns", "lasts"), [(0, False), (10**6, False), (10**9, True), (-(10**12), True)]
)
def test_a_file_at_rest_is_read_once(tmp_path: Path, monkeypatch, after_ns, lasts) -> None:
    make(tmp_path, {"a.py": "x"})
    ((_, stamp),) = walk(tmp_path, WalkLimits())
    changed_ns = stamp.mtime_ns if os.name == "nt" else stamp.ctime_ns
    monkeypatch.setattr(time, "time_ns", lambda: changed_ns + after_ns)
    assert (read(tmp_path, "a.py", 1_000).stamp == stamp) is lasts


SWAP = """
import os, sys, time
os.chdir(sys.argv[1])
while True:
    os.rename("sub", "kept"); os.rename("link", "sub")
    os.rename("sub", "link"); os.rename("kept", "sub")
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX renames")
@pytest.mark.parametrize("n_reads", [2_000, pytest.param(200_000, marks=pytest.mark.release)])
def test_a_folder_swapped_for_a_link_while_it_is_read(tmp_path: Path, n_reads: int) -> None:
    make(tmp_path / "outside", {"a.py": "canary", ".gitignore": "*.log\n"})
    root = make(tmp_path / "root", {"sub/a.py": "a", "sub/x.log": "x"})
    (root / "link").symlink_to(tmp_path / "outside")
    with subprocess.Popen([sys.executable, "-c", SWAP, root]) as swapping:
        try:
            actual = [read(root, "sub/a.py", 1_000) for _ in range(n_reads)]
            walks = [list(walk(root, WalkLimits())) for _ in range(n_reads // 20)]
        finally:
            swapping.kill()
    assert {document.source for document in actual if document} == {b"a"}
    assert max(map(len, walks)) > 0


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    make(tmp_path, {"a.py": "old"})
    before = read(tmp_path, "a.py", 1_000).stamp
    (tmp_path / "a.py").write_text("newer")
    ((_, after),) = walk(tmp_path, WalkLimits())
    assert after != before


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"plain", b"plain"),
        (b"\xef\xbb\xbfmarked", b"marked"),
        ("héllo".encode("utf-16"), "héllo".encode()),
        (b"bin\0ary", None),
        (b"x" * 9_000, None),
        (b"x\n" * 9_000, b"x\n" * 9_000),
        (b"\xef\xbb\xbf" + b"x" * 8_192, None),
        (b"", None),
        (b"\xef\xbb\xbf", None),
    ],
)
def test_what_counts_as_text(source: bytes, expected: bytes | None, tmp_path: Path) -> None:
    text = decode("x.py", source)
    assert (text if is_searched_text(text, 100_000) else None) == expected
    make(tmp_path, {"a.py": source})
    document = read(tmp_path, "a.py", 100_000)
    assert (document.source if document else None) == expected
