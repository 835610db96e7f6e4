"""Time a grep beside ripgrep on the same files, both in turn.

    python -m benchmarks.grep_speed FOLDER [--rounds 3]

Patterns with a literal are names of the folder's definitions, alone or within a small pattern,
drawn with a seed; those without one are written here. Each round asks Packhound, whose engine runs,
then `rg`, whose process starts and reads the same list of files. A pattern's time is the median of
its rounds, a figure the median and the 95th percentile over patterns, in milliseconds. The exit
code is 1 if they disagree on a number of lines. Before all of them come the first two greps of an
agent, which match redacted texts: with a literal, then without. Writes
benchmarks/results/grep_speed.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.grep import GrepRequest
from packhound.service import Engine

RESULTS = Path(__file__).parent / "results" / "grep_speed.json"
N_LITERALS = 100
FORMS = ("{}", r"\b{}\b", r"\b{}\(", r"{}\s*=", r"{}|{}", "(?i){}", r"\.{}[^\w]")
WITHOUT_LITERAL = (
    *(r"\b\w{25}\b", r"[A-Z]{4}\d{3}", r"^\s{40}\w", r"\d+\.\d+e-\d\d\d", r"\(\w\)\[\d\]\[\d\]"),
    *(r"[\x80-\xff]{9}", r"^\w+:\d{5}$", "[xyz]{5}", r"\d{6,}", r"^[A-Z]\w*\($", "=.*=.*=.*=.*="),
    *("[{][{][{]", r"^.{200}", r"\b(\w|\d)\b.\b[xy]\b", "[aeiou]{5}", r"(if|or|an|to){3}"),
)

FIRST = {"with a literal": "nothing has this", "without": r"^\w+:\d{5}$"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    load = os.getloadavg()[0]
    with closing(
        Engine.open(
            options.folder, settings_from({"ranking.gitHistory": False, "index.persist": False})
        )
    ) as engine:
        engine.settled()
        snapshot = engine.snapshot
        first = {name: first_ms(engine, pattern) for name, pattern in FIRST.items()}
        engine.preparation.join()
        engine.grep(GrepRequest("nothing has this"))  # Has filters made.
        engine.preparation.join()
        paths = sorted(snapshot.files)
        report: dict[str, object] = {
            "nodes": snapshot.n_nodes,
            "files": len(paths),
            "MB": round(sum(len(engine.source(path) or b"") for path in paths) / 1e6, 1),
            "load before": load,
            "first grep of an agent, ms": first,
        }
        ways: dict[str, Callable[[str], int]] = {
            "packhound": lambda pattern: engine.grep(GrepRequest(pattern)).n_lines,
            "ripgrep": lambda pattern: ripgrep(engine.root, pattern, paths),
        }
        names = {name for name in snapshot.names if len(name) > 3 and name.isidentifier()}
        groups = {"with a literal": with_literal(sorted(names)), "without": WITHOUT_LITERAL}
        equal = True
        for group, patterns in groups.items():
            figures, agree = measure(ways, patterns, options.rounds)
            report[group], equal = figures, equal and agree
    print(json.dumps(report, indent=1))
    save(RESULTS, report)
    sys.exit(not equal)


def first_ms(engine: Engine, pattern: str) -> float:
    """Return how long a grep of redacted texts takes that none came before."""
    began = time.perf_counter()
    engine.grep(GrepRequest(pattern), redacted=True)
    return round((time.perf_counter() - began) * 1e3, 1)


def with_literal(names: Sequence[str]) -> list[str]:
    """Return patterns of names."""
    random = Random(1)
    return [
        random.choice(FORMS).format(random.choice(names), random.choice(names))
        for _ in range(N_LITERALS)
    ]


def ripgrep(root: Path, pattern: str, paths: Sequence[str]) -> int:
    """Return the number of lines that ripgrep prints."""
    command = ["rg", "--no-config", "--no-unicode", "--text", "-n", "-e", pattern, "--", *paths]
    done = subprocess.run(command, cwd=root, capture_output=True)
    if done.returncode > 1:
        raise SystemExit(done.stderr.decode())
    return done.stdout.count(b"\n")


def measure(
    ways: dict[str, Callable[[str], int]], patterns: Sequence[str], rounds: int
) -> tuple[dict[str, object], bool]:
    """Return the figures of each way, and whether all of them find as many lines."""
    times: dict[str, list[float]] = defaultdict(list)
    agree = True
    for pattern in patterns:
        samples, counts = defaultdict(list), dict[str, int]()
        for _ in range(rounds):
            for name, way in ways.items():
                began = time.perf_counter()
                counts[name] = way(pattern)
                samples[name].append((time.perf_counter() - began) * 1e3)
        for name, values in samples.items():
            times[name].append(float(np.median(values)))
        if len(set(counts.values())) > 1:
            print("they disagree:", pattern, counts)
            agree = False
    quantiles = {name: np.quantile(values, (0.5, 0.95)) for name, values in times.items()}
    figures: dict[str, object] = {"patterns": len(patterns)}
    for name, (p50, p95) in quantiles.items():
        figures[name] = {"p50": round(p50, 1), "p95": round(p95, 1)}
    ratio = quantiles["ripgrep"] / quantiles["packhound"]
    figures["ripgrep's time to ours"] = {"p50": round(ratio[0], 2), "p95": round(ratio[1], 2)}
    return figures, agree


if __name__ == "__main__":
    main()
