"""Ask the sixty searches of read_searches.jsonl again, of any version of the command line.

    python -m benchmarks.quality.read_searches TREES [--program packhound] [--wrong] [--save FILE]

TREES holds the five repositories at the revisions that read_searches.md names. A hit is right if it
matches a wanted place as a graded answer does (`packhound.evaluation.graded`), which is a little
stricter than the reader was. Prints how often the first hit is right, one of three, of five and of
ten, by kind of search and by what the answer calls itself; `--wrong` lists first hits that are not,
`--save` adds what is called what to the result of `called_strong`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks import stored
from benchmarks.quality.called_strong import table
from packhound.core.types import Span
from packhound.evaluation.cases import Answer
from packhound.evaluation.graded import is_answer

SEARCHES = Path(__file__).with_suffix(".jsonl")
TIME_MS = 60_000
PLACES = {"first": 1, "three": 3, "five": 5, "ten": 10}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", type=Path)
    parser.add_argument("--program", default="packhound")
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    searches = [json.loads(line) for line in SEARCHES.read_text("utf-8").splitlines()]
    counts: dict[str, Counter[str]] = {}
    for repository in dict.fromkeys(search["repository"] for search in searches):
        asked = [search for search in searches if search["repository"] == repository]
        for search, answer in zip(
            asked, ask(options.program, options.trees / repository, asked), strict=True
        ):
            rank = first_right(search, answer["hits"])
            word = answer["confidence_word"] or "none"
            for group in ("all", search["kind"], f"called {word}"):
                counts.setdefault(group, Counter()).update(
                    {"n": 1, **{place: int(rank <= n) for place, n in PLACES.items()}}
                )
            if options.wrong and rank > 1:
                hits = "; ".join(f"{h['path']} {h['qualname']}" for h in answer["hits"][:3])
                print(f"{word:7} {search['query']!r}: {hits}")
    for group, row in counts.items():
        print(f"{group:14} n {row['n']:3}  " + "  ".join(f"{k} {row[k]}" for k in PLACES))
    if options.save:
        words = {name.removeprefix("called "): row for name, row in counts.items()}
        found = {**stored.load(options.save), "sixty searches": table(words)}
        stored.save(options.save, found)


def ask(program: str, tree: Path, searches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the answers of the command line to some searches of a folder."""
    requests = [{"query": each["query"], "limit": 10, "time_ms": TIME_MS} for each in searches]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    command = [program, "search", "--batch", "-", "--root", str(tree)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def first_right(search: dict[str, Any], hits: list[dict[str, Any]]) -> int:
    """Return the 1-based rank of the first hit at a wanted place; 99 without one."""
    wanted = search["wanted"]
    places = [Answer(w["path"], w["name"], w["start"], w["end"], 3) for w in wanted]
    files = {w["path"] for w in wanted} if search["kind"] == "path" else set()
    for hit in hits:
        span = Span(0, 0, hit["start_line"] - 1, hit["end_line"] - 1)
        if hit["path"] in files or any(
            is_answer(place, hit["path"], hit["name"], span) for place in places
        ):
            return int(hit["rank"])
    return 99


if __name__ == "__main__":
    main()
