"""Patches applied in memory against `git apply`: random and hostile ones, and the time of one.

    python -m benchmarks.patches [--random 10000] [--save]

A third of the random patches lead from one tree of files to another; a third are applied to a text
that has moved on; a third are damaged. Each is applied as git applies it, or refused where git
refuses. Hostile ones, of names that lead out or into `.git` in each kind of change and of broken
headers, are refused wherever git refuses them, and some of what git takes is refused as well: links
names that Windows or macOS read otherwise, files
that become folders, and names that contradict each other.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from benchmarks.stored import save
from packhound.core.errors import SettingsError
from packhound.git.patched import PatchedFile, apply_patch

RESULTS = Path(__file__).parent / "results" / "patches.json"
Tree = dict[str, bytes]
Kind: TypeAlias = Literal["between trees", "moved on", "damaged"]

_GIT = ("git", "-c", "core.autocrlf=false")
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
_DRAWN: dict[Kind, tuple[list[str], int]] = {
    "between trees": (_NAMES, 40),
    "moved on": (["one.py"], 60),
    "damaged": (_NAMES[:4], 20),
}
KINDS = [*_DRAWN]
_OPTIONS = [(), ("-M",), ("-M", "-C", "--find-copies-harder"), ("-U1",), ("-U9",)]
_BATCH = 500
_LINES = 10_000


def git(root: Path, *arguments: str, patch: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder that belongs to no repository but its own."""
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


def diffs(root: Path, cases: Iterable[tuple[Tree, Tree, tuple[str, ...]]]) -> Iterator[bytes]:
    """Yield git's diff of each pair of trees; `root` becomes a repository."""
    cases = [*cases]
    git(root, "init", "-q", "--bare")
    stream = b"".join(
        _imported(f"{side}{n}", tree)
        for n, (before, after, _) in enumerate(cases)
        for side, tree in (("before", before), ("after", after))
    )
    imported = git(root, "fast-import", "--quiet", patch=stream)
    assert imported.returncode == 0, imported.stderr
    for n, (_, _, options) in enumerate(cases):
        yield git(root, "diff", *options, f"before{n}", f"after{n}").stdout


def _imported(branch: str, tree: Tree) -> bytes:
    head = f"commit refs/heads/{branch}\ncommitter t <t@t> 0 +0000\ndata 0\n".encode()
    files = (
        b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(text), text)
        for path, text in tree.items()
    )
    return head + b"".join(files) + b"\n"


def some_text(chance: random.Random, n: int) -> bytes:
    """Return up to `n` lines, some of which look like those of a patch."""
    end = chance.choice([b"\n", b"\n", b"\n", b"\r\n"])
    lines = [
        b"%d" % i if chance.random() < 0.6 else chance.choice(_WORDS)
        for i in range(chance.randint(0, n))
    ]
    return end.join(lines) + (end if lines and chance.random() < 0.8 else b"")


def edited(chance: random.Random, text: bytes) -> bytes:
    """Return a text with some lines replaced."""
    lines = text.splitlines(keepends=True)
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(lines))
        gone = chance.choice([0, 0, 1, 2, 7])
        lines[at : at + gone] = [b"new %d\n" % chance.randint(0, 9)] * chance.choice([0, 1, 1, 3])
    changed = b"".join(lines)
    return changed.removesuffix(b"\n") if chance.random() < 0.1 else changed


def _changed(chance: random.Random, tree: Tree) -> Tree:
    """Return a tree with texts edited, files added, removed and renamed."""
    changed = {path: edited(chance, text) for path, text in tree.items()}
    for path in [path for path in changed if chance.random() < 0.15]:
        del changed[path]
    if changed and chance.random() < 0.5:
        path = chance.choice([*changed])
        changed[f"moved/{len(tree)}.txt"] = changed.pop(path)
    if chance.random() < 0.5:
        changed[f"new/{len(tree)}.py"] = some_text(chance, 9)
    return changed


def applied(tree: Tree, patch: bytes) -> Tree | None:
    """Return a tree as we patch it, None where we refuse; check the map of its lines."""
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


def applied_by_git(tree: Tree, patch: bytes) -> Tree | None:
    """Return a tree as git patches it, None where it refuses."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "tree")
        root.mkdir()
        for path, text in tree.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text)
        if git(root, "apply", "-", patch=patch).returncode:
            return None
        files = (path for path in sorted(root.rglob("*")) if path.is_file())
        patched = {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
    # Where a header does not say that a file goes, git takes /dev/null for its new name.
    return patched if patched and "dev/null" not in patched else None


def random_patches(
    root: Path, kind: Kind, seeds: Iterable[int]
) -> Iterator[tuple[int, Tree, bytes]]:
    """Yield a seed, a tree and a patch for it, which follow from the seed."""
    drawn = []
    for seed in seeds:
        chance = random.Random(seed)
        names, n_lines = _DRAWN[kind]
        before = {name: some_text(chance, n_lines) for name in names}
        is_one = kind == "moved on"
        after = {"one.py": edited(chance, before["one.py"])} if is_one else _changed(chance, before)
        options = chance.choice(_OPTIONS) if kind == "between trees" else ("-M",)
        drawn.append((seed, chance, (before, after, options)))
    made = diffs(root, (case for _, _, case in drawn))
    for (seed, chance, (before, _, _)), diff in zip(drawn, made, strict=True):
        if kind == "moved on":
            yield seed, {"one.py": edited(chance, before["one.py"])}, diff
        else:
            yield seed, before, _damaged(chance, diff) if kind == "damaged" else diff


def _damaged(chance: random.Random, patch: bytes) -> bytes:
    lines = patch.splitlines(keepends=True)
    for _ in range(chance.randint(1, 2)):
        at = chance.randrange(len(lines) + 1)
        lines[at : at + 1] = chance.choice([[], [], lines[at : at + 1] * 2, [b" x\n"], [b"\n"]])
    return b"".join(lines)


TREE = {"one.py": b"1\n2\n", "dir/two.py": b"2\n"}


def change_of(path: str, *headers: str) -> bytes:
    """Return a patch of the first line of a file."""
    lines = [f"diff --git a/{path} b/{path}", *headers, f"--- a/{path}", f"+++ b/{path}"]
    return "\n".join([*lines, "@@ -1,2 +1,2 @@", "-1", "+one", " 2", ""]).encode()


def new_file(path: str, mode: str = "100644") -> bytes:
    """Return a patch that makes a file."""
    lines = [f"diff --git a/{path} b/{path}", f"new file mode {mode}", "--- /dev/null"]
    return "\n".join([*lines, f"+++ b/{path}", "@@ -0,0 +1 @@", "+1", ""]).encode()


_LEADING_OUT = (
    *("../x.py", "dir/../../x.py", "dir/../x.py", "dir/..", "..", "/x.py", "//x.py", "./x.py"),
    *("dir/./x.py", "dir//x.py", "dir/", ".", "...", "~/x.py", "dir/.../x.py", "x.py/.."),
    *(".git", ".git/config", ".git/hooks/post-checkout", "dir/.GIT/config", ".Git/x", "git~1/x"),
    *("GIT~1/config", ".git./config", ".git /config", ".git::$INDEX_ALLOCATION/config"),
    *("dir/.git", "dir/.git/x.py", ".gitx/x.py", "one.py/x.py", "x" * 250),
)
_OF_WINDOWS = ("con.txt", "dir/NUL", "aux.c", "C:/x.py", "..\\x.py", "dir\\..\\..\\x.py", "com1.py")
_OF_MACS = (".g\u200cit/config",)
_OF_KINDS = {
    "header": {
        "no mode": change_of("one.py", "old mode 1x", "new mode 100644"),
        "fewer lines": change_of("one.py").replace(b"-1,2", b"-1,3"),
        "no change": change_of("one.py").replace(b"-1\n+one", b" 1").replace(b"+1,2", b"+1,2"),
        "a hunk of nothing": b"@@ -1 +1 @@\n-1\n+2\n",
        "nothing": b"hello\n",
        "empty": b"",
        "both names are none": b"--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-1\n+2\n",
        "a binary file": b"diff --git a/x b/x\nindex 1..2 100644\n"
        b"Binary files a/x and b/x differ\n",
    },
    "file": {
        "a file exists": new_file("one.py"),
        "no such file": change_of("three.py"),
        "another text": change_of("dir/two.py"),
        "a renamed file that is not there": b"diff --git a/x b/y\nrename from x\nrename to y\n",
        "a rename onto another": b"diff --git a/one.py b/dir/two.py\nrename from one.py\n"
        b"rename to dir/two.py\n",
        "absolute": b"diff --git a/one.py b/x\nrename from one.py\nrename to /tmp/x.py\n",
        "a file that goes in part": b"diff --git a/one.py b/one.py\ndeleted file mode 100644\n"
        b"--- a/one.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n",
    },
    "ours": {
        "a link": new_file("x.py", "120000"),
        "a file that becomes a folder": b"diff --git a/one.py b/one.py\ndeleted file mode 100644\n"
        b"--- a/one.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n" + new_file("one.py/x.py"),
        "two names": change_of("one.py").replace(b"+++ b/one.py", b"+++ b/x.py"),
        "another name than above": change_of("one.py").replace(
            b"diff --git a/one.py b/one.py", b"diff --git a/x.py b/x.py"
        ),
    },
}


def hostile_patches() -> Iterator[tuple[str, bytes, bool]]:
    """Yield a name, a patch of `TREE`, and True where we may refuse what git takes."""
    for group, patches in _OF_KINDS.items():
        for name, patch in patches.items():
            yield name, patch, group == "ours"
    for path in (*_LEADING_OUT, *_OF_WINDOWS, *_OF_MACS):
        for kind, patch in _changes_of(path):
            is_ours = path not in _LEADING_OUT or (path, kind) == ("one.py/x.py", "rename to")
            yield f"{kind} {path[:40]!a}", patch, is_ours


def _changes_of(path: str) -> Iterator[tuple[str, bytes]]:
    yield "new", new_file(path)
    yield "new, as a plain diff,", f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+1\n".encode()
    yield "new, in quotes,", new_file("Q").replace(b"b/Q", f'"b/{path}"'.encode())
    yield "changed", change_of(path)
    yield "another mode of", change_of(path, "old mode 100644", "new mode 100755")
    for way in ("rename", "copy"):
        header = f"diff --git a/one.py b/{path}\n{way} from one.py\n{way} to {path}\n"
        yield f"{way} to", header.encode()
    yield (
        "rename from",
        f"diff --git a/{path} b/x.py\nrename from {path}\nrename to x.py\n".encode(),
    )
    gone = new_file(path).replace(b"new file", b"deleted file")
    gone = re.sub(rb"--- /dev/null\n\+\+\+ b/(.*)\n", rb"--- a/\1\n+++ /dev/null\n", gone)
    yield "deleted", gone.replace(b"-0,0 +1", b"-1 +0,0").replace(b"\n+1\n", b"\n-1\n")


def _ms_of_long_diff() -> float:
    """Return the processor time to read a diff of 10,000 lines, apply it and map its lines.

    It has ten files; every eighteenth line is another. The least of many runs, since others use the
    processors too.
    """
    text = b"".join(b"line %d\n" % n for n in range(_LINES // 5))
    lines = text.splitlines(keepends=True)
    lines[::18] = [b"new %d\n" % n for n in range(len(lines[::18]))]
    tree = {f"{n}.py": text for n in range(10)}
    with tempfile.TemporaryDirectory() as folder:
        (patch,) = diffs(Path(folder), [(tree, dict.fromkeys(tree, b"".join(lines)), ())])
    assert abs(patch.count(b"\n") - _LINES) < _LINES / 10, patch.count(b"\n")
    took = []
    for _ in range(100):
        start = time.process_time()
        for file in apply_patch(patch, tree.get).values():
            for a, b, c, d in file.edits:
                file.new_line(a), file.new_line(b), file.old_line(c), file.old_line(d)
        took.append(1000 * (time.process_time() - start))
    return round(min(took), 1)


def main() -> None:
    """Compare, print and keep the figures where asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--random", type=int, default=10_000)
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    counts, differences = Counter[str](), list[str]()
    for number, kind in enumerate(KINDS):
        seeds = range(number, options.random, len(KINDS))
        for start in range(0, len(seeds), _BATCH):
            with tempfile.TemporaryDirectory() as folder:
                drawn = random_patches(Path(folder), kind, seeds[start : start + _BATCH])
                for seed, tree, patch in drawn:
                    ours, theirs = applied(tree, patch), applied_by_git(tree, patch)
                    counts["refused" if theirs is None else "applied"] += 1
                    differences += [f"{kind} {seed}"] * (ours != theirs)
    hostile, here_alone = Counter[str](), list[str]()
    for name, patch, may_refuse in hostile_patches():
        ours, theirs = applied(TREE, patch), applied_by_git(TREE, patch)
        hostile["refused" if ours is None else "applied"] += 1
        if ours is None and theirs is not None and may_refuse:
            here_alone.append(name)
        elif ours != theirs:
            differences.append(f"hostile: {name}")
    figures = {
        "random": dict(counts),
        "hostile": dict(hostile),
        "refused_here_alone": here_alone,
        "differences": differences,
        "ms_of_10000_lines": _ms_of_long_diff(),
    }
    if options.save:
        save(RESULTS, figures)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
