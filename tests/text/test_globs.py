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

from packhound.files.gitignore import IgnoreRules, read_rules
from packhound.files.globs import compile_globs, glob_to_regex

PIECES = (
    *("a", "b", "*", "**", "/", "?", "[a-c]", "[!a]", "[^b]", ".py", ".log", "\\", "[", "]", "-"),
    *("!", "#", " ", "ab", "[]a]", "[[:alpha:]]", "[[:digit:]-]", "[z-a]", "\\*", "\\ ", "1", "A"),
    *("[--x]", "[]-a]", "[!]a]", "[\\]]", "[a\\-c]", "[[:nope:]a]", "***", "a*b*c", "/**/", "\t"),
)
NAMES = (
    *("a", "b", "ab", "abc", "a.py", "b.log", "x-y", "[a]", "a*b", " a", "a ", "-", "]", "!", "#x"),
    *("A1", "aXbYc", "\t"),
)


def verdicts_of_git(folder: Path, line: str, paths: list[str]) -> dict[str, bool]:
    """What git says of each path where `line` is the only rule: whether it is ignored."""
    (folder / ".gitignore").write_text(line + "\n", newline="")
    asked = subprocess.run(
        ["git", "-C", folder, "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(paths) + "\0",
        capture_output=True,
        text=True,
        check=False,
    )
    ignored = set(asked.stdout.split("\0"))
    return {path: path in ignored for path in paths}


@pytest.mark.skipif(not shutil.which("git"), reason="git is the reference")
@pytest.mark.parametrize("n_rules", [60, pytest.param(5_000, marks=pytest.mark.slow)])
def test_a_rule_says_what_git_says(tmp_path: Path, n_rules: int) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    draw = random.Random(n_rules)
    for _ in range(n_rules):
        line = "".join(draw.choice(PIECES) for _ in range(draw.randint(1, 6)))
        # A `/` in a class, and a name that only `!` speaks of, are read otherwise, and seldom are.
        if line.startswith("!") or "/" in "".join(re.findall(r"\[[^\]]*", line)):
            continue
        named = {"/".join(draw.choices(NAMES, k=draw.randint(1, 4))) for _ in range(40)}
        expected = verdicts_of_git(tmp_path, line, sorted(named))
        rules = read_rules(line)
        assert {path: rules.verdict(path) is True for path in expected} == expected, line


def test_the_last_line_that_speaks_of_a_path_wins() -> None:
    rules = read_rules("\ufeff*.log\r\n# a remark\n!keep.log\nbuild/\n\\#x\nsp\\ \nlast ")
    judged = {
        "a.log": True,
        "sub/a.log": True,
        "sub/keep.log": False,
        "build": None,
        "build/": True,
        "build/deep/a.py": True,
        "#x": True,
        "sp ": True,
        "last": True,
        "a.py": None,
    }
    assert {path: rules.verdict(path) for path in judged} == judged


def test_lines_that_are_no_rules() -> None:
    lines = ("", " ", "#", "!", "/", "!/", "[", "a[", "\\", "x" * 2_000, "[z-", "[[:nope:]]")
    assert not any(IgnoreRules([line]).verdict("x") for line in lines)
    assert not read_rules("\n\n# only remarks\n")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join))
def test_any_line_is_a_rule_or_none(line: str) -> None:
    re.compile(glob_to_regex(line))
    for path in ("a", "a/b.log", "\u2028/\n", "[a]/"):
        read_rules(line).verdict(path)


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
def test_requests_and_settings_read_a_glob_alike(glob: str) -> None:
    pattern = compile_globs((glob,))
    assert {path for path in PATHS if pattern.fullmatch(path)} == AGREED[glob]
    assert {path for path in PATHS if read_rules(glob).verdict(path)} == AGREED[glob]


def test_globs_of_a_request() -> None:
    assert not any(compile_globs(()).fullmatch(path) for path in PATHS)
    for glob in ("", "/", "./", "**"):
        assert all(compile_globs((glob,)).fullmatch(path) for path in PATHS)
    either = compile_globs(("./src/*.py", "src/deep"))
    assert [path for path in PATHS if either.fullmatch(path)] == [
        "src/cart.py",
        "src/deep/inner.py",
    ]
