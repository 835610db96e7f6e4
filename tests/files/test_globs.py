"""Globs and ignore files: as git reads them, whatever they hold, in time that cannot run away."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packhound.files.gitignore import IgnoreRules, parse_rules
from packhound.files.globs import compile_globs, glob_to_regex
from packhound.files.walk import WalkLimits, is_included

PIECES = (
    *("a", "b", "*", "**", "/", "?", "[a-c]", "[!a]", "[^b]", ".py", ".log", "\\", "[", "]", "-"),
    *("!", "#", " ", "ab", "[]a]", "[[:alpha:]]", "[[:digit:]-]", "[z-a]", "\\*", "\\ ", "1", "A"),
    *("[--x]", "[]-a]", "[!]a]", "[\\]]", "[a\\-c]", "[[:nope:]a]", "***", "a*b*c", "/**/", "\t"),
)
NAMES = (
    *("a", "b", "ab", "abc", "a.py", "b.log", "x-y", "[a]", "a*b", " a", "a ", "-", "]", "!", "#x"),
    *("A1", "aXbYc", "\t"),
)


def ignored_by_git(folder: Path, paths: list[str], **options: object) -> set[str]:
    """The paths that git ignores; tracked ones count too."""
    settings = [part for name, value in options.items() for part in ("-c", f"core.{name}={value}")]
    answer = subprocess.run(
        ["git", "-C", folder, *settings, "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(paths) + "\0",
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode in (0, 1), answer.stderr
    return set(answer.stdout.split("\0")) - {""}


def rule(draw: random.Random) -> str:
    """A line; a `/` in a class, which git reads otherwise and nobody writes, is in none."""
    while True:
        line = "".join(draw.choice(PIECES) for _ in range(draw.randint(1, 6)))
        if "/" not in "".join(re.findall(r"\[[^\]]*", line)):
            return draw.choice(("", "", "!")) + line


def some_paths(draw: random.Random) -> list[str]:
    return sorted({"/".join(draw.choices(NAMES, k=draw.randint(1, 4))) for _ in range(20)})


@pytest.mark.skipif(not shutil.which("git"), reason="git is the reference")
@pytest.mark.parametrize("n_rules", [60, pytest.param(5_000, marks=pytest.mark.release)])
def test_a_rule_says_what_git_says(tmp_path: Path, n_rules: int) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    draw = random.Random(n_rules)
    for _ in range(n_rules):
        line, paths = rule(draw), some_paths(draw)
        (tmp_path / ".gitignore").write_text(line + "\n", newline="")
        ignored = {path for path in paths if not is_included(tmp_path, path, WalkLimits())}
        assert ignored == ignored_by_git(tmp_path, paths), line


@pytest.mark.skipif(not shutil.which("git"), reason="git is the reference")
@pytest.mark.parametrize("n_cases", [150, pytest.param(10_000, marks=pytest.mark.release)])
def test_files_of_rules_say_what_git_says(tmp_path: Path, n_cases: int) -> None:
    """Many lines with negations, in every file that git reads, from any folder that is opened."""
    top, user = tmp_path / "top", tmp_path / "user-rules"
    subprocess.run(["git", "init", "-q", top], check=True)
    (top / "a" / "b").mkdir(parents=True)
    files = [top / f for f in (".gitignore", "a/.gitignore", "a/b/.gitignore", ".git/info/exclude")]
    draw = random.Random(n_cases)
    for _ in range(n_cases):
        for file in (*files, user):
            lines = [rule(draw) for _ in range(draw.randint(0, 5))] if draw.random() < 0.6 else []
            file.write_text("".join(f"{line}\n" for line in lines), newline="")
        prefix = draw.choice(("", "", "a/", "a/b/"))
        paths = sorted({prefix + path for path in some_paths(draw)} - {"a", "a/b"})
        ignored = ignored_by_git(top, [*paths, "a", "a/b"], excludesFile=user)
        if ignored.intersection(prefix[:n] for n in (1, 3)):
            continue  # Opened all the same, such a folder is no part of the repository.
        root, limits = top / prefix, WalkLimits(user_ignore_file=user)
        included = {p for p in paths if is_included(root, p.removeprefix(prefix), limits)}
        assert included == set(paths) - ignored, [file.read_text() for file in (*files, user)]


def test_the_last_line_that_speaks_of_a_path_wins() -> None:
    rules = parse_rules("\ufeff*.log\r\n# a remark\n!keep.log\nbuild/\n\\#x\nsp\\ \nlast ")
    judged = {
        "a.log": True,
        "sub/a.log": True,
        "sub/keep.log": False,
        "build": None,
        "build/": True,
        "build/deep/a.py": None,
        "#x": True,
        "sp ": True,
        "last": True,
        "a.py": None,
    }
    assert {path: rules.verdict(path) for path in judged} == judged


def test_lines_that_are_no_rules() -> None:
    lines = ("", " ", "#", "!", "/", "!/", "[", "a[", "\\", "x" * 2_000, "[z-", "[[:nope:]]")
    assert not any(IgnoreRules([line]).verdict("x") for line in lines)
    assert not parse_rules("\n\n# only remarks\n")


@settings(max_examples=200)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join))
def test_any_line_is_a_rule_or_none(line: str) -> None:
    re.compile(glob_to_regex(line))
    for path in ("a", "a/b.log", "\u2028/\n", "[a]/"):
        parse_rules(line).verdict(path)


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("*a" * 20 + "b", "a" * 255),
        ("*a*a*a/" * 4 + "b", "/".join(["a" * 200] * 4) + "/c"),
        ("**/*a*a*/" * 6 + "b", "/".join(["a" * 60] * 30)),
        ("**/a/" * 30 + "b", "a/" * 2_000),
        ("[a]*?" * 90 + "b", "a" * 255),
    ],
)
def test_no_glob_takes_for_ever(glob: str, path: str) -> None:
    # It ends at all: tried one way after the other these take longer than anyone lives.
    assert re.fullmatch(glob_to_regex(glob), path) is None


AGREED = {
    "tests": {"tests/test_cart.py", "src/tests/deep.py"},
    "tests/": {"tests/test_cart.py", "src/tests/deep.py"},
    "/tests": {"tests/test_cart.py"},
    "src/*.py": {"src/cart.py"},
    "src/**": {"src/cart.py", "src/deep/inner.py", "src/tests/deep.py"},
    "src/**/*.py": {"src/cart.py", "src/deep/inner.py", "src/tests/deep.py"},
    "src/deep": {"src/deep/inner.py"},
    "*.py": {"src/cart.py", "src/deep/inner.py", "src/tests/deep.py", "tests/test_cart.py"},
    "inner.py": {"src/deep/inner.py"},
    "deep/inner.py": set(),
    "te*": {"tests/test_cart.py", "src/tests/deep.py"},
    "[": set(),
}
PATHS = sorted(set().union(*AGREED.values()))


@pytest.mark.parametrize("glob", AGREED)
def test_requests_and_settings_read_a_glob_alike(glob: str, tmp_path: Path) -> None:
    pattern = compile_globs((glob,))
    assert {path for path in PATHS if pattern.fullmatch(path)} == AGREED[glob]
    limits = WalkLimits(exclude=(glob,))
    excluded = {path for path in PATHS if not is_included(tmp_path, path, limits)}
    assert excluded == AGREED[glob]


def test_globs_of_a_request() -> None:
    assert not any(compile_globs(()).fullmatch(path) for path in PATHS)
    for glob in ("", "/", "./", "**"):
        assert all(compile_globs((glob,)).fullmatch(path) for path in PATHS)
    either = compile_globs(("./src/*.py", "src/deep"))
    assert [path for path in PATHS if either.fullmatch(path)] == [
        "src/cart.py",
        "src/deep/inner.py",
    ]
