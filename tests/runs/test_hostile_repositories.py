"""Repositories that would run, read or write something: copied, and nothing of it happens."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from packhound.runs.copy import materialize, remove_leavings
from tests.runs.conftest import Repository
from tests.support import release
from tests.support.git_repository import git
from tests.support.processes import MARK, processes_of

SECRET = "outside-of-the-folder"


def config(name: str, value: str) -> Callable[[Repository], None]:
    return lambda it: git(it.tree, "config", name, value.replace("MARK", f"touch '{it.mark}'"))


def text(path: str, content: str) -> Callable[[Repository], None]:
    return lambda it: it.write(path, content.replace("MARK", f"touch '{it.mark}'"))


def link(path: str, target: str) -> Callable[[Repository], None]:
    def make(it: Repository) -> None:
        (it.tree / path).parent.mkdir(parents=True, exist_ok=True)
        (it.tree / path).symlink_to(target.replace("OUT", str(it.mark.parent / "out")))

    return make


def folder_for_link(it: Repository) -> None:
    shutil.rmtree(it.tree / "post")
    (it.tree / "post").symlink_to(it.mark.parent / "out")


def attributes_of_info(it: Repository) -> None:
    (it.tree / ".git/info/attributes").write_text("* filter=mark diff=mark merge=mark\n")


def alternates(it: Repository) -> None:
    (it.tree / ".git/objects/info/alternates").write_text("/nowhere\n")


def no_objects(it: Repository) -> None:
    shutil.rmtree(it.tree / ".git/objects")
    (it.tree / ".git/objects").mkdir()


def broken_index(it: Repository) -> None:
    (it.tree / ".git/index").write_bytes(b"DIRC" + os.urandom(200))


def another_worktree(it: Repository) -> None:
    git(it.tree, "config", "core.worktree", str(it.mark.parent / "out"))


def git_is_a_file(it: Repository) -> None:
    shutil.move(it.tree / ".git", it.mark.parent / "moved")
    (it.tree / ".git").write_text(f"gitdir: {it.mark.parent / 'moved'}\n")


def locked_index(it: Repository) -> None:
    (it.tree / ".git/index.lock").write_text("")


def devices(it: Repository) -> None:
    os.mkfifo(it.tree / "pipe.py")


def many_levels(it: Repository) -> None:
    (it.tree / "/".join("d" * 100)).mkdir(parents=True)


HOSTILE = {
    "ssh": config("core.sshCommand", "MARK"),
    "monitor": config("core.fsmonitor", "MARK"),
    "hooks path": config("core.hooksPath", "/tmp"),
    "alias": config("alias.ls-files", "!MARK"),
    "alias of cat-file": config("alias.cat-file", "!MARK"),
    "editor": config("core.editor", "MARK"),
    "pager": config("pager.ls-files", "MARK"),
    "external diff": config("diff.external", "MARK"),
    "long running filter": config("filter.mark.process", "MARK"),
    "credentials": config("credential.helper", "!MARK"),
    "upload pack": config("uploadpack.packObjectsHook", "MARK"),
    "signing": config("gpg.program", "MARK"),
    "include": config("include.path", "../evil"),
    "promisor": config("extensions.partialClone", "origin"),
    "remote helper": config("remote.origin.url", "ext::sh -c MARK"),
    "trace": config("trace2.eventTarget", "MARK"),
    "untracked cache": config("core.untrackedCache", "true"),
    "auto gc": config("gc.auto", "1"),
    "line ends": config("core.autocrlf", "true"),
    "attributes": text(".gitattributes", "* filter=mark diff=mark merge=mark\n*.py ident\n"),
    "attributes of info": attributes_of_info,
    "encoding": text(".gitattributes", "*.py working-tree-encoding=UTF-16\n"),
    "submodule": text(".gitmodules", '[submodule "x"]\n path = x\n url = ext::sh -c MARK\n'),
    "hooks in the tree": text("hooks/post-checkout", "#!/bin/sh\nMARK\n"),
    "lazy ignores": text(".gitignore", "**/" * 2_000 + "x\n"),
    "link to a file": link("stolen.txt", "OUT/secret"),
    "link to a folder": link("stolen", "OUT"),
    "link to the root": link("root", "/"),
    "link to itself": link("self", "self"),
    "link up": link("post/up", ".."),
    "link for an ignore file": link("deep/.gitignore", "OUT/secret"),
    "link to a process": link("process", "/proc/self/root"),
    "folder for a link": folder_for_link,
    "alternates": alternates,
    "no objects": no_objects,
    "broken index": broken_index,
    "another worktree": another_worktree,
    "git is a file": git_is_a_file,
    "locked index": locked_index,
    "pipe": devices,
    "many levels": many_levels,
    "name of an option": text("--upload-pack=x", "x\n"),
    "line feed": text("a\nb.py", "x = 1\n"),
    "quote": text('"a".py', "x = 1\n"),
    "colon": text("C:x.py", "x = 1\n"),
    "backslash": text("..\\x.py", "x = 1\n"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_repository_is_only_read(repository: Repository, case: str) -> None:
    outside = repository.mark.parent / "out"
    outside.mkdir()
    (outside / "secret").write_text(SECRET)
    HOSTILE[case](repository)
    repository.mark.unlink(missing_ok=True)
    before, files = repository.digest(), sorted(outside.iterdir())
    with materialize(repository.tree, {}, {}, asks_git=True) as copy:
        for path in copy.folder.rglob("*"):
            assert path.is_symlink() or path.is_dir() or SECRET not in path.read_text("latin-1")
        assert (copy.folder / "pyproject.toml").is_file()
        assert not [*copy.home.glob("*.py")]
    assert not repository.mark.exists()
    assert repository.digest() == before
    assert sorted(outside.iterdir()) == files


def test_git_itself_would_leave_the_mark(repository: Repository) -> None:
    repository.write("data/big.dat", "changed\n")  # Git writes no file that it takes for unchanged.
    repository.mark.unlink(missing_ok=True)
    git(repository.tree, "-c", "core.fsmonitor=false", "checkout-index", "-f", "-a")
    assert repository.mark.exists()


_CHECK = """
import os, sys
from pathlib import Path
from packhound import runs
from packhound.git import PatchedFile
from packhound.runs.process import Limits
root, kept = map(Path, sys.argv[1:])
text = (root / "post/send.py").read_bytes()
files = {"post/send.py": PatchedFile("post/send.py", "post/send.py", text, text + b"# x\\n")}
table = runs.read_table().only(["mine"])
folder = runs.Folder(root, kept, {}, files)
for step in runs.check(runs.Job(folder, table, runs.CopyLimits(), Limits())):
    print(step, flush=True)
"""


_COPY = """
import sys
from pathlib import Path
from packhound.runs.copy import materialize
with materialize(Path(sys.argv[1]), {}, {}, asks_git=True): pass
"""
_CALLS = "open,openat,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,execve,link"


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
@pytest.mark.parametrize(("script", "tools"), [(_COPY, set()), (_CHECK, {"true"})])
def test_no_system_call_writes_below_the_folder_or_sends(
    repository: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    tools: set[str],
) -> None:
    log, kept = tmp_path / "calls", tmp_path / "kept"
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path))
    # The copy stands in the place of the folder, so a tool that writes would be no proof.
    (tmp_path / "runners.toml").write_text("[runners.mine]\ncommand = ['true']\n")
    before = repository.digest()
    calls = f"trace={_CALLS},linkat,connect,sendto,sendmsg"
    command = ["strace", "-f", "-qq", "-s", "400", "-o", str(log), "-e", calls]
    child = [sys.executable, "-c", script, str(repository.tree), str(kept)]
    subprocess.run([*command, *child], check=True)
    lines = log.read_text("utf-8", "replace").split("\n")
    below = [line for line in lines if f'"{repository.tree}' in line]
    assert any("/pyproject.toml" in line or "openat" in line for line in below)
    writing = ("O_WRONLY", "O_RDWR", "O_CREAT", "unlink", "rename", "mkdir", "link")
    assert [line for line in below if any(word in line for word in writing)] == []
    assert [line for line in lines if "AF_INET" in line] == []
    programs = {
        line.partition('execve("')[2].partition('"')[0].rpartition("/")[2]
        for line in lines
        if "execve(" in line and "= 0" in line
    }
    of_git = {"git", "git-upload-pack", "sh"}
    assert tools <= programs <= {Path(sys.executable).name, *of_git, *tools}, programs
    assert repository.digest() == before
    assert not repository.mark.exists()


@pytest.mark.parametrize(
    "n_kills",
    [2, pytest.param(release.size(200), marks=pytest.mark.release)],
    ids=["few", "many"],
)
def test_killed_checks_leave_the_folder_and_no_process(
    repository: Repository,
    runs_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    n_kills: int,
) -> None:
    trial = f"{os.getpid()}-kills-{n_kills}"
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv(MARK, trial)
    script = "setsid sleep 600 & rm -rf post; echo x > new; sleep 600"
    (tmp_path / "runners.toml").write_text(
        f"environment = ['{MARK}']\n[runners.mine]\ncommand = ['sh', '-c', '''{script}''']\n"
    )
    before = repository.digest()
    command = [sys.executable, "-c", _CHECK, str(repository.tree), str(tmp_path / "kept")]
    for number in range(n_kills):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as checking:
            assert checking.stdout
            if number % 4:
                # At any moment of it: from the first step on.
                checking.stdout.readline()
                time.sleep(number % 7 * 0.05)
            else:
                while b"without the patch" not in checking.stdout.readline():
                    pass
                while len(processes_of(trial)) < 3:
                    time.sleep(0.01)
            checking.send_signal(signal.SIGKILL)
        ends = time.monotonic() + 30
        while processes_of(trial):
            assert time.monotonic() < ends
            time.sleep(0.02)
        assert repository.digest() == before
    remove_leavings()
    assert not [*runs_folder.iterdir()]
    assert not repository.mark.exists()


_FIRST = """
H=$(dirname "$HOME")
rm -rf "$H/plugins" && ln -s "OUT" "$H/plugins"
mv "$H/copy" "$H/was" && mkdir -p "$H/copy/$(basename "$PWD")/app"
cd "$H/copy/"* && ln -s /dev/shm node_modules && ln -s OUT app2 && mkfifo go.mod
"""


def test_one_tool_prepares_no_way_out_of_the_copy_for_the_next(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path))
    outside = tmp_path / "out"
    outside.mkdir()
    repository.write(".gitignore", "build/\nnode_modules/\n")
    for folder in ("node_modules", "app2/node_modules"):
        repository.write(f"{folder}/installed.js", "")
    first = _FIRST.replace("OUT", str(outside))
    second = "echo x > /dev/shm/written; echo x > /dev/shm/installed.js"
    (tmp_path / "runners.toml").write_text(
        f"[runners.mine]\ncommand = ['sh', '-c', '''{first}''']\n"
        f"[runners.then]\ncommand = ['sh', '-c', '''{second}''']\n"
    )
    before = repository.digest()
    command = [sys.executable, "-c", _CHECK.replace('"mine"', '"mine", "then"')]
    subprocess.run([*command, str(repository.tree), str(tmp_path / "kept")], check=True, timeout=60)
    assert repository.digest() == before
    assert not [*outside.iterdir()]


def test_what_a_tool_puts_in_place_of_its_cache_is_not_kept(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path))
    outside, kept = tmp_path / "out", tmp_path / "kept"
    outside.mkdir()
    (outside / "key").write_text(SECRET)
    command = [sys.executable, "-c", _CHECK, str(repository.tree), str(kept)]
    link = f'rm -r "$H/cache" && ln -s {outside} "$H/cache"'
    for script, is_kept in (("touch $H/cache/known", True), (link, False)):
        text = f"[runners.mine]\ncommand = ['sh', '-c', '''H=$(dirname $HOME); {script}''']\n"
        (tmp_path / "runners.toml").write_text(text)
        shutil.rmtree(kept, ignore_errors=True)
        subprocess.run(command, check=True, timeout=60)
        assert (kept / "cache" / "known").exists() == is_kept
        assert not [*kept.rglob("key")]
    assert (outside / "key").read_text() == SECRET
