"""Each match of `git grep` in a folder is found by grep, or its file is named as not searched.

    python -m tests.acceptance.test_nothing_is_silent TREES SEED

checks so many generated trees, each less than half a second of a processor, and ends at the
first match that is missed.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import settings_from
from packhound.core.status import BINARY_BY_NAME, GREP_ALONE, LOCK_FILE, UNPARSED
from packhound.grep import GrepRequest
from packhound.operations import as_text
from packhound.service.engine import Engine
from tests.support.git_repository import git
from tests.support.operations import call
from tests.support.release import seed, size

CANARY = "canary_of_the_tree"
_SETTINGS = settings_from({"index.persist": False, "index.workers": 1})
_BY_GREP = (GREP_ALONE, UNPARSED)
"""Reasons of files of which grep reads all."""
DEFINED = "branch_of_the_tree"
NAMES = ("a.py", "b.go", "c.md", "d.txt", "e.json", "f.rs", "Makefile", "g h.js", "é.ts", "[x].c")
SPECIAL = (".env", "key.pem", "x.min.js", "yarn.lock", "y.patch", "z.png", "w.bin", "data.csv")
_SELDOM_LARGE = (60, 60, 60, 60, 8, 1)
"""Weights of six lengths: a large file costs as much as hundreds of others."""
SPECIAL += (".env.example", "go.sum", "v.svg", "u.snap", "t.diff", "credentials.json", "s.ipynb")


def write_tree(root: Path, chance: random.Random) -> None:
    """Write files of all kinds, most of which have the canary, at any place in them."""
    for number in range(chance.randint(4, 12)):
        folder = root.joinpath(*chance.choices(("lib", "src", "t", "deep"), k=chance.randint(0, 3)))
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{number}{chance.choice((*NAMES, *SPECIAL))}"
        folder.joinpath(name).write_bytes(write_file(chance))
        if chance.random() < 0.2:
            folder.joinpath(f"{number}_defines.py").write_bytes(write_code(chance))
    if chance.random() < 0.1:
        chance.choice([path for path in root.rglob("*") if path.is_file()]).chmod(0)
    (root / "link.py").symlink_to(chance.choice([*root.glob("*")] or [root]))
    if chance.random() < 0.3:
        (root / ".gitignore").write_text("t/\n*.rs\n")
    tracked = [path for path in root.rglob("*") if path.is_file() and chance.random() < 0.2]
    if tracked:
        git(root, "add", "-f", "--", *(str(path.relative_to(root)) for path in tracked))


def write_file(chance: random.Random) -> bytes:
    """Return a text of any length, with long lines, another encoding, or bytes of no text."""
    filler = chance.choice((b"x = 1\n", b"some words, and more; ", b"\n", "größe = «ß»\n".encode()))
    lines = [filler] * chance.choices((0, 1, 30, 900, 20_000, 160_000), _SELDOM_LARGE)[0]
    for _ in range(chance.randint(0, 3)):
        lines.insert(chance.randint(0, len(lines)), b"\n" + CANARY.encode() + b" = 2\n")
    text = b"".join(lines)
    kind = chance.random()
    if kind < 0.1:
        return text.decode().encode("utf-16")
    return text + b"\0" if kind < 0.2 else b"caf\xe9 " + text if kind < 0.25 else text


def write_code(chance: random.Random) -> bytes:
    """Return code of any length that has a definition, in any encoding, or with a byte of none."""
    n_lines = chance.choices((0, 1, 30, 900, 20_000, 300_000), _SELDOM_LARGE)[0]
    text = "x = 1\n" * n_lines + f"\n\ndef {DEFINED}():\n    return 1\n"
    encoding = chance.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16"))
    marked = chance.choice((b"", b"", b"# caf\xe9\n")) if encoding == "utf-8" else b""
    return marked + text.encode(encoding) + chance.choice((b"", b"", b"", b"\0"))


def lines_of_git_grep(root: Path, pattern: str = CANARY) -> dict[str, int]:
    """Return the number of matching lines of each text, tracked or not, that is not ignored."""
    command = ["git", "grep", "-I", "--untracked", "-c", "-z", pattern]
    printed = subprocess.run(command, cwd=root, capture_output=True, check=False).stdout
    rows = (line.rsplit(b"\0", 1) for line in printed.splitlines())
    return {path.decode(): int(count) for path, count in rows}


def files_of_symbol(engine: Engine) -> tuple[set[str], str]:
    """Return the files that `symbol` says define the name, or none and what it says instead."""
    try:
        answer = call(engine, "symbol", {"name": DEFINED, "limit": 100})
    except SettingsError as refusal:
        return set(), str(refusal)
    return {answer["path"], *(other["path"] for other in answer["others"])}, ""


def files_of_ripgrep(root: Path) -> set[str]:
    """Return the files in which ripgrep, where it is installed, finds the canary."""
    program = shutil.which("rg")
    if program is None:
        return set()
    command = [program, "--files-with-matches", "--hidden", "--glob=!.git", "-0", CANARY, "."]
    printed = subprocess.run(command, cwd=root, capture_output=True, check=False).stdout
    return {path.decode().removeprefix("./") for path in printed.split(b"\0") if path}


def test_no_match_is_missed_in_silence(tmp_path: Path) -> None:
    check_trees(tmp_path, seed=6, n_trees=4)  # Of middling sizes.


@pytest.mark.release
@pytest.mark.parametrize("part", range(10))
def test_no_match_of_many_trees_is_missed_in_silence(tmp_path: Path, part: int) -> None:
    check_trees(tmp_path, 10 * seed(10) + part, n_trees=size(300) // 10)


def check_trees(folder: Path, seed: int, n_trees: int) -> None:
    """Index some trees, each below the same root, and compare."""
    chance, counts = random.Random(seed), Counter[str]()
    keeper = folder / "keeper"
    keeper.mkdir()
    with closing(Engine.open(keeper, _SETTINGS)):  # Whoever is open keeps the parsers of all.
        for number in range(n_trees):
            root = folder / str(number)
            root.mkdir()
            git(root, "init")
            write_tree(root, chance)
            counts += check_tree(root, chance, (seed, number))
            shutil.rmtree(root)
    assert counts["matches"] > counts["named"] > 0


def change_a_file(root: Path, chance: random.Random) -> Path:
    """Append the canary to a file that is being read, or replace it."""
    files = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    changeable = [path for path in files if os.access(path, os.W_OK) and not path.is_symlink()]
    path = chance.choice(sorted(changeable))
    if chance.random() < 0.5:
        encoding = "utf-16-le" if path.read_bytes().startswith(b"\xff\xfe") else "utf-8"
        with path.open("ab") as file:
            file.write(f"\n{CANARY} = 3\n".encode(encoding))
    else:
        path.unlink()
        path.write_bytes(write_file(chance))
    return path


def check_tree(root: Path, chance: random.Random, drawn: tuple[int, int]) -> Counter[str]:
    """Index a tree and compare; return its matches, and those in files that are not searched."""
    with closing(Engine.open(root, _SETTINGS)) as engine:
        if chance.random() < 0.3:
            changed = change_a_file(root, chance)
            engine.refresh([changed.relative_to(root).as_posix()])
        assert engine.settled(300)  # Parsers of a busy machine are stopped and start again.
        counts = engine.grep(GrepRequest(CANARY, count_only=True, limit=1_000)).counts
        found = {count.path: count.lines for count in counts}
        named = engine.left_out.files
        answer = call(engine, "grep", {"pattern": CANARY})
        definers, refusal = files_of_symbol(engine)
        said = as_text("search", call(engine, "search", {"query": CANARY}))
    matches = lines_of_git_grep(root)
    is_denied = " is not in this folder" in said
    are_binary = all(named.get(path, "") == BINARY_BY_NAME for path in matches)
    bound = "binary files aside" if are_binary else " not wholly searched"
    assert not (matches and is_denied) or bound in said or " not wholly searched" in said, drawn
    missed = [path for path in files_of_ripgrep(root) if path not in {*found, *named}]
    assert not missed, (drawn, missed)
    unnamed = [path for path in matches if named.get(path, GREP_ALONE) in _BY_GREP]
    missed = [path for path in unnamed if found.get(path) != matches[path]]
    assert not missed, (drawn, missed)
    defined = lines_of_git_grep(root, f"^def {DEFINED}")
    assert not (defined and refusal) or "not searched" in refusal, (drawn, refusal)
    missed = [path for path in defined if path not in {*definers, *named}]
    assert not missed, (drawn, missed)
    unsearched = [why for why in named.values() if why not in _BY_GREP]
    skipped = answer.get("skipped", {})
    assert sum(skipped.values()) == len(unsearched), (drawn, skipped, named)
    texts = [why for why in unsearched if why != BINARY_BY_NAME]
    printed = as_text("grep", answer)
    assert bool(texts) == ("not searched" in printed), (drawn, named, printed)
    return Counter(matches=len(matches), named=len(matches) - len(unnamed))


def test_a_text_with_the_name_of_a_binary_file_is_not_denied(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_text(f"{CANARY} = 2\n")
    (tmp_path / "tool.py").write_text("def run(): pass\n")
    engine = Engine.open(tmp_path, settings_from({"index.persist": False}))
    try:
        assert engine.settled(60)
        said = as_text("search", call(engine, "search", {"query": CANARY}))
    finally:
        engine.close()
    assert f"`{CANARY}` is not in this folder, binary files aside" in said


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux alone")
def test_what_no_index_can_hold_is_named(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.py")).write_text(f"{CANARY} = 1\n")
    (tmp_path / "nul.py").write_bytes(f"{CANARY} = 2\0".encode())
    (tmp_path / "logo.png").write_bytes(b"\0")
    (tmp_path / "tool.py").write_text("def run(): pass\n")
    engine = Engine.open(tmp_path, settings_from({"index.persist": False}))
    try:
        assert engine.settled(60)
        answer = call(engine, "grep", {"pattern": CANARY})
        said = as_text("search", call(engine, "search", {"query": CANARY}))
        named = engine.left_out.files
    finally:
        engine.close()
    assert named == {
        r"bad\udcff.py": "no text by name",
        "nul.py": "binary",
        "logo.png": "binary by name",
    }
    assert "2 files are not searched (1 no text by name, 1 binary)" in as_text("grep", answer)
    assert "of which 2 files are not or not wholly searched, binary files aside" in said


def test_a_folder_that_is_gone_denies_nothing_until_it_is_back(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "shop", tmp_path / "moved"
    folder.mkdir()
    (folder / "tool.py").write_text(f"def {CANARY}(): pass\n")
    engine = Engine.open(folder, settings_from({"index.persist": False}))
    try:
        assert engine.settled(60)
        folder.rename(elsewhere)
        engine.refresh()
        assert engine.settled(60)
        said = as_text("search", call(engine, "search", {"query": CANARY}))
        status = call(engine, "status", {})
        elsewhere.rename(folder)
        engine.refresh()
        assert engine.settled(60)
        again = call(engine, "search", {"query": CANARY})
    finally:
        engine.close()
    assert "not in this folder" not in said and "there may be more" in said
    assert status["state"] == "degraded"
    assert any("is gone: it was renamed, moved or deleted" in note for note in status["notes"])
    assert again["hits"] and again["complete"]


def test_grep_alone_reads_large_texts_but_for_words_of_nowhere_else(tmp_path: Path) -> None:
    rows = [f"row {number}, of many\n" for number in range(120_000)]
    (tmp_path / "people.csv").write_text("".join([*rows, f"{CANARY}\n"]))
    (tmp_path / "tool.py").write_text("def run(): pass\n" + "x = 1\n" * 700_000 + CANARY)
    tokens = [f"{'Y2FuYXJ5' * 600}\n", *(f"{n}_{n * n:x}\n" for n in range(9_000))]
    (tmp_path / "vocabulary.tok").write_text("".join([*tokens, f"{CANARY}\n"]))
    for _ in range(2):  # Read, then loaded.
        engine = Engine.open(tmp_path, settings_from({"index.workers": 1}))
        try:
            assert engine.settled(60)
            counts = engine.grep(GrepRequest(CANARY, count_only=True, limit=10)).counts
            lines = call(engine, "grep", {"pattern": CANARY})["groups"]
            found = call(engine, "search", {"query": "people"})
            data = call(engine, "search", {"query": "vocabulary"})
            further = call(engine, "search", {"query": CANARY, "mode": "lexical"})
            nothing = call(engine, "search", {"query": f"{CANARY}2", "mode": "lexical"})
            weak = call(engine, "search", {"query": "how do zebras migrate"})
            assert engine.flush(60)
        finally:
            engine.close()
        assert {count.path: count.lines for count in counts} == {
            "people.csv": 1,
            "tool.py": 1,
            "vocabulary.tok": 1,
        }
        numbers = [line["line"] for group in lines for line in group["lines"]]
        assert numbers == [120_001, 700_002, 9_002]
        assert found["hits"][0]["path"] == "people.csv"
        assert data["hits"][0]["path"] == "vocabulary.tok"
        assert found["skipped"] == {GREP_ALONE: 3}
        assert [hit["path"] for hit in further["hits"]] == [count.path for count in counts]
        reasons = {hit["reasons"][0] for hit in further["hits"]}
        assert reasons == {f"one of 3 places with {CANARY}"}
        assert [hit["start_line"] for hit in further["hits"]] == numbers
        denial = (
            f"`{CANARY}2` is not in this folder, of which 3 files are not or not wholly searched"
        )
        assert denial in as_text("search", nothing)
        assert "; 3 files are not or not wholly searched" in as_text("search", weak)


@pytest.mark.slow
def test_a_text_whose_parser_is_stopped_has_no_definitions_and_is_named(tmp_path: Path) -> None:
    heavy = "x = [\n" + "1,\n" * 300_000 + "]\n"
    (tmp_path / "heavy.py").write_text(f"{heavy}def {DEFINED}():\n    return '{CANARY}'\n")
    for _ in range(2):  # Read, then loaded.
        engine = Engine.open(tmp_path, settings_from({"index.workers": 1}))
        try:
            assert engine.settled(60) and engine.flush(60)
            definers, refusal = files_of_symbol(engine)
            counts = engine.grep(GrepRequest(CANARY, count_only=True, limit=10)).counts
            skipped = call(engine, "grep", {"pattern": "nowhere"}).get("skipped")
            left_out = engine.left_out.files
        finally:
            engine.close()
        assert [count.path for count in counts] == ["heavy.py"] and not skipped
        if not definers:  # A machine may be fast enough.
            assert left_out == {"heavy.py": UNPARSED}
            assert f"1 file is not searched for definitions (1 {UNPARSED})" in refusal


LOCKS = {
    "Cargo.lock": '[[package]]\nname = "serde"\nversion = "1.0.1"\nchecksum = "canary0"\n',
    "Gemfile.lock": "GEM\n  specs:\n    rack (2.2.3)\n  canary0 text\n",
    "package-lock.json": '{\n  "node_modules/koa": {\n    "version": "2.0",\n'
    '    "integrity": "canary0"\n  }\n}\n',
    "pnpm-lock.yaml": "packages:\n\n  /koa@2.0.0:\n    resolution: {integrity: canary0}\n",
    "yarn.lock": 'koa@^2.0:\n  version "2.0.1"\n  integrity canary0\n',
}


def test_names_and_versions_of_lock_files_are_searched_and_the_rest_is_said_not_to_be(
    tmp_path: Path,
) -> None:
    for path, text in LOCKS.items():
        (tmp_path / path).write_text(text)
    (tmp_path / "big").mkdir()
    (tmp_path / "big" / "yarn.lock").write_text(f"# {'x' * 1_000}\n\n" * 1_500)
    for _ in range(2):  # Read, then loaded.
        engine = Engine.open(tmp_path, settings_from({"index.workers": 1}))
        try:
            assert engine.settled(60) and engine.flush(60)
            request = {"pattern": "serde|rack|koa|2[.]0|1[.]0|canary0"}
            answer = call(engine, "grep", request)
            blank = call(engine, "grep", {"pattern": r"^\s*$"})
        finally:
            engine.close()
        assert not blank["groups"] and blank["skipped"] == answer["skipped"]
        lines = [(group["path"], n["line"]) for group in answer["groups"] for n in group["lines"]]
        assert sorted(lines) == [
            *(("Cargo.lock", 2), ("Cargo.lock", 3), ("Gemfile.lock", 3)),
            *(("package-lock.json", 2), ("package-lock.json", 3), ("pnpm-lock.yaml", 3)),
            *(("yarn.lock", 1), ("yarn.lock", 2)),
        ]
        assert answer["skipped"] == {LOCK_FILE: len(LOCKS) + 1}
        assert answer["notes"] == [
            "only lines with a name or version are searched, and counted, of "
            + ", ".join(sorted([*LOCKS, "big/yarn.lock"])),
            f"6 files are not searched, or in part (6 {LOCK_FILE}): `status --skipped` lists them",
        ]


def main() -> None:
    """Check generated trees, a hundred in each folder that is thrown away."""
    n_trees, seed = int(sys.argv[1]), int(sys.argv[2])
    for first in range(0, n_trees, 100):
        with tempfile.TemporaryDirectory() as folder:
            check_trees(Path(folder), seed + first, min(100, n_trees - first))
        sys.stdout.write(f"{min(first + 100, n_trees):,} trees: nothing missed\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
