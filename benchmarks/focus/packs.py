"""Effect of the focus, and of leaving out what is far from it, on packs, by the replay of commits.

Run: python -m benchmarks.focus.packs CLONE ... [--last 200] [--cases 8] [--budget 4000]
The share of the functions that a commit changed outside of the focus's file that are in the pack of
its subject. Results go to benchmarks/focus/results/packs.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean

from benchmarks.focus.replay import replays
from benchmarks.stored import save
from packhound.core.settings import Settings
from packhound.evaluation.cases import Case
from packhound.pack import gather
from packhound.pack.request import Pack, PackFocus, PackRequest
from packhound.service import Engine

RESULTS = Path(__file__).parent / "results" / "packs.json"
DROP_FAR: Callable[..., None] = gather.drop_far


def coverage(case: Case, pack: Pack) -> float:
    """Share of the answers with a line in the pack."""
    covered = [
        any(
            item.path == target.path
            and item.start_line < (target.end_line or 1)
            and (target.start_line or 1) <= item.end_line + 1
            for item in pack.items
        )
        for target in case.targets
    ]
    return sum(covered) / len(covered)


def measure(folder: Path, last: int, most: int, budget: int) -> Iterator[dict[str, float]]:
    engine = Engine.open(folder, Settings())
    try:
        engine.settled()
        for case, focus, _ in replays(engine, last, most):
            cursor = PackFocus(focus.path, focus.line)
            plain = PackRequest(case.text, budget)
            near = PackRequest(case.text, budget, focus=cursor)
            row = {"without": coverage(case, engine.pack(plain))}
            gather.drop_far = lambda *_: None
            row["with_focus_all_kept"] = coverage(case, engine.pack(near))
            gather.drop_far = DROP_FAR
            row["with_focus"] = coverage(case, engine.pack(near))
            yield row
    finally:
        engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--last", type=int, default=200)
    parser.add_argument("--cases", type=int, default=8)
    parser.add_argument("--budget", type=int, default=4_000)
    options = parser.parse_args()
    limits = (options.last, options.cases, options.budget)
    rows = [row for folder in options.clones for row in measure(folder, *limits)]
    result: dict[str, object] = {key: round(fmean(r[key] for r in rows), 4) for key in rows[0]}
    result |= {"cases": len(rows), "clones": [folder.name for folder in options.clones]}
    save(RESULTS, result)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
