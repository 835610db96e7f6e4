"""Each match of `git grep` in a folder is found by grep, or its file is named as not searched."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.grep import GrepRequest
from packhound.operations import as_text
from packhound.service.engine import Engine
from tests.support.git_repository import git
from tests.support.operations import call

CANARY = "canary_of_the_tree"
NAMES = ("a.py", "b.go", "c.md", "d.txt", "e.json", "f.rs", "Makefile", "g h.js", "é.ts", "[x].c")
SPECIAL = (".env", "key.pem", "x.min.js", "yarn.lock", "y.patch", "z.png", "w.bin", "data.csv")


def write_tree(root: Path, chance: random.Random) -> None:
    """Write files of all kinds, most of which have the canary, at any place in them."""
    for number in range(chance.randint(4, 12)):
        folder = root.joinpath(*chance.choices(("lib", "src", "t", "deep"), k=chance.randint(0, 3)))
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{number}{chance.choice((*NAMES, *SPECIAL))}"
        folder.joinpath(name).write_bytes(write_file(chance))
    (root / "link.py").symlink_to(chance.choice([*root.glob("*")] or [root]))
    if chance.random() < 0.3:
        (root / ".gitignore").write_text("t/\n*.rs\n")


def write_file(chance: random.Random) -> bytes:
    """Return a text of any length, with long lines, another encoding, or bytes of no text."""
    filler = chance.choice((b"x = 1\n", b"some words, and more; ", b"\n", "größe = «ß»\n".encode()))
    lines = [filler] * chance.choice((0, 1, 30, 900, 20_000, 160_000))
    for _ in range(chance.randint(0, 3)):
        lines.insert(chance.randint(0, len(lines)), b"\n" + CANARY.encode() + b" = 2\n")
    text = b"".join(lines)
    kind = chance.random()
    if kind < 0.1:
        return text.decode().encode("utf-16")
    return text + b"\0" if kind < 0.2 else b"caf\xe9 " + text if kind < 0.25 else text


def lines_of_git_grep(root: Path) -> dict[str, int]:
    """Return the number of matching lines of each text, tracked or not, that is not ignored."""
    command = ["git", "grep", "-I", "--untracked", "-c", "-z", CANARY]
    printed = subprocess.run(command, cwd=root, capture_output=True, check=False).stdout
    rows = (line.rsplit(b"\0", 1) for line in printed.splitlines())
    return {path.decode(): int(count) for path, count in rows}


@pytest.mark.parametrize("seed", range(3))
def test_no_match_is_missed_in_silence(tmp_path: Path, seed: int) -> None:
    check_trees(tmp_path, seed, n_trees=4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_no_match_of_many_trees_is_missed_in_silence(tmp_path: Path, seed: int) -> None:
    check_trees(tmp_path, seed, n_trees=30)


def check_trees(folder: Path, seed: int, n_trees: int) -> None:
    """Index some trees, each below the same root, and compare."""
    chance, n_matches, n_named = random.Random(seed), 0, 0
    for number in range(n_trees):
        root = folder / str(number)
        root.mkdir()
        git(root, "init")
        write_tree(root, chance)
        engine = Engine.open(root, settings_from({"index.persist": False, "index.workers": 1}))
        try:
            assert engine.settled(60)
            counts = engine.grep(GrepRequest(CANARY, count_only=True, limit=1_000)).counts
            found = {count.path: count.lines for count in counts}
            named = engine.left_out.files
            answer = call(engine, "grep", {"pattern": CANARY})
        finally:
            engine.close()
        for path, n_lines in lines_of_git_grep(root).items():
            n_matches += 1
            assert found.get(path) == n_lines or path in named, (seed, number, path)
            n_named += path in named
        assert sum(answer.get("skipped", {}).values()) == len(named)
        texts = [why for why in named.values() if not why.startswith("binary")]
        assert bool(texts) == ("not searched" in as_text("grep", answer))
    assert n_matches > n_named > 0
