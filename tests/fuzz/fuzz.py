# ruff: noqa: T201 - it talks to whoever runs it
"""Coverage-guided fuzzing with atheris: `python -m tests.fuzz.fuzz [--seconds 60] [TARGET...]`.

Each target runs in a process of its own for so many seconds, one after the other, from seed 1
unless told otherwise. What it learns is saved in `.fuzz/TARGET`, and the input of a crash in
`.fuzz/TARGET-crash-...`; `--replay FILE TARGET` runs one input without a fuzzer. A crash that is
fixed leaves a test among those of its package.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz.targets import NAMES, target

KEPT = Path(__file__).parents[2] / ".fuzz"
SLOWEST_S = 20
"""One input that takes longer is a crash: whoever sends it could stop a server."""
LONGEST = 1_500
"""Bytes of an input."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(NAMES))
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kept", type=Path, default=KEPT, help="folder for what is learnt")
    parser.add_argument("--here", action="store_true", help="one target, in this process")
    parser.add_argument("--replay", type=Path, help="run the input of this file, once")
    arguments = parser.parse_args()
    names = arguments.targets or NAMES
    if unknown := [name for name in names if name not in NAMES]:
        parser.error(f"unknown target '{unknown[0]}'; known are: {', '.join(NAMES)}")
    if arguments.replay:
        target(names[0])(arguments.replay.read_bytes())
        return 0
    if arguments.here:
        return fuzz(names[0], arguments)
    broken = [name for name in names if not runs(name, arguments)]
    print(f"{len(names) - len(broken)} of {len(names)} targets hold", *broken)
    return bool(broken)


def runs(name: str, arguments: argparse.Namespace) -> bool:
    """Fuzz one target in a process that may die."""
    print(f"{name}, {arguments.seconds} s", flush=True)
    options = ["--here", "--seconds", str(arguments.seconds), "--seed", str(arguments.seed)]
    options += ["--kept", str(arguments.kept)]
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PACKHOUND_CACHE_DIR": cache}
        command = [sys.executable, "-m", "tests.fuzz.fuzz", *options, name]
        return subprocess.run(command, env=environment, check=False).returncode == 0


def fuzz(name: str, arguments: argparse.Namespace) -> int:
    """Fuzz until the time is over or something breaks; does not return where atheris ends it."""
    try:
        import atheris
    except ImportError:
        sys.exit("atheris is not installed: pip install atheris")
    corpus = arguments.kept / name
    corpus.mkdir(parents=True, exist_ok=True)
    with atheris.instrument_imports(include=["packhound"]):
        one = target(name)
        one(b"")
    limits = [
        f"-max_total_time={arguments.seconds}",
        f"-max_len={LONGEST}",
        f"-timeout={SLOWEST_S}",
    ]
    quiet = [
        f"-seed={arguments.seed}",
        "-print_final_stats=1",
        "-verbosity=0",
        "-rss_limit_mb=4096",
    ]
    atheris.Setup(
        [name, *limits, *quiet, f"-artifact_prefix={arguments.kept}/{name}-", str(corpus)], one
    )
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
