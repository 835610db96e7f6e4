"""Gain by the focus on a replay of commits, and the weights of its signals.

Run: python -m benchmarks.focus.replay FOLDER-OF-CLONES [--last 400] [--cases 22] [--check]
Each commit that changed two to five files is a query, its subject; the focus is one changed file,
chosen by the digest of the commit, at a line that it changed; the answers are the functions that it
changed in the other files. Hits in the focus's own file are not judged, since the user sees them,
and are left out of both orders. Files edited lately are those of the author's commits of the two
days before. Weights are fitted on four fifths of the repositories and scored on the fifth that is
left out, for each fifth; the stored weights come from all. `--check` asks the engine with the
stored weights, without and with the focus. Results go to benchmarks/focus/results/replay.json.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean

from benchmarks import stored
from packhound.core.settings import Settings
from packhound.core.types import Focus, Hit, Query
from packhound.evaluation.cases import Case, Target
from packhound.evaluation.commits import commit_cases
from packhound.evaluation.score import judge
from packhound.search.rank.proximity import DEPTH, WEIGHTS, Proximity
from packhound.service import Engine

RESULTS = Path(__file__).parent / "results" / "replay.json"
FOLDS = 5
_RECENT_S, _MAX_EDITED = 2 * 86_400, 10
_GRID = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)


@dataclass(frozen=True)
class Row:
    """A replayed commit: its hits without a focus, and the signals of each."""

    repository: str
    ideal: int
    scores: list[float]
    signals: list[Mapping[str, float]]
    relevant: list[bool]


def replays(engine: Engine, last: int, most: int) -> Iterator[tuple[Case, Focus, list[str]]]:
    """Yield cases with their focus and the files edited before, newest commit first."""
    log = history(engine.root, 2 * last)
    files = engine.snapshot.files
    n = 0
    for digest, case in commit_cases(engine.root, files, last):
        paths = sorted({target.path for target in case.targets})
        if len(paths) < 2 or n == most:
            continue
        n += 1
        path = random.Random(digest).choice(paths)
        line = next(t.start_line for t in case.targets if t.path == path) or 1
        targets = tuple(target for target in case.targets if target.path != path)
        yield replace(case, targets=targets), Focus(path, line - 1), edited_before(log, digest)


def history(root: Path, count: int) -> list[tuple[str, str, int, list[str]]]:
    """Return digest, author, time and files of the last commits, newest first."""
    form = "--format=%x1e%H%x00%ae%x00%ct%x00"
    log = subprocess.run(
        ["git", "log", form, "--name-only", "--no-merges", f"--max-count={count}"],
        cwd=root, capture_output=True, text=True, errors="replace", check=True,
    ).stdout  # fmt: skip
    commits = []
    for entry in log.split("\x1e")[1:]:
        digest, author, when, names = entry.split("\0", 3)
        commits.append((digest, author, int(when), names.split()))
    return commits


def edited_before(log: Sequence[tuple[str, str, int, list[str]]], digest: str) -> list[str]:
    """Return the files of the author's commits of the two days before, the latest last."""
    at = next((i for i, commit in enumerate(log) if commit[0] == digest), len(log))
    if at == len(log):
        return []
    _, author, when, _ = log[at]
    recent: dict[str, None] = {}
    for _, other, then, names in log[at + 1 : at + 200]:
        if other == author and 0 <= when - then < _RECENT_S:
            recent |= dict.fromkeys(names)
    return [*recent][:_MAX_EDITED][::-1]


def collect(folder: Path, last: int, most: int) -> Iterator[Row]:
    engine = Engine.open(folder, Settings())
    try:
        engine.settled()
        engine.flush()
        for case, focus, edited in replays(engine, last, most):
            hits = outside(focus, engine.search(Query(case.text, limit=DEPTH)).hits)
            values = Proximity(engine.snapshot, focus, edited).values(hits)
            relevant = [is_answer(hit, case.targets) for hit in hits]
            scores = [hit.score for hit in hits]
            yield Row(folder.name, len(case.targets), scores, values, relevant)
    finally:
        engine.close()


def outside(focus: Focus, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits outside of the focus's own file."""
    return [hit for hit in hits if hit.node.path != focus.path]


def is_answer(hit: Hit, targets: Sequence[Target]) -> bool:
    span = hit.node.span
    return any(
        target.path == hit.node.path
        and (target.start_line or 1) - 1 <= span.end_line
        and span.start_line <= (target.end_line or 1) - 1
        and hit.node.kind != "file"
        for target in targets
    )


def ndcg(row: Row, weights: Mapping[str, float]) -> float:
    """NDCG@10 of a row's hits in their order with some weights."""
    totals = [
        score + sum(weights[name] * value for name, value in signals.items())
        for score, signals in zip(row.scores, row.signals, strict=True)
    ]
    order = sorted(range(len(totals)), key=lambda i: -totals[i])[:10]
    gain = sum(1 / math.log2(r + 2) for r, i in enumerate(order) if row.relevant[i])
    return gain / sum(1 / math.log2(r + 2) for r in range(min(10, row.ideal)))


def mean(rows: Sequence[Row], score: Callable[[Row], float]) -> float:
    """Mean over repositories of the mean over their rows."""
    by_repository: dict[str, list[float]] = {}
    for row in rows:
        by_repository.setdefault(row.repository, []).append(score(row))
    return fmean(map(fmean, by_repository.values()))


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Coordinate ascent of NDCG@10 over a grid; `near_file` is not judged here and stays 0."""
    weights = dict.fromkeys(WEIGHTS, 0.0)
    best = mean(rows, lambda row: ndcg(row, weights))
    for _ in range(3):
        before = best
        for name in weights:
            if name == "near_file":
                continue
            for value in _GRID:
                trial = weights | {name: value}
                score = mean(rows, lambda row, trial=trial: ndcg(row, trial))
                if score > best + 1e-4:
                    best, weights = score, trial
        if best - before < 5e-4:
            break
    return weights


def cross_validate(rows: Sequence[Row]) -> dict[str, object]:
    repositories = sorted({row.repository for row in rows})
    random.Random(1).shuffle(repositories)
    none = dict.fromkeys(WEIGHTS, 0.0)
    before, after = {}, {}
    for fold in range(FOLDS):
        held_out = set(repositories[fold::FOLDS])
        weights = fit([row for row in rows if row.repository not in held_out])
        for i, row in enumerate(rows):
            if row.repository in held_out:
                before[i], after[i] = ndcg(row, none), ndcg(row, weights)
    differences: dict[str, list[float]] = {}
    for i, row in enumerate(rows):
        differences.setdefault(row.repository, []).append(after[i] - before[i])
    gains = [fmean(values) for values in differences.values()]
    rng = random.Random(2)
    samples = sorted(fmean(rng.choices(gains, k=len(gains))) for _ in range(2_000))
    index = {id(row): i for i, row in enumerate(rows)}
    return {
        "cases": len(rows),
        "repositories": len(repositories),
        "ndcg_without": round(mean(rows, lambda row: before[index[id(row)]]), 4),
        "ndcg_with_held_out": round(mean(rows, lambda row: after[index[id(row)]]), 4),
        "gain": round(fmean(gains), 4),
        "gain_95": [round(samples[50], 4), round(samples[-51], 4)],
        "better_worse_cases": [
            sum(after[i] > before[i] + 1e-9 for i in after),
            sum(after[i] < before[i] - 1e-9 for i in after),
        ],
    }


def check(folder: Path, last: int, most: int) -> Iterator[tuple[str, float, float]]:
    """Yield NDCG@10 of the engine's own answers without and with the focus."""
    engine = Engine.open(folder, Settings())
    try:
        engine.settled()
        for case, focus, _ in replays(engine, last, most):
            queries = (Query(case.text, DEPTH), Query(case.text, DEPTH, focus=focus))
            answers = [outside(focus, engine.search(query).hits) for query in queries]
            scores = [judge(case, hits[:10], 0.0).scores["ndcg"] for hits in answers]
            yield folder.name, scores[0], scores[1]
    finally:
        engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--last", type=int, default=400)
    parser.add_argument("--cases", type=int, default=22)
    parser.add_argument("--rows", type=Path, help="Keep what was collected in this file.")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    folders = sorted(path for path in options.clones.iterdir() if (path / ".git").exists())
    if options.check:
        checked = [row for f in folders for row in check(f, options.last, options.cases)]
        by_repository: dict[str, list[tuple[float, float]]] = {}
        for name, without, focused in checked:
            by_repository.setdefault(name, []).append((without, focused))
        means = [tuple(map(fmean, zip(*pairs, strict=True))) for pairs in by_repository.values()]
        engine = [round(fmean(column), 4) for column in zip(*means, strict=True)]
        result = stored.load(RESULTS) | {"engine_without_and_with": engine}
    else:
        rows = list(load(options.rows)) if options.rows and options.rows.exists() else []
        if not rows:
            for folder in folders:
                rows += collect(folder, options.last, options.cases)
                print(f"{folder.name}: {len(rows)} cases so far", file=sys.stderr, flush=True)
            if options.rows:
                options.rows.write_text(json.dumps([asdict(row) for row in rows]))
        result = cross_validate(rows) | {"weights": fit(rows), "alone": alone(rows)}
    stored.save(RESULTS, result)
    print(json.dumps(result, indent=1))


def load(path: Path) -> Iterator[Row]:
    for row in json.loads(path.read_text("utf-8")):
        yield Row(**row)


def alone(rows: Sequence[Row]) -> dict[str, float]:
    """Return the best gain of each signal without the others, fitted on all rows."""
    none = dict.fromkeys(WEIGHTS, 0.0)
    base = mean(rows, lambda row: ndcg(row, none))
    return {
        name: round(
            max(mean(rows, lambda row, w=none | {name: v}: ndcg(row, w)) for v in _GRID) - base, 4
        )
        for name in WEIGHTS
        if name != "near_file"
    }


if __name__ == "__main__":
    main()
