"""Retrieval of notes by questions in other words: 200 insights, 100 questions.

Run: python -m benchmarks.sources.retrieval [--tuning]
Through the engine, as `packhound search --type note`; `deep` with the deep model.
The data was written before the search ran on it; `--tuning` asks the 30 questions that weights were
chosen by, which are none of the 100. Results go to benchmarks/results/sources_retrieval.json.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks.stored import save
from packhound.core.types import MODES, Budget, Query
from packhound.service import Engine

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results" / "sources_retrieval.json"


def rows(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if line]


def evaluate(engine: Engine, questions: list[list[str]]) -> dict[str, dict[str, float]]:
    """MRR and the share of questions with the answer first and among five, by mode."""
    figures = {}
    queries = {
        mode: Query("", 50, types=("note",), mode=mode) for mode in MODES if mode != "symbol"
    }
    queries["deep"] = replace(queries["hybrid"], deep=True, budget=Budget(60_000))
    for mode, query in queries.items():
        ranks = []
        for question, key in questions:
            hits = engine.search(replace(query, text=question)).hits
            keys = [hit.node.name for hit in hits]
            ranks.append(keys.index(key) + 1 if key in keys else 0)
            if mode in ("hybrid", "deep") and ranks[-1] != 1:
                print(f"{mode:6} {ranks[-1]:3} {question} -> {key}, first is {keys[:1]}")
        n = len(ranks)
        figures[mode] = {
            "mrr": round(sum(1 / rank for rank in ranks if rank) / n, 3),
            "first": round(sum(rank == 1 for rank in ranks) / n, 3),
            "in_five": round(sum(0 < rank <= 5 for rank in ranks) / n, 3),
        }
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tuning", action="store_true", help="ask the questions for tuning")
    tuning = parser.parse_args().tuning
    questions = rows("tuning_questions.tsv" if tuning else "questions.tsv")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("DATA", "CACHE"):
            os.environ[f"PACKHOUND_{name}_DIR"] = f"{folder}/{name.lower()}"
        root = Path(folder) / "project"
        root.mkdir()
        engine = Engine.open(root)
        engine.settled()
        for key, content in rows("insights.tsv"):
            engine.notes.add("insight", {"key": key, "content": content})
        figures = evaluate(engine, questions)
        engine.close()
    print(json.dumps(figures, indent=1))
    if not tuning:
        row = {"insights": 200, "questions": len(questions), **figures}
        save(RESULTS, row)


if __name__ == "__main__":
    main()
