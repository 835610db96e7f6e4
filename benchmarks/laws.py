"""Count how often searches keep what their users take for granted.

    python -m benchmarks.laws LAWS CORPORA [--n 40] [--seeds 1 2] [--live 0] [--set NAME=VALUE]

LAWS is a program that draws laws from each repository in the folder CORPORA (a word of one place
finds that place, a path its file), asks them of the command line, and takes `PACKHOUND CORPORA --n
--seed --live --out --json`. Writes benchmarks/results/laws.json: for each law the share that is
kept, in how many cases, and the share in each repository; --live is the size in nodes up to which
a repository is also copied and edited, --set a setting of all searches.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from benchmarks.stored import save

RESULT = Path(__file__).parent / "results" / "laws.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("laws", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--n", type=int, default=40)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--live", type=int, default=0)
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        runs = [_start(options, seed, Path(scratch)) for seed in options.seeds]
        failed = [seed for seed, run in zip(options.seeds, runs, strict=True) if run.wait()]
        if failed:
            sys.exit(f"the laws of seed {failed[0]} could not be drawn")
        tables = [
            json.loads((Path(scratch) / f"{seed}.json").read_text()) for seed in options.seeds
        ]
    report = merge(tables)
    report |= {"n": options.n, "seeds": options.seeds, "set": options.set}
    save(RESULT, report)
    for law, (kept, n) in report["laws"].items():
        print(f"{law:34} {kept:6.3f} {n:6}")


def _start(options: argparse.Namespace, seed: int, scratch: Path) -> subprocess.Popen[bytes]:
    program = scratch / "packhound"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m packhound "$@"\n')
    program.chmod(0o755)
    command = [sys.executable, str(options.laws.resolve()), str(program), str(options.corpora)]
    command += ["--n", str(options.n), "--seed", str(seed), "--live", str(options.live)]
    command += ["--out", str(scratch / f"{seed}.txt"), "--json", str(scratch / f"{seed}.json")]
    command += [part for setting in options.set for part in ("--set", setting)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def merge(tables: list[dict[str, dict[str, dict[str, list[int]]]]]) -> dict[str, object]:
    """Return the laws of several runs as one: share kept and number of cases."""
    sums: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for table in tables:
        for law, by_repository in table["table"].items():
            for repository, (kept, n) in by_repository.items():
                sums[law][repository][0] += kept
                sums[law][repository][1] += n
    laws = {law: [sum(column) for column in zip(*sums[law].values(), strict=True)] for law in sums}
    return {
        "repositories": sorted({repository for each in sums.values() for repository in each}),
        "laws": {law: [round(kept / n, 4), n] for law, (kept, n) in sorted(laws.items())},
        "by_repository": {
            law: {name: round(kept / n, 3) for name, (kept, n) in sorted(sums[law].items())}
            for law in sorted(sums)
        },
    }


if __name__ == "__main__":
    main()
