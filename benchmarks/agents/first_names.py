"""Share of names that are found while a folder is read for the first time.

    python -m benchmarks.agents.first_names SOURCE --server DIR [--server DIR] [--save FILE]

For each delay a process of each `--server` (a checkout's `server` folder), one after the other,
opens SOURCE without a saved index. After the delay it looks for some names of definitions, each
as an editor does, again and again until it is found, and as an agent does, once by the tool
`search`. Reported are the share found by the tool, the share that an editor finds within two
seconds, and the time of the whole first reading.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.stored import save
from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.service import Engine
from tests.support.operations import call

_EDITOR_S = 2.0


def main() -> None:
    options = _options()
    if options.child:
        names, delay_s = json.loads(options.child)
        print(json.dumps(ask(options.source, names, delay_s)))
        return
    names = sample(options.source, options.names)
    report: dict[str, Any] = {"names": len(names), "runs": options.runs, "servers": {}}
    rows: dict[str, dict[str, list[dict[str, float]]]] = {}
    for run in range(options.runs):
        part = names[run :: options.runs]
        for delay_s in options.delay:
            for server in options.server:
                row = _run_child(options.source, server, part, delay_s)
                label = _revision(server)
                rows.setdefault(label, {}).setdefault(f"{delay_s:g} s", []).append(row)
    for label, by_delay in rows.items():
        report["servers"][label] = {
            delay: {key: round(sum(row[key] for row in each) / len(each), 3) for key in each[0]}
            for delay, each in by_delay.items()
        }
    print(json.dumps(report, indent=2))
    if options.save:
        save(options.save, report)


def sample(source: Path, n: int) -> list[tuple[str, str]]:
    """Return names that one definition alone has, with its path, outside tests."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["PACKHOUND_CACHE_DIR"] = cache
        engine = Engine.open(
            source, settings_from({"meaning.enabled": False, "index.persist": False})
        )
        engine.settled()
        paths: dict[str, list[str]] = {}
        for node in engine.outline():
            if node.kind in ("function", "method", "class"):
                paths.setdefault(node.name, []).append(node.path)
        engine.close()
    unique = [(name, each[0]) for name, each in paths.items() if len(each) == 1 and len(name) > 5]
    return random.Random(1).sample(sorted(unique), n)


def ask(source: Path, names: list[tuple[str, str]], delay_s: float) -> dict[str, float]:
    sys.setswitchinterval(0.001)  # As the servers do.
    started = time.perf_counter()
    engine = Engine.open(source, Settings())
    time.sleep(delay_s)

    def by_editor(name: str, path: str) -> bool:
        until = time.perf_counter() + _EDITOR_S
        while time.perf_counter() < until:
            if any(hit.node.path == path for hit in engine.search(Query(name, limit=10)).hits):
                return True
            time.sleep(0.1)
        return False

    def by_tool(name: str, path: str) -> bool:
        hits: Any = call(engine, "search", {"query": name, "limit": 10})["hits"]
        return any(hit["path"] == path for hit in hits)

    with ThreadPoolExecutor(2 * len(names)) as pool:
        editor = [pool.submit(by_editor, *name) for name in names]
        tool = [pool.submit(by_tool, *name) for name in names]
        row = {
            "found_by_editor": sum(found.result() for found in editor) / len(names),
            "found_by_tool": sum(found.result() for found in tool) / len(names),
            "read_at_answer": engine.reading[0] / max(engine.reading[1], 1),
        }
    engine.settled()
    row["first_reading_s"] = time.perf_counter() - started
    engine.close()
    return row


def _run_child(
    source: Path, server: Path, names: list[tuple[str, str]], delay_s: float
) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as cache:
        paths = os.pathsep.join((str(server), str(Path(__file__).parents[2])))
        environment = {**os.environ, "PACKHOUND_CACHE_DIR": cache, "PYTHONPATH": paths}
        command = [sys.executable, "-m", "benchmarks.agents.first_names", str(source)]
        command += ["--child", json.dumps((names, delay_s))]
        output = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    row: dict[str, float] = json.loads(output.stdout)
    return row


def _revision(server: Path) -> str:
    command = ["git", "-C", str(server), "describe", "--always", "--dirty"]
    return subprocess.check_output(command, text=True).strip()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--server", type=Path, action="append", default=[])
    parser.add_argument("--names", type=int, default=16)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--delay", type=float, nargs="+", default=[1.0, 2.0, 4.0])
    parser.add_argument("--save", type=Path)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
