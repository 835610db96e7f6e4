"""Time that searches of notes take, alone and beside code, and what notes cost an edit.

Run: python -m benchmarks.sources.speed FOLDER [--rounds 200]
1,000 and 10,000 notes (the insights of this folder, numbered, each tenth on code of FOLDER) are
searched by the questions of this folder, and so are the commits of FOLDER; code alone and code with
all sources are asked in turn; a note is written and searched for until it is found, with the
encoder and without; and a document is changed and searched with all sources on and off in turn.
Times are milliseconds, p50 and p95: of the processor for searches, so that a busy machine does not
change them, else of the wall clock. Results go to benchmarks/results/sources_speed.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.sources.retrieval import rows
from benchmarks.stored import save
from packhound.core.records import RECORD_TYPES
from packhound.core.settings_reader import settings_from
from packhound.core.types import Document, Query
from packhound.memory import anchor_at
from packhound.memory.notes import new_note
from packhound.service import Engine

ON = settings_from({"sources.commits.enabled": True})
OFF = settings_from(
    {
        "sources.notes.enabled": False,
        "sources.knowledge.enabled": False,
        "sources.skills.enabled": False,
    }
)
ALL = ("code", *RECORD_TYPES)
RESULTS = Path(__file__).parents[1] / "results" / "sources_speed.json"


def timed(call: Callable[[], object]) -> float:
    started = time.thread_time()
    call()
    return (time.thread_time() - started) * 1_000


def summary(times: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=20)
    return {"p50": round(cuts[9], 2), "p95": round(cuts[18], 2)}


def fill(engine: Engine, n: int) -> None:
    """Write `n` notes in one transaction, each tenth on a function of the folder."""
    insights, rng = rows("insights.tsv"), random.Random(n)
    view, paths = engine.notes.view(), sorted(engine.snapshot.files)
    notes = []
    for number in range(n):
        key, content = insights[number % len(insights)]
        anchor = None
        if number % 10 == 0:
            path = rng.choice(paths)
            anchor = anchor_at(view, path, engine.outline(path)[-1].span.start_line)
        values = {"key": f"{key}-{number}", "content": f"{content}, case {rng.random()}"}
        notes.append(new_note("insight", values, (anchor,) if anchor else ()))
    engine.notes.notebook.store.put_all(notes)


def found_ms(engine: Engine, word: str) -> float:
    """Milliseconds from the call that writes a note until a search has it."""
    started = time.perf_counter()
    engine.notes.add("insight", {"key": word, "content": f"About {word}"})
    while not any(h.node.name == word for h in engine.search(Query(f"{word} type:note")).hits):
        time.sleep(0.001)
    return (time.perf_counter() - started) * 1_000


def edited_ms(engine: Engine, path: str, text: bytes, number: int) -> float:
    """Milliseconds from an edit until a search has found it."""
    word = f"edited_{number}"
    started = time.perf_counter()
    engine.update(Document(path, text + f"\n\ndef {word}():\n    return {number}\n".encode()))
    while not any(hit.node.name == word for hit in engine.search(Query(word)).hits):
        pass
    return (time.perf_counter() - started) * 1_000


def searches(engine: Engine, name: str, kind: str, queries: list[str]) -> dict[str, object]:
    """Figures of a source alone, once all of its records have vectors."""
    source = engine.sources.registry.get(name)
    source.refresh()
    while (status := source.status()).vectors < status.records:
        time.sleep(0.1)
    times = [timed(lambda q=q: engine.search(Query(q, types=(kind,)))) for q in queries]
    return {"records": status.records, **summary(times)}


def measure(root: Path, rounds: int) -> dict[str, object]:
    engine = Engine.open(root, ON)
    engine.settled()
    engine.flush()
    questions = [row[0] for row in rows("questions.tsv")]
    queries = [questions[i % len(questions)] for i in range(rounds)]
    figures: dict[str, object] = {"code_nodes": engine.snapshot.n_nodes, "rounds": rounds}
    figures["commits"] = searches(engine, "commits", "commit", queries)
    n_before = 0
    for n in (1_000, 10_000):
        fill(engine, n - n_before)
        n_before = n
        figures[f"{n} notes"] = searches(engine, "notes", "note", queries)
        alone, together = [], []
        for question in queries:
            alone.append(timed(lambda q=question: engine.search(Query(q))))
            together.append(timed(lambda q=question: engine.search(Query(q, types=ALL))))
        figures[f"code alone beside {n} notes"] = summary(alone)
        figures[f"code and all sources, {n} notes"] = summary(together)
    figures["written to found"] = summary([found_ms(engine, f"zebra{i}") for i in range(20)])
    path = next(path for path in sorted(engine.snapshot.files) if path.endswith(".py"))
    text = (root / path).read_bytes()
    on, off = [], []
    for number in range(rounds):
        pairs = [(ON, on), (OFF, off)]
        for settings, times in pairs if number % 2 else pairs[::-1]:
            engine._settings = settings  # As `configure`, without a new scan of the folder.
            times.append(edited_ms(engine, path, text, number * 2 + (times is on)))
    figures["edit to search, all sources on"] = summary(on)
    figures["edit to search, all sources off"] = summary(off)
    figures["ratio of medians"] = round(statistics.median(on) / statistics.median(off), 3)
    engine.close()
    plain = Engine.open(root, settings_from({"encoder.path": "/nowhere"}))
    plain.settled()
    started = time.perf_counter()
    plain.search(Query("mail type:note"))
    figures["first search of a process"] = round((time.perf_counter() - started) * 1_000, 2)
    times = [found_ms(plain, f"okapi{i}") for i in range(20)]
    figures["written to found without an encoder"] = summary(times)
    plain.close()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PACKHOUND_DATA_DIR"] = folder
        figures = measure(arguments.folder.resolve(), arguments.rounds)
    print(json.dumps(figures, indent=1))
    save(RESULTS, figures)


if __name__ == "__main__":
    main()
