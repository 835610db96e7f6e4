"""Soak test: a day of work in minutes, to see memory, handles and the index of a long-lived server.

    python -m benchmarks.soak FOLDER [--minutes 15] [--pause 0.05] [--seed 1] [--most-mb-an-hour N]

Drives a real language server over a copy of FOLDER: typing (broken code too), saves, renames,
deletions, branch switches, searches, packs, cancellations. Every 15 seconds it prints memory,
threads, descriptors and child processes; at the end the trend, and whether the index equals that of
a fresh server. The exit code is 1 if it does not, if threads, descriptors or processes leaked, or
if memory grew by more than N MB an hour.
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

from benchmarks.soak_user import Session, make_copy

SAMPLE_EVERY_S = 15.0
REST_S = 4.0
"""The server trims its memory after this time without a change."""


def sample(pid: int) -> dict[str, float]:
    """Return memory (MB), threads, descriptors and children of a process, and those' memory."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    descendants = [int(p) for task in children.parents[1].iterdir() for p in child_pids(task)]
    return {
        "mb": round(resident_mb(pid), 1),
        "threads": len(list(Path(f"/proc/{pid}/task").iterdir())),
        "descriptors": len(list(Path(f"/proc/{pid}/fd").iterdir())),
        "children": len(descendants),
        "children_mb": round(sum(map(resident_mb, descendants)), 1),
    }


def child_pids(task: Path) -> list[str]:
    """Return the ids of the processes that a thread has started."""
    try:
        return (task / "children").read_text().split()
    except OSError:
        return []


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process, 0 if it has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def slope(samples: list[dict[str, float]], name: str) -> tuple[float, float]:
    """Return the growth of a figure per hour after the first third of the samples, and how far to
    each side its 95 % interval reaches, were the samples independent.
    """
    late = samples[len(samples) // 3 :]
    if len(late) < 4:
        return 0.0, 0.0
    hours = [s["s"] / 3600 for s in late]
    line = statistics.linear_regression(hours, values := [s[name] for s in late])
    residuals = (y - line.intercept - line.slope * x for x, y in zip(hours, values, strict=True))
    squares = sum(residual**2 for residual in residuals)
    spread = statistics.pvariance(hours) * len(late) * (len(late) - 2)
    return line.slope, 1.96 * (squares / spread) ** 0.5


def soak(session: Session, seconds: float, pause_s: float) -> list[dict[str, float]]:
    """Let the user act for some seconds; returns the samples."""
    started_at = time.monotonic()
    samples: list[dict[str, float]] = []
    while (passed := time.monotonic() - started_at) < seconds:
        if passed >= len(samples) * SAMPLE_EVERY_S:
            session.settle()
            row = {
                "s": round(passed),
                "actions": session.n_actions,
                **sample(session.server_pid),
            }
            samples.append(row)
            print(json.dumps(row), flush=True)
        session.act()
        time.sleep(pause_s)
    return samples


def main() -> int:
    """Soak a server, then compare its index with that of a fresh one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between two actions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-mb-an-hour", type=float, default=float("inf"), metavar="N")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name).resolve()
        root = make_copy(options.folder.resolve(), scratch / "work")
        session = Session(root, scratch / "cache", options.seed)
        time.sleep(REST_S)
        before = sample(session.server_pid)
        samples = soak(session, options.minutes * 60, options.pause)
        answers = session.answers()
        time.sleep(REST_S)
        after = sample(session.server_pid)
        session.close_server()
        fresh = Session(root, scratch / "fresh", options.seed)
        fresh_answers = fresh.answers()
        fresh.close_server()
    first = samples[min(2, len(samples) - 1)]
    leaked = [name for name in ("threads", "descriptors", "children") if after[name] > first[name]]
    growth, margin = slope(samples, "mb")
    verdict = {
        "actions": session.n_actions,
        "equals a fresh index": answers == fresh_answers,
        "leaked": leaked,
        "idle mb, before and after": [before["mb"], after["mb"]],
        "mb an hour": [round(growth, 1), "within", round(margin, 1)],
    }
    print(json.dumps(verdict))
    if answers != fresh_answers:
        differing = [
            pair for pair in zip(answers, fresh_answers, strict=True) if pair[0] != pair[1]
        ]
        print(json.dumps(differing[:3])[:3000], file=sys.stderr)
    is_right = answers == fresh_answers and not leaked
    return 0 if is_right and growth <= options.most_mb_an_hour else 1


if __name__ == "__main__":
    sys.exit(main())
