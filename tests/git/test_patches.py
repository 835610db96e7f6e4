"""Patches: applied as git applies them, byte for byte, and refused where git refuses."""

import random
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.git.patched import PatchedFile, apply_patch

_GIT = ("git", "-c", "core.autocrlf=false", "-c", "user.name=t", "-c", "user.email=t@t")
_WORDS = [b"", b"a", b"b", b"  c", b"@@ -1 +1 @@", b"--- a/x", b"+++ b/x", b"diff --git a/x b/x"]
_NAMES = [
    "one.py",
    "two.txt",
    "dir/three.c",
    "dir/sub/f o u r.md",
    "fünf.py",
    'six"q.py',
    "t\tb.py",
    "d ir/fünf.py",
]

Tree = dict[str, bytes]


def _git(root: Path, *arguments: str, patch: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {
        "GIT_CEILING_DIRECTORIES": str(root.parent),
        "PATH": "/usr/bin:/bin:/usr/local/bin",
    }
    return subprocess.run(
        [*_GIT, *arguments],
        cwd=root,
        env=environment,
        input=patch,
        capture_output=True,
        check=False,
    )


def _write(root: Path, tree: Mapping[str, bytes]) -> None:
    for path, text in tree.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text)


def _tree(root: Path) -> Tree:
    files = (
        path for path in sorted(root.rglob("*")) if path.is_file() and ".git" not in path.parts
    )
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def _text(chance: random.Random, n: int) -> bytes:
    end = chance.choice([b"\n", b"\n", b"\n", b"\r\n"])
    lines = [
        b"%d" % i if chance.random() < 0.6 else chance.choice(_WORDS)
        for i in range(chance.randint(0, n))
    ]
    return end.join(lines) + (end if lines and chance.random() < 0.8 else b"")


def _edit(chance: random.Random, text: bytes) -> bytes:
    lines = text.splitlines(keepends=True)
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(lines))
        gone = chance.choice([0, 0, 1, 2, 7])
        lines[at : at + gone] = [b"new %d\n" % chance.randint(0, 9)] * chance.choice([0, 1, 1, 3])
    edited = b"".join(lines)
    return edited.removesuffix(b"\n") if chance.random() < 0.1 else edited


def _change(chance: random.Random, tree: Tree) -> Tree:
    """Return a tree with texts edited, files added, removed and renamed."""
    changed = {path: _edit(chance, text) for path, text in tree.items()}
    for path in [path for path in changed if chance.random() < 0.15]:
        del changed[path]
    if changed and chance.random() < 0.5:
        path = chance.choice([*changed])
        changed[f"moved/{len(tree)}.txt"] = changed.pop(path)
    if chance.random() < 0.5:
        changed[f"new/{len(tree)}.py"] = _text(chance, 9)
    return changed


def _diff(root: Path, before: Tree, after: Tree, *options: str) -> bytes:
    _git(root, "init", "-q")
    _write(root, before)
    _git(root, "add", "-A", "-f")
    _git(root, "commit", "-q", "--allow-empty", "-m", "before")
    for path in before.keys() - after.keys():
        (root / path).unlink()
    _write(root, after)
    _git(root, "add", "-A", "-f")
    return _git(root, "diff", "--cached", *options).stdout


def _applied(tree: Tree, patch: bytes) -> Tree | None:
    """Return a tree as we patch it, None where we refuse."""
    try:
        files = apply_patch(patch, tree.get)
    except SettingsError:
        return None
    texts = {**tree, **{path: file.after for path, file in files.items()}}
    _check_lines(files)
    return {path: text for path, text in sorted(texts.items()) if text is not None}


def _check_lines(files: Mapping[str, PatchedFile]) -> None:
    """A line that is on both sides is the same there, and every other one is on one side alone."""
    for file in files.values():
        if file.before is None or file.after is None:
            continue
        old, new = _lines(file.before), _lines(file.after)
        kept = [(line, at) for line in range(len(old)) if (at := file.new_line(line)) is not None]
        assert all(file.old_line(at) == line for line, at in kept)
        assert all(old[line] == new[at] for line, at in kept)
        n_new = sum(file.old_line(line) is None for line in range(len(new)))
        assert n_new == sum(d - c for _, _, c, d in file.edits)


def _lines(text: bytes) -> list[bytes]:
    lines = text.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + [lines[-1]] * bool(lines[-1])


def _applied_by_git(root: Path, tree: Tree, patch: bytes) -> Tree | None:
    root.mkdir()
    _write(root, tree)
    applied = _tree(root) if _git(root, "apply", "-", patch=patch).returncode == 0 else {}
    # Where a header does not say that a file goes, git takes /dev/null for its new name.
    return applied if applied and "dev/null" not in applied else None


@pytest.mark.parametrize("seed", range(25))
def test_a_diff_of_git_leads_from_one_tree_to_the_other(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    before = {name: _text(chance, 40) for name in _NAMES}
    after = _change(chance, before)
    options = chance.choice([(), ("-M",), ("-M", "-C", "--find-copies-harder"), ("-U1",), ("-U9",)])
    patch = _diff(tmp_path, before, after, *options)

    assert _applied(before, patch) == dict(sorted(after.items()))


@pytest.mark.parametrize("seed", range(60))
def test_on_a_text_that_has_moved_on_git_decides(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    before = {"one.py": _text(chance, 60)}
    (tmp_path / "git").mkdir()
    patch = _diff(tmp_path / "git", before, {"one.py": _edit(chance, before["one.py"])})
    moved = {"one.py": _edit(chance, before["one.py"])}

    assert _applied(moved, patch) == _applied_by_git(tmp_path / "applied", moved, patch)


@pytest.mark.parametrize("seed", [*range(60), 1022, 1078])
def test_what_git_takes_of_a_damaged_patch_is_taken_as_git_does(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    before = {name: _text(chance, 20) for name in _NAMES[:4]}
    (tmp_path / "git").mkdir()
    lines = _diff(tmp_path / "git", before, _change(chance, before), "-M").splitlines(keepends=True)
    for _ in range(chance.randint(1, 2)):
        at = chance.randrange(len(lines) + 1)
        lines[at : at + 1] = chance.choice([[], [], lines[at : at + 1] * 2, [b" x\n"], [b"\n"]])
    patch = b"".join(lines)

    assert _applied(before, patch) == _applied_by_git(tmp_path / "applied", before, patch), patch


_TREE = {"one.py": b"1\n2\n", "dir/two.py": b"2\n"}


def _patch(path: str, *headers: str) -> bytes:
    lines = [f"diff --git a/{path} b/{path}", *headers, f"--- a/{path}", f"+++ b/{path}"]
    return "\n".join([*lines, "@@ -1,2 +1,2 @@", "-1", "+one", " 2", ""]).encode()


def _new(path: str, mode: str = "100644") -> bytes:
    lines = [f"diff --git a/{path} b/{path}", f"new file mode {mode}", "--- /dev/null"]
    return "\n".join([*lines, f"+++ b/{path}", "@@ -0,0 +1 @@", "+1", ""]).encode()


_REFUSED = {
    "a folder above": _new("../x.py"),
    "a folder above, later": _new("dir/../../x.py"),
    "absolute": b"diff --git a/one.py b/x\nrename from one.py\nrename to /tmp/x.py\n",
    "the begin is no folder": _new("./x.py"),
    "git's folder": _new(".git/hooks/post-checkout"),
    "git's folder in capitals": _new("dir/.GIT/config"),
    "git's folder as Windows has it": _new("git~1/config"),
    "git's folder with a dot": _new(".git./config"),
    "a file exists": _new("one.py"),
    "a file where a folder has to be": _new("one.py/x.py"),
    "no such file": _patch("three.py"),
    "another text": _patch("dir/two.py"),
    "a renamed file that is not there": b"diff --git a/x b/y\nrename from x\nrename to y\n",
    "a rename onto another": b"diff --git a/one.py b/dir/two.py\nrename from one.py\n"
    b"rename to dir/two.py\n",
    "a binary file": b"diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n",
    "no mode": _patch("one.py", "old mode 1x", "new mode 100644"),
    "fewer lines": _patch("one.py").replace(b"-1,2", b"-1,3"),
    "no change": _patch("one.py").replace(b"-1\n+one", b" 1").replace(b"+1,2", b"+1,2"),
    "a hunk of nothing": b"@@ -1 +1 @@\n-1\n+2\n",
    "nothing": b"hello\n",
    "empty": b"",
    "both names are none": b"--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-1\n+2\n",
    "a file that goes in part": b"diff --git a/one.py b/one.py\ndeleted file mode 100644\n"
    b"--- a/one.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n",
}
_REFUSED_BY_US = {
    "a link": _new("x.py", "120000"),
    "a device of Windows": _new("dir/con.txt"),
    "a drive of Windows": _new("C:/x.py"),
    "folders of Windows": _new("..\\x.py"),
    "a file that becomes a folder": b"diff --git a/one.py b/one.py\ndeleted file mode 100644\n"
    b"--- a/one.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n" + _new("one.py/x.py"),
    "two names": _patch("one.py").replace(b"+++ b/one.py", b"+++ b/x.py"),
    "another name than above": _patch("one.py").replace(
        b"diff --git a/one.py b/one.py", b"diff --git a/x.py b/x.py"
    ),
}


@pytest.mark.parametrize("name", [*_REFUSED, *_REFUSED_BY_US])
def test_a_hostile_patch_is_refused(tmp_path: Path, name: str) -> None:
    patch = {**_REFUSED, **_REFUSED_BY_US}[name]

    with pytest.raises(SettingsError, match="the patch"):
        apply_patch(patch, _TREE.get)
    if name in _REFUSED:
        assert _applied_by_git(tmp_path / "applied", _TREE, patch) is None


def test_a_plain_diff_needs_no_header(tmp_path: Path) -> None:
    patch = b"--- one.py\t2026-01-01\n+++ one.py\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n"
    new = b"--- a/x.py\n+++ b/x.py\n@@ -0,0 +1 @@\n+1\n"

    assert _applied(_TREE, patch) == {**_TREE, "one.py": b"one\n2\n"}
    assert _applied(_TREE, new) == _applied_by_git(tmp_path / "applied", _TREE, new)
    assert apply_patch(new, _TREE.get)["x.py"].before is None


def test_a_line_knows_where_it_was() -> None:
    file = apply_patch(_patch("one.py"), _TREE.get)["one.py"]

    assert (file.new_line(0), file.new_line(1)) == (None, 1)
    assert (file.old_line(0), file.old_line(1)) == (None, 1)
    assert file.adds_to(0, 1) and not file.adds_to(1, 1)


def test_two_sections_of_one_file_change_their_own_lines() -> None:
    text = b"".join(b"%d\n" % n for n in range(12))
    section = b"--- a/one.py\n+++ b/one.py\n@@ -%d,3 +%d,3 @@\n %d\n-%d\n+new\n %d\n"
    sections = [section % (n, n, n - 1, n, n + 1) for n in (1, 9)]
    (file,) = apply_patch(b"".join(sections), {"one.py": text}.get).values()
    assert file.edits == ((1, 2, 1, 2), (9, 10, 9, 10))
