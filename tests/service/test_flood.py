"""Thousands of files change at once, under searches: each answer is of one moment, and the last
one is that of an index made anew. Nothing here looks at the clock.
"""

from __future__ import annotations

import random
import shutil
import threading
from pathlib import Path

import pytest

from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.service.engine import Engine
from tests.support.release import size

WORDS = ("load", "store", "parse", "render", "merge", "route", "price", "stock")


class Folder:
    """Files whose every function says which file and which revision it is of."""

    def __init__(self, root: Path, n_files: int, seeded: random.Random) -> None:
        self.root, self.seeded = root, seeded
        self.revisions = [0] * n_files
        self.texts: dict[tuple[str, int], bytes] = {}

    def path(self, n: int) -> str:
        return f"p{n % 17}/m{n}.py"

    def write(self, n: int) -> str:
        """The next revision of a file; returns its path."""
        self.revisions[n] += 1
        path, revision = self.path(n), self.revisions[n]
        word = self.seeded.choice(WORDS)
        remarks = "# a remark\n" * self.seeded.randrange(4)
        functions = "".join(
            f"def {word}_{part}_f{n}_r{revision}():\n    return {part}\n\n\n" for part in "ab"
        )
        self.texts[path, revision] = (remarks + functions).encode()
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(self.texts[path, revision])
        return path

    def check(self, engine: Engine, query: Query) -> None:
        """Every hit is in the text of one revision of its file, the same for all of that file."""
        results = engine.search(query)
        of_file: dict[str, int] = {}
        for hit in results.hits:
            node = hit.node
            assert node.generation == results.generation
            if node.kind != "function":
                continue
            n, revision = (int(part[1:]) for part in node.name.split("_")[-2:])
            assert node.path == self.path(n)
            assert of_file.setdefault(node.path, revision) == revision
            text = self.texts[node.path, revision][node.span.start : node.span.end].decode()
            # A node begins with the remarks above it.
            assert text.removeprefix("# a remark\n" * text.count("#")).startswith(
                f"def {node.name}("
            )
            assert text.endswith(f"return {part_number(node.name)}")


def part_number(name: str) -> str:
    """What the function of this name returns."""
    return name.split("_")[1]


def answers(engine: Engine) -> list[object]:
    figures: list[object] = [engine.status().files, engine.status().nodes, engine.status().vectors]
    for word in WORDS:
        hits = engine.search(Query(word, limit=50)).hits
        figures.append([(hit.node.path, hit.node.name, hit.score) for hit in hits])
    return figures


@pytest.mark.parametrize(
    ("n_files", "n_floods", "n_searches"),
    [(60, 2, 100), pytest.param(5_000, 12, size(100_000), marks=pytest.mark.release)],
)
def test_a_flood_of_changes(tmp_path, n_files, n_floods, n_searches) -> None:
    seeded = random.Random(n_files)
    folder = Folder(tmp_path / "root", n_files, seeded)
    for n in range(n_files):
        folder.write(n)
    engine = Engine.open(folder.root, settings_from({"index.persist": False}))
    faults: list[BaseException] = []
    over = threading.Event()
    counted = [0]

    def ask(seed: int) -> None:
        choose = random.Random(seed)
        try:
            while not over.is_set() or counted[0] < n_searches:
                counted[0] += 1
                mode = choose.choice(("hybrid", "lexical", "symbol"))
                folder.check(engine, Query(choose.choice(WORDS), limit=20, mode=mode))
        except BaseException as fault:
            faults.append(fault)

    searching = [threading.Thread(target=ask, args=(seed,)) for seed in range(2)]
    try:
        assert engine.settled(300)
        for thread in searching:
            thread.start()
        for flood in range(n_floods):
            changed = [folder.write(n) for n in seeded.sample(range(n_files), n_files // 2)]
            if flood % 3 == 0:
                shutil.rmtree(folder.root / "p3")
                engine.refresh(["p3"])
            seeded.shuffle(changed)
            for start in range(0, len(changed), 97):
                engine.refresh(changed[start : start + 97])
            if flood % 3 == 0:
                back = [folder.write(n) for n in range(3, n_files, 17)]
                engine.refresh(back)
            if flood % 2:
                assert engine.settled(300)
        over.set()
        for thread in searching:
            thread.join(300)
            assert not thread.is_alive()
        assert not faults, faults[0]
        assert engine.settled(300)
        rebuilt = Engine.open(folder.root, settings_from({"index.persist": False}))
        try:
            assert rebuilt.settled(300)
            assert answers(engine) == answers(rebuilt)
        finally:
            rebuilt.close()
    finally:
        over.set()
        counted[0] = n_searches
        engine.close()
