"""Bad arguments and failing output: one line, and an exit code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import packhound


@pytest.mark.parametrize("arguments", [("index", "."), ("search", "where", "are", "doors")])
def test_an_extra_word_is_refused_with_the_remedy(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = packhound(tmp_path, *arguments)
    assert done.returncode == 2
    assert "quote a query of several words, and name a folder by --root" in done.stderr


def test_no_fewer_than_one_hit_can_be_asked_for(tmp_path: Path, root: Path) -> None:
    done = packhound(tmp_path, "search", "door", "--limit", "-3", "--root", str(root))
    assert (done.returncode, done.stdout) == (2, "")
    assert "-3 is not in the range 1<=x<=1000" in done.stderr


READING = ("search", "explain", "related", "pack", "grep", "show")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("search", "x", "--root", "/no/such/folder"), "'/no/such/folder' does not exist"),
        (("search",), "QUERY or --batch"),
        (("search", "x", "--mode", "fast"), "'hybrid', 'lexical', 'dense', 'symbol'"),
        (("search", "x", "--kind", "thing"), "'function'"),
        (("search", "x", "--set", "search.hover=never"), "results, always, off"),
        (("search", "x", "--set", "lmit=3"), "expected one of: search.limit, search.fuser"),
        (("search", "x", "--set", "search.limt=3"), "did you mean 'search.limit'?"),
        (("mcp", "--set", "lmit=3"), "expected one of: search.limit, search.fuser"),
        (("mcp", "--set", "search.limit=many"), "expected an integer between 1 and 1,000"),
        (("pack", "x", "-b", "5", "--reserve", "6"), "between 0 and the budget of 5"),
        (("search", "x", "--set", "search.hover"), "NAME=VALUE"),
        (("search", "--batch", "/no/such/file"), "/no/such/file"),
        (("explain", "x", "door.py"), "is a whole file; give PATH:LINE or PATH#Qual.name"),
        (("related", "no_such_name"), "search for a part of its name"),
        (("search", " "), "QUERY is empty; give a word"),
        (("search", "x", "--focus", "door.py:99"), "--focus is 'door.py:99'; the file has 3 lines"),
        (("pack", "x", "--focus", "door.py:4"), "--focus is 'door.py:4'; the file has 3 lines"),
        (("pack", "x", "-b", "0"), "'--budget' / '-b': 0 is not in the range 1<=x<="),
        (("grep", "(x"), "PATTERN is '(x'; missing )"),
        (("show", "door.py#window"), "search for a part of its name"),
        (("lsp", "--stdio", "--tcp"), "--stdio or --tcp"),
    ],
)
def test_bad_arguments_give_one_line_and_exit_code_2(
    tmp_path: Path, root: Path, arguments: tuple[str, ...], says: str
) -> None:
    if "--root" not in arguments and arguments[0] in READING:
        arguments = (*arguments, "--root", str(root))
    done = packhound(tmp_path, *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_what_cannot_be_printed_is_one_line(tmp_path: Path, root: Path) -> None:
    command = [sys.executable, "-m", "packhound", "search", "door", "--root", str(root), "--json"]
    environment = os.environ | {"PACKHOUND_CACHE_DIR": str(tmp_path / "cache")}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment)
    assert done.returncode == 1
    assert b"No space left" in done.stderr and b"Traceback" not in done.stderr
