"""Memory and waiting times of agents on working trees of one project, and of an editor with them.

    python -m benchmarks.agents.engine SOURCE [--agents 8] [--trees 4] [--deep] [--save FILE]

SOURCE is copied to `--trees` folders, in each of which one file of a hundred is changed. Reported
are the first reading of the first tree, the first complete answer in each further one, the sum of
PSS of all processes once every agent has searched and made a pack, the time to the first answer
after the engine was killed, and the time from a keystroke of an editor that has joined to a search
that sees it. The deep model is left out unless --deep is given.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.stored import save
from tests.support.agent import Agent, engine_id, kill_engine
from tests.support.lsp_client import RELAYED, LspClient

_QUERIES = ("read the settings file", "open a connection", "parse a date", "render a template")
_KEYSTROKES = 200


def main() -> None:
    options = _options()
    folder = Path(tempfile.mkdtemp(prefix="packhound-agents-"))
    os.environ["PACKHOUND_CACHE_DIR"] = str(folder / "cache")
    os.environ["PACKHOUND_STATE_DIR"] = str(folder / "state")
    # An installed package has its bytecode, without which each start takes 0.4 s longer.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        report = measure(options.source, folder, options.agents, options.trees, deep=options.deep)
    finally:
        kill_engine(folder / "cache")
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(report, indent=2))
    if options.save:
        save(options.save, report)


def measure(
    source: Path, folder: Path, n_agents: int, n_trees: int, *, deep: bool
) -> dict[str, object]:
    cache, trees = folder / "cache", [copy(source, folder / f"tree{n}") for n in range(n_trees)]
    options = () if deep else ("--set", "search.deep=off")
    first = Agent(cache, trees[0], options=options)
    started = time.perf_counter()
    text = first.tool("search", query=_QUERIES[0])
    answered_s = time.perf_counter() - started
    while "files read" in first.tool("search", query=_QUERIES[0]):
        pass
    read_s = time.perf_counter() - started
    time.sleep(5)  # The index is saved when all is quiet.
    agents, tree_s = [first], []
    for n in range(1, n_agents):
        agent = Agent(cache, trees[n % n_trees], options=options)
        started = time.perf_counter()
        answer = agent.tool("search", query=_QUERIES[0])
        if n < n_trees:
            assert "files read" not in answer, "the answer is not complete"
            tree_s.append(round(time.perf_counter() - started, 2))
        agents.append(agent)
    for agent in agents:
        for query in _QUERIES:
            agent.tool("search", query=query)
        agent.tool("pack", prompt=_QUERIES[1])
    time.sleep(5)
    memory = {"engine": pss_mb(engine_id(cache))}
    memory["relays"] = sum(pss_mb(agent.process.pid) for agent in agents)
    memory["all"] = sum(pss_mb(process_id) for process_id in processes(cache))
    n_nodes = json.loads(first.tool("status").splitlines()[0])["nodes"]
    keys_ms = keystrokes(cache, trees[0])
    os.kill(engine_id(cache) or 0, signal.SIGKILL)
    started = time.perf_counter()
    first.tool("search", query=_QUERIES[0])
    recovered_s = time.perf_counter() - started
    for agent in agents:
        agent.close()
    return {
        "agents": n_agents,
        "trees": n_trees,
        "deep": deep,
        "nodes": n_nodes,
        "first_answer_s": round(answered_s, 2),
        "first_answer_is_partial": "files read" in text,
        "first_reading_s": round(read_s, 2),
        "first_answer_of_new_tree_s": tree_s,
        "pss_mb": {name: round(value, 1) for name, value in memory.items()},
        "keystroke_to_search_ms": keys_ms,
        "first_answer_after_kill_s": round(recovered_s, 2),
    }


def copy(source: Path, target: Path) -> Path:
    """Copy a project without its history, and change one file of a hundred."""
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    files = sorted(path for path in target.rglob("*.[pjr][yshu]*") if path.is_file())
    for path in files[:: 100 if target.name != "tree0" else len(files)]:
        with path.open("a") as file:
            file.write(f"\n\ndef added_in_{target.name}():\n    return 1\n")
    return target


def keystrokes(cache: Path, tree: Path) -> dict[str, float]:
    """Return the time from a change to the answer of a search after it, in milliseconds."""
    client = LspClient(cache, RELAYED)
    client.initialize(tree)
    client.settle()
    document = client.open_document(tree / "typed.py", "def typed():\n    return 0\n")
    client.search("typed", mode="symbol")
    times = []
    for n in range(_KEYSTROKES):
        client.change_document(document, n + 2, (0, 4, 5, "tuvw"[n % 4]))
        started = time.perf_counter()
        assert client.search(f"{'tuvw'[n % 4]}yped", mode="symbol")
        times.append((time.perf_counter() - started) * 1_000)
    client.shut_down()
    client.kill()
    times.sort()
    p95 = times[int(len(times) * 0.95)]
    return {"median": round(statistics.median(times), 1), "p95": round(p95, 1)}


def processes(cache: Path) -> list[int]:
    """Return the processes whose index cache is a folder: relays, the engine, its parsers."""
    mark, ids = f"PACKHOUND_CACHE_DIR={cache}\0".encode(), []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes():
                ids.append(int(entry.name))
        except OSError:
            continue
    return [process_id for process_id in ids if process_id != os.getpid()]


def pss_mb(process_id: int | None) -> float:
    lines = Path(f"/proc/{process_id}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1_024


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--trees", type=int, default=4)
    parser.add_argument("--deep", action="store_true")
    parser.add_argument("--save", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
