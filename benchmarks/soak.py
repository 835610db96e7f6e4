"""A day of work in minutes: does a server that lives for long stay small, quick and right?

    python -m benchmarks.soak FOLDER [--minutes 15] [--pause 0.05] [--seed 1]

Drives a real language server over a copy of FOLDER: typing (broken code too), saves, renames,
deletions, branch switches, searches, packs, cancellations. Every quarter of a minute it prints
memory, threads, descriptors and child processes. At the end it prints the trend, and whether the
index equals that of a server that starts from nothing; the exit code is 1 if it does not, or if
threads, descriptors or processes were left over.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.soak_user import Session, copied

SAMPLE_EVERY_S = 15.0
REST_S = 4.0
"""A server gives memory back when nothing has happened for a while."""


def sample(pid: int) -> dict[str, float]:
    """Memory (MB), threads, descriptors and children of a process, and the memory of those."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    below = [int(p) for task in children.parents[1].iterdir() for p in child_pids(task)]
    return {
        "mb": round(resident_mb(pid), 1),
        "threads": len(list(Path(f"/proc/{pid}/task").iterdir())),
        "descriptors": len(list(Path(f"/proc/{pid}/fd").iterdir())),
        "children": len(below),
        "children_mb": round(sum(map(resident_mb, below)), 1),
    }


def child_pids(task: Path) -> list[str]:
    """Processes that a thread has started."""
    try:
        return (task / "children").read_text().split()
    except OSError:
        return []


def resident_mb(pid: int) -> float:
    """Memory in use."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def slope(samples: list[dict[str, float]], name: str) -> float:
    """Growth of a figure an hour, over the later half."""
    late = samples[len(samples) // 2 :]
    if len(late) < 3:
        return 0.0
    return (
        statistics.linear_regression([s["s"] for s in late], [s[name] for s in late]).slope * 3600
    )


def soak(session: Session, seconds: float, pause_s: float) -> list[dict[str, float]]:
    """Work for so long; the samples."""
    began = time.monotonic()
    samples: list[dict[str, float]] = []
    while (passed := time.monotonic() - began) < seconds:
        if passed >= len(samples) * SAMPLE_EVERY_S:
            session.settle()
            taken = {"s": round(passed), "actions": session.done, **sample(session.client.pid)}
            samples.append(taken)
            print(json.dumps(taken), flush=True)
        session.act()
        time.sleep(pause_s)
    return samples


def main() -> int:
    """Work, then compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between two actions")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name).resolve()
        root = copied(given.folder.resolve(), place / "work")
        session = Session(root, place / "cache", given.seed)
        time.sleep(REST_S)
        rested = sample(session.client.pid)
        samples = soak(session, given.minutes * 60, given.pause)
        lived = session.answers()
        time.sleep(REST_S)
        left = sample(session.client.pid)
        session.client.close()
        fresh = Session(root, place / "fresh", given.seed)
        rebuilt = fresh.answers()
        fresh.client.close()
    first = samples[min(2, len(samples) - 1)]
    grown = [name for name in ("threads", "descriptors", "children") if left[name] > first[name]]
    verdict = {
        "actions": session.done,
        "equals a rebuild": lived == rebuilt,
        "left over": grown,
        "mb at rest, before and after": [rested["mb"], left["mb"]],
        "mb an hour": round(slope(samples, "mb"), 1),
    }
    print(json.dumps(verdict))
    if lived != rebuilt:
        differing = [pair for pair in zip(lived, rebuilt, strict=True) if pair[0] != pair[1]]
        print(json.dumps(differing[:3])[:3000], file=sys.stderr)
    return 0 if lived == rebuilt and not grown else 1


if __name__ == "__main__":
    sys.exit(main())
