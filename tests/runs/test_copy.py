"""The private copy: what the user sees is in it, and the folder is as before, byte for byte."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.core.errors import Cancelled, SettingsError
from packhound.git import PatchedFile
from packhound.runs.copy import CopyLimits, materialize, remove_leavings
from tests.runs.conftest import Repository
from tests.support.git_repository import git


def texts(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and ".git" not in path.parts
    }


def seen(tree: Path, *left_out: str) -> dict[str, str]:
    return {path: text for path, text in texts(tree).items() if path not in left_out}


def test_the_copy_is_what_the_user_sees_and_nothing_of_the_repository_runs(
    repository: Repository,
) -> None:
    tree = repository.tree
    repository.write("post/send.py", "def weigh(grams):\n    return grams * 3\n")
    repository.write("new.py", "x = 1\n")
    repository.write("uv.lock", "version = 1\n")
    repository.write("Makefile", "all:\n\ttrue\n")
    repository.write("build/out.py", "ignored = 1\n")
    repository.write("notes/.env.local", "TOKEN=b\n")
    (tree / "tests/test_send.py").unlink()
    repository.mark.unlink(missing_ok=True)
    before = repository.digest()
    with materialize(tree, {}, {}) as copy:
        assert texts(copy.folder) == seen(tree, ".env", "notes/.env.local", "build/out.py")
        assert os.access(copy.folder / "run.sh", os.X_OK)
        assert not os.access(copy.folder / "new.py", os.X_OK)
        assert os.readlink(copy.folder / "inside") == "post/send.py"
        assert os.readlink(copy.folder / "outside") == "/etc/passwd"
        for path in texts(copy.folder):
            assert (copy.folder / path).stat().st_ino != (tree / path).stat().st_ino
        assert copy.home.stat().st_mode & 0o777 == 0o700
        notes = "\n".join(copy.notes)
    assert ".env, notes/.env.local" in notes
    assert "version.txt" in notes
    assert "outside" in notes
    assert "inside" not in notes
    assert repository.digest() == before
    assert not repository.mark.exists()
    assert not copy.home.exists()


@pytest.fixture
def btrfs(tmp_path: Path) -> Iterator[Path]:
    """Yield the folder of a file system in which files can share their bytes."""
    program = shutil.which("mkfs.btrfs", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if program is None:
        pytest.skip("mkfs.btrfs is not installed")
    image, folder = tmp_path / "image", tmp_path / "btrfs"
    folder.mkdir()
    with image.open("wb") as file:
        file.truncate(200_000_000)
    subprocess.run([program, "-q", image], check=True, capture_output=True)
    if subprocess.run(["mount", "-o", "loop", image, folder], check=False).returncode:
        pytest.skip("this user may not mount")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_file_shares_its_bytes_with_its_copy_until_one_changes(
    btrfs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def free() -> int:
        os.sync()
        status = os.statvfs(btrfs)
        return status.f_bfree * status.f_bsize

    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(btrfs / "cache"))
    original, text = btrfs / "tree/data.bin", os.urandom(30_000_000)
    original.parent.mkdir()
    original.write_bytes(text)
    (btrfs / "tree/small.txt").write_bytes(b"small\n")
    before = free()
    with materialize(original.parent, {}, {}) as copied, materialize(original.parent, {}, {}) as it:
        assert before - free() < 5_000_000
        assert copied.base_digest == it.base_digest
        file = copied.folder / "data.bin"
        assert (copied.folder / "small.txt").read_bytes() == b"small\n"
        assert file.read_bytes() == text and file.stat().st_ino != original.stat().st_ino
        with file.open("r+b") as patched:
            patched.write(b"changed")
        assert original.read_bytes() == text
        original.write_bytes(b"")
        assert file.read_bytes() == b"changed" + text[7:]


def test_texts_that_are_not_saved_and_a_patch_come_on_top(repository: Repository) -> None:
    (repository.tree / "other.sh").write_text("#!/bin/sh\n")
    (repository.tree / "other.sh").chmod(0o755)
    text = b"#!/bin/sh\n"
    files = [
        PatchedFile("post/new/deep.py", "post/new/deep.py", None, b"new = 1\n"),
        PatchedFile("tests/test_send.py", "tests/test_send.py", b"", None),
        PatchedFile("run.sh", "run.sh", text, text + b"true\n"),
        PatchedFile("tool", "tool", None, text, mode="100755"),
        PatchedFile("moved.sh", "other.sh", text, text),
        PatchedFile("other.sh", "other.sh", text, None),
    ]
    unsaved = {"post/send.py": b"unsaved = 1\n", "run.sh": text}
    with materialize(repository.tree, unsaved, {file.path: file for file in files}) as copy:
        assert (copy.folder / "post/send.py").read_text() == "unsaved = 1\n"
        assert (copy.folder / "post/new/deep.py").read_text() == "new = 1\n"
        assert not (copy.folder / "tests/test_send.py").exists()
        assert not (copy.folder / "other.sh").exists()
        for path in ("run.sh", "tool", "moved.sh"):
            assert os.access(copy.folder / path, os.X_OK), path


def test_each_text_of_a_file_has_a_time_of_its_own(repository: Repository) -> None:
    path = "post/send.py"
    text = (repository.tree / path).read_bytes()
    future = time.time_ns() + 10**12
    os.utime(repository.tree / path, ns=(future, future))
    patch = {path: PatchedFile(path, path, text, text.replace(b"2", b"3"))}
    times = []
    for unsaved, files in (({}, {}), ({path: text}, {}), ({path: text}, patch), ({}, patch)):
        with materialize(repository.tree, unsaved, files) as copy:
            times.append(int((copy.folder / path).stat().st_mtime))
            kept = (repository.tree / "run.sh").stat().st_mtime_ns
            assert (copy.folder / "run.sh").stat().st_mtime_ns == kept
    assert times[0] < times[1] < times[2] == times[3]


def test_files_of_secrets_come_where_the_user_names_them(repository: Repository) -> None:
    with materialize(repository.tree, {}, {}, CopyLimits(include=(".env",))) as copy:
        assert (copy.folder / ".env").read_text() == "TOKEN=hunter2\n"
        assert not any("secrets" in note for note in copy.notes)


def test_a_folder_without_git_is_copied_by_the_walk_alone(tmp_path: Path) -> None:
    tree = tmp_path / "plain"
    (tree / "a").mkdir(parents=True)
    (tree / "a/b.py").write_text("b = 1\n")
    (tree / "node_modules").mkdir()
    (tree / "node_modules/x.js").write_text("x\n")
    with materialize(tree, {}, {}) as copy:
        assert texts(copy.folder) == {"a/b.py": "b = 1\n"}


def test_a_folder_within_a_repository_is_copied_alone(repository: Repository) -> None:
    with materialize(repository.tree / "post", {}, {}) as copy:
        assert sorted(texts(copy.folder)) == ["__init__.py", "send.py"]


def test_the_digest_is_that_of_what_is_there_without_the_patch(repository: Repository) -> None:
    path, text = "post/send.py", (repository.tree / "post/send.py").read_bytes()
    patch = {
        path: PatchedFile(path, path, text, b"x = 1\n"),
        "new.py": PatchedFile("new.py", "new.py", None, b""),
    }

    def digest(unsaved: dict[str, bytes], patch: dict[str, PatchedFile]) -> str:
        with materialize(repository.tree, unsaved, patch) as copy:
            return copy.base_digest

    same = digest({}, {})
    assert digest({}, patch) == same
    unsaved = digest({path: b"y = 1\n"}, {})
    assert digest({path: b"y = 1\n"}, {path: PatchedFile(path, path, b"y = 1\n", b"")}) == unsaved
    repository.write(path, "z = 1\n")
    saved = digest({}, {})
    assert digest({}, {path: PatchedFile(path, path, b"z = 1\n", None)}) == saved
    (repository.tree / path).chmod(0o755)
    assert len({same, unsaved, saved, digest({}, {})}) == 4


def test_pointers_of_lfs_submodules_and_line_ends_are_named_or_as_on_the_disk(
    repository: Repository, tmp_path: Path
) -> None:
    tree = repository.tree
    other = tmp_path / "other"
    other.mkdir()
    (other / "lib.py").write_text("lib = 1\n")
    git(other, "init", "-q")
    git(other, "add", ".")
    git(other, "commit", "-qm", "Other")
    git(tree, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "other")
    repository.write("movie.mp4", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n")
    repository.write("lines.bat", "echo\n")
    repository.write(".gitattributes", "*.bat eol=crlf\n")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "More")
    (tree / "lines.bat").unlink()
    git(tree, "checkout", "lines.bat")
    time.sleep(0.05)
    git(tree, "read-tree", "HEAD")
    git(tree, "update-index", "-q", "--refresh")
    before = repository.digest()
    with materialize(tree, {}, {}, asks_git=True) as copy:
        assert (copy.folder / "other/lib.py").read_text() == "lib = 1\n"
        assert not (copy.folder / "other/.git").exists()
        assert (copy.folder / "lines.bat").read_bytes() == b"echo\r\n"
        notes = "\n".join(copy.notes)
        for command, said in (("status --porcelain other", ""), ("ls-files other", "other\n")):
            words = ["git", "-c", "core.fsmonitor=false", *command.split()]
            assert subprocess.check_output(words, cwd=copy.folder, text=True) == said
    assert "submodule, copied as its files are on the disk: other" in notes
    assert "pointer of Git LFS, not the file itself: movie.mp4" in notes
    assert repository.digest() == before


def test_a_build_that_asks_git_sees_a_clean_tree_and_no_hook(repository: Repository) -> None:
    git(repository.tree, "tag", "v1.2")
    repository.mark.unlink(missing_ok=True)
    before = repository.digest()
    with materialize(repository.tree, {}, {}, CopyLimits(include=(".env",)), asks_git=True) as copy:
        git(copy.folder, "config", "core.fsmonitor", "false")
        command = ["git", "describe", "--tags", "--dirty"]
        said = subprocess.run(command, cwd=copy.folder, capture_output=True, text=True, check=True)
        assert said.stdout == "v1.2\n"
        assert not [*(copy.folder / ".git").glob("hooks/*")]
    assert repository.digest() == before
    assert not repository.mark.exists()


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        (CopyLimits(max_files=3), "more than 3 files; raise 'changes.maxFiles'"),
        (CopyLimits(max_bytes=100), "more than 0 MB; raise 'changes.maxMegabytes'"),
    ],
)
def test_a_copy_that_is_too_large_is_refused_with_the_limit(
    repository: Repository, runs_folder: Path, limits: CopyLimits, named: str
) -> None:
    with pytest.raises(SettingsError, match=named), materialize(repository.tree, {}, {}, limits):
        pass
    assert not [*runs_folder.iterdir()]


def test_a_file_on_the_disk_that_is_too_large_is_refused(repository: Repository) -> None:
    with (repository.tree / "huge.bin").open("wb") as file:
        file.truncate(1 << 30)
    with (
        pytest.raises(SettingsError, match="more than 10 MB"),
        materialize(repository.tree, {}, {}, CopyLimits(max_bytes=10_000_000)),
    ):
        pass


def test_a_copy_that_nobody_waits_for_stops(repository: Repository, runs_folder: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled), materialize(repository.tree, {}, {}, cancel=cancel):
        pass
    assert not [*runs_folder.iterdir()]


def test_pipes_sockets_and_what_cannot_be_read_are_named(repository: Repository) -> None:
    os.mkfifo(repository.tree / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        folder = os.open(repository.tree, os.O_RDONLY)
        server.bind(f"/proc/self/fd/{folder}/socket")
        os.close(folder)
        with materialize(repository.tree, {}, {}) as copy:
            notes = "\n".join(copy.notes)
    assert "no plain file, left out: pipe, socket" in notes


def test_a_cache_within_the_folder_is_not_copied_into_itself(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(repository.tree / "cache"))
    with materialize(repository.tree, {}, {}) as copy:
        assert not (copy.folder / "cache").exists()


_CHILD = """
import sys, time
from pathlib import Path
from packhound.runs.copy import materialize
with materialize(Path(sys.argv[1]), {}, {}) as copy:
    print(copy.home, flush=True)
    sys.stdin.read()
"""


def test_leavings_of_a_killed_process_go_at_the_next_start_and_those_of_others_stay(
    repository: Repository, runs_folder: Path
) -> None:
    before = repository.digest()
    command = [sys.executable, "-c", _CHILD, str(repository.tree)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as living, subprocess.Popen(command, **pipes) as killed:
        places = [Path(each.stdout.readline().strip()) for each in (living, killed)]
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        locked = places[1] / "post/deep/er"
        locked.mkdir(parents=True)
        (locked / "file").write_text("")
        locked.chmod(0)
        assert all(place.is_dir() for place in places)
        assert remove_leavings() == 1
        assert [place.is_dir() for place in places] == [True, False]
        living.stdin.close()
        living.wait()
    assert not [*runs_folder.iterdir()]
    assert repository.digest() == before


def test_a_tree_of_a_thousand_levels_is_removed(repository: Repository, runs_folder: Path) -> None:
    with materialize(repository.tree, {}, {}) as copy:
        script = "import os\nfor _ in range(3000):\n os.mkdir('d')\n os.chdir('d')\n"
        subprocess.run([sys.executable, "-c", script], cwd=copy.folder, check=True)
    assert not [*runs_folder.iterdir()]


def test_objects_that_git_replaces_are_not_taken_for_the_files(repository: Repository) -> None:
    tree = repository.tree
    repository.write("other.py", "def weigh(grams):\n    return grams * 9\n")
    git(tree, "add", "other.py")
    git(tree, "replace", ":post/send.py", ":other.py")
    with materialize(tree, {}, {}) as copy:
        assert texts(copy.folder) == seen(tree, ".env")
