"""Answers at random moments of first readings, checkouts and edits: none claims more than was read.

    python -m benchmarks.claims FOLDER [--answers 1000] [--seed 7] [--save]

A copy of FOLDER is read with an empty index, then files change as with a checkout, then documents
are edited, all while it is asked for words that `git grep` finds before and after the answer. An
answer claims too much if it denies such a word, counts fewer lines of it than there are, though it
says that all was read, or says how sure it is of what is not all read. Files that it names as not
searched do not count. Ends with 1 at the first such answer.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.core.types import Document
from packhound.operations import Call, answer, as_text
from packhound.service import Engine, Roots

RESULTS = Path(__file__).parent / "results" / "claims.json"
_WORD = re.compile(rb"\b[A-Za-z_][A-Za-z0-9_]{7,}\b")
_PAUSE_S = 0.1
"""The longest pause before an answer."""
_CHANGED = 0.3
"""Share of the files that a checkout changes."""


class Folder:
    """A copy of a folder, the engine that reads it, and what its answers were."""

    def __init__(self, root: Path, chance: random.Random, n_answers: int) -> None:
        self.root, self.chance, self.n_left = root, chance, n_answers
        self.counts = Counter[str]()
        self.number = 0
        paths = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
        self.paths = sorted(str(path.relative_to(root)) for path in paths)

    def first_reading(self) -> None:
        """Ask while the folder is read for the first time, then change it."""
        engine = Engine.open(self.root, settings_from({"index.persist": False}))
        try:
            while self.n_left and not engine.settled(0):
                self.ask(engine, "first reading")
            self.checkout(engine)
            while self.n_left and not engine.settled(0):
                self.ask(engine, "checkout")
            for _ in range(10):
                self.edit(engine)
                if self.n_left:
                    self.ask(engine, "edit")
        finally:
            engine.close()

    def checkout(self, engine: Engine) -> None:
        """Write many files anew, each with a word that no other has, and say so as a watcher."""
        changed = self.chance.sample(self.paths, int(_CHANGED * len(self.paths)))
        for path in changed:
            self.number += 1
            with (self.root / path).open("ab") as file:
                file.write(b"\n# canary_of_%d\n" % self.number)
        engine.refresh(changed)

    def edit(self, engine: Engine) -> None:
        """Type into a document, and ask for what was typed at once."""
        self.number += 1
        path, word = self.chance.choice(self.paths), f"canary_typed_{self.number}"
        text = b"def %s(): pass\n" % word.encode()
        engine.update(Document(path, text))
        rows = answer(_call(engine), "search", {"query": word})
        self.check("search", word, rows, {path: 1} if path.endswith(".py") else {})
        engine.release(path)

    def ask(self, engine: Engine, moment: str) -> None:
        """Ask for a word of a file, and compare with what git finds before and after."""
        time.sleep(self.chance.uniform(0.0, _PAUSE_S))
        source = (self.root / self.chance.choice(self.paths)).read_bytes()
        words = _WORD.findall(source)
        if not words:
            return
        word = self.chance.choice(words[-1:] + words).decode()
        name, field = self.chance.choice((("search", "query"), ("grep", "pattern")))
        arguments = {field: word, "count_only": True} if name == "grep" else {field: word}
        before = self.lines_of(word)
        rows = answer(_call(engine), name, arguments)
        skipped = engine.left_out.files
        after = self.lines_of(word)
        known = {p: n for p, n in before.items() if after.get(p) == n and p not in skipped}
        self.check(name, word, rows, known)
        self.counts[moment] += 1
        self.counts["incomplete"] += not rows["complete"]
        self.n_left -= 1

    def check(
        self, name: str, word: str, rows: Mapping[str, object], known: dict[str, int]
    ) -> None:
        """End with 1 if an answer claims more than was read."""
        text = as_text(name, rows)
        problem = ""
        if known and f"`{word}` is not in this folder" in text:
            problem = "a word is denied"
        if known and name == "search" and rows["complete"] and "no word of the query" in text:
            problem = "all words are denied"
        if not rows["complete"] and rows.get("confidence_word"):
            problem = "sure of what is not all read"
        if name == "grep" and rows["complete"] and rows["total_lines"] < sum(known.values()):
            problem = f"{rows['lines']} lines, of {sum(known.values())}"
        if problem:
            print(f"{problem}: {name} {word}\n{text}\n{known}")
            sys.exit(1)

    def lines_of(self, word: str) -> dict[str, int]:
        """Return the number of lines with a word by file, as git finds them on disk."""
        command = ["git", "grep", "-I", "--untracked", "-c", "-z", word]
        printed = subprocess.run(command, cwd=self.root, capture_output=True, check=False).stdout
        rows = (line.rsplit(b"\0", 1) for line in printed.splitlines())
        return {path.decode(): int(count) for path, count in rows}


def main() -> None:
    """Ask, count and print; keep the figures where asked to."""
    options = _options()
    chance = random.Random(options.seed)
    n_left, counts, n_readings = options.answers, Counter[str](), 0
    while n_left:
        with tempfile.TemporaryDirectory() as temporary:
            root = Path(temporary) / "root"
            shutil.copytree(options.folder, root, ignore=shutil.ignore_patterns(".git"))
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            folder = Folder(root, chance, n_left)
            folder.first_reading()
        n_left, n_readings = folder.n_left, n_readings + 1
        counts += folder.counts
        print(n_left, "left", dict(counts))
    figures = {"answers": options.answers, "readings": n_readings, **counts, "claims": 0}
    print(json.dumps(figures, indent=1))
    if options.save:
        save(RESULTS, figures)


def _call(engine: Engine) -> Call:
    return Call(Roots([engine]), engine.follow_settings().settings)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--answers", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--save", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
