"""Grep finds the lines that ripgrep finds, for patterns that both accept."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from packhound.core.errors import SettingsError
from packhound.core.settings_reader import settings_from
from packhound.grep import GrepRequest
from packhound.service.engine import Engine
from tests.support.patterns import random_pattern, words_of

FIXTURES = Path(__file__).parents[2] / "fixtures"
ODD_TEXTS = {
    "crlf.py": b"def first():\r\n    return 1\r\n\r\ndef second(): pass\r\n",
    "no_end.py": b"x = 1\n\n\ny = 'xyxy'  \nz",
    "blank_end.md": b"# Title\n\ntext\n\n\n",
    "accents.py": "# déjà vu: naïve Ärger – “quotes”\nname = 'Zoë'  # ſ K\n".encode(),
    "broken.py": b"a = '\xff\xfe caf\xe9'\n\xc3\nb = 2\n",
    "tabs.go": b"package main\n\nfunc main() {\n\tx := []int{1, 22, 333}\n\t\n}\n",
    "upper.sql": b"SELECT Name, COUNT(*) FROM Users GROUP BY name;\nselect 1;\n",
}

rg = shutil.which("rg")
needs_ripgrep = pytest.mark.skipif(
    rg is None, reason="ripgrep is not installed: python3 dev.py setup"
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root = tmp_path_factory.mktemp("texts")
    for name, text in ODD_TEXTS.items():
        (root / name).write_bytes(text)
    for path in sorted(FIXTURES.rglob("*.py"))[:12]:
        (root / f"{len([*root.iterdir()])}_{path.name}").write_bytes(path.read_bytes())
    engine = Engine.open(root, settings_from({"ranking.gitHistory": False, "index.persist": False}))
    assert engine.settled(60)
    yield engine
    engine.close()


def ours(engine: Engine, pattern: str) -> set[tuple[str, int]] | None:
    """Return the matching lines, None for a pattern that is refused."""
    try:
        results = engine.grep(GrepRequest(pattern, limit=10**9))
    except SettingsError:
        return None
    lines = {(g.path, line.number + 1) for g in results.groups for line in g.lines}
    assert results.n_lines == len(lines) == sum(len(g.lines) for g in results.groups)
    assert results.n_files == len({path for path, _ in lines})
    return lines


def ripgrep(engine: Engine, pattern: str) -> set[tuple[str, int]] | None:
    assert rg
    options = ["--no-config", "--no-unicode", "--no-heading", "-H", "-n", "-0", "-j1", "-e"]
    process = subprocess.run(
        [rg, *options, pattern, "--", *sorted(engine.snapshot.files)],
        cwd=engine.root,
        capture_output=True,
    )
    if process.returncode == 2:
        return None
    rows = (line.split(b"\0", 1) for line in process.stdout.split(b"\n") if line)
    return {(path.decode(), int(rest.split(b":", 1)[0])) for path, rest in rows}


def check(engine: Engine, n: int, seed: int) -> None:
    random, words = Random(seed), words_of([engine.source(p) or b"" for p in engine.snapshot.files])
    n_compared = n_matching = 0
    while n_compared < n:
        pattern = random_pattern(random, words)
        by_us = ours(engine, pattern)
        by_ripgrep = ripgrep(engine, pattern) if by_us is not None else None
        if by_us is not None and by_ripgrep is not None:
            assert by_us == by_ripgrep, pattern
            n_compared += 1
            n_matching += bool(by_us)
    assert n_matching > n / 4


@needs_ripgrep
def test_generated_patterns_find_what_ripgrep_finds(engine: Engine) -> None:
    check(engine, 200, seed=1)


@needs_ripgrep
@pytest.mark.parametrize("pattern", [r"\<def\>", r"\bdef\b{end}", r"\Adef", r"pass\z", r"\\<"])
def test_ends_of_words_and_lines_are_those_of_ripgrep(engine: Engine, pattern: str) -> None:
    assert ours(engine, pattern) == ripgrep(engine, pattern)


@needs_ripgrep
@pytest.mark.release
def test_ten_thousand_patterns_find_what_ripgrep_finds(engine: Engine) -> None:
    check(engine, 10_000, seed=2)
