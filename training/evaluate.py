"""Evaluate: dense only NDCG@10 on the development queries, by the rules of their README.

    python training/evaluate.py --quality QUALITY --corpora CHECKOUTS --cache CACHE \\
        (--model FOLDER | --run RUN.npz --tokenizer tokenizer.json) [--text documented]

A file scores by its best node (`best`), or by its best four, each counting half the one before
(`four`); the result shown for a file is its best node.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from encoders import Encode, from_folder, from_run
from nodes import NodeRecord, records
from numpy.typing import NDArray
from pairs import text_of

TOP = 10
FOUR = 0.5 ** np.arange(4)


@dataclass(frozen=True, slots=True)
class Target:
    """A path, and lines where the label has them (1-based, inclusive)."""

    path: str
    lines: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Question:
    """One query of a development file and what it should find."""

    text: str
    category: str
    targets: tuple[Target, ...]


def main() -> int:
    options = _options()
    encode = (
        from_folder(options.model)
        if options.model
        else from_run(options.run, options.tokenizer or options.run.parent / "tokenizer.json")
    )
    print(json.dumps(evaluate(encode, options), indent=1 if options.verbose else None))
    return 0


def evaluate(encode: Encode, options: argparse.Namespace) -> dict[str, object]:
    """NDCG@10, mean over repositories, by way of scoring a file and by category."""
    figures: dict[str, dict[str, list[float]]] = {"best": {}, "four": {}}
    categories: dict[str, list[float]] = defaultdict(list)
    for repository in json.loads((options.quality / "dev_repos.json").read_text()):
        name = repository["name"]
        nodes = nodes_of(options.corpora / name, repository["root"], options.cache)
        questions = _questions(options.quality / "dev" / f"{name}.json")
        vectors = encode([read(node, options.text) for node in nodes], False)
        queries = encode([question.text for question in questions], True)
        files, file_of = np.unique([node.path for node in nodes], return_inverse=True)
        for way in figures:
            scores = []
            for question, query in zip(questions, queries, strict=True):
                ranked = rank(vectors @ query, file_of, len(files), way)
                scores.append(ndcg([nodes[i] for i in ranked], question.targets))
                if way == "four":
                    categories[question.category].append(scores[-1])
            figures[way][name] = scores
    report: dict[str, object] = {
        way: round(float(np.mean([np.mean(v) for v in by.values()])), 4)
        for way, by in figures.items()
    }
    report |= {name: round(float(np.mean(v)), 4) for name, v in sorted(categories.items())}
    if options.verbose:
        report["repositories"] = {
            k: round(float(np.mean(v)), 3) for k, v in figures["four"].items()
        }
    return report


def read(node: NodeRecord, variant: str) -> str:
    """The text of a node in one of the templates that are compared."""
    doc = node.doc[:400] if variant == "documented" else ""
    return text_of(node.path, node.qualname, doc, node.code)[:2_000]


def rank(
    similarities: NDArray[np.float32], file_of: NDArray[np.int64], n_files: int, way: str
) -> list[int]:
    """The best node of each of the ten best files."""
    order = np.lexsort((-similarities, file_of))
    first = np.searchsorted(file_of[order], np.arange(n_files))
    place = np.arange(len(order)) - first[file_of[order]]
    top = order[place == 0]
    if way == "best":
        scores = similarities[top]
    else:
        best = place < 4
        halves = FOUR[place[best]] * np.maximum(similarities[order[best]], 0)
        scores = np.bincount(file_of[order[best]], halves, n_files)
    return [int(top[i]) for i in np.argsort(-scores, kind="stable")[:TOP]]


def ndcg(results: list[NodeRecord], targets: tuple[Target, ...]) -> float:
    gains = 0.0
    for target in targets:
        rank = next((r for r, node in enumerate(results, 1) if _matches(node, target)), None)
        if rank is not None:
            gains += 1 / np.log2(1 + rank)
    return float(gains / sum(1 / np.log2(1 + r) for r in range(1, min(TOP, len(targets)) + 1)))


def nodes_of(tree: Path, root: str | None, cache: Path) -> list[NodeRecord]:
    """Nodes of a development repository, parsed once; paths are relative to the repository."""
    cache.mkdir(parents=True, exist_ok=True)
    saved = cache / f"{tree.name}.jsonl.gz"
    if not saved.exists():
        nodes = list(records(tree / root if root else tree))
        with gzip.open(saved, "wt", compresslevel=3) as file:
            file.writelines(json.dumps(asdict(record)) + "\n" for record in nodes)
    with gzip.open(saved, "rt") as file:
        return [NodeRecord(**json.loads(line)) for line in file]


def _questions(path: Path) -> list[Question]:
    return [
        Question(
            entry["query"],
            entry["category"],
            tuple(_target(target) for target in entry["relevant"] + entry["secondary"]),
        )
        for entry in json.loads(path.read_text())
    ]


def _target(target: str | dict[str, str | int]) -> Target:
    if isinstance(target, str):
        return Target(target, None)
    lines = (int(target["start_line"]), int(target["end_line"])) if "start_line" in target else None
    return Target(str(target["path"]), lines)


def _matches(node: NodeRecord, target: Target) -> bool:
    ours, theirs = node.path.split("/"), target.path.split("/")
    shared = min(len(ours), len(theirs))
    if ours[-shared:] != theirs[-shared:]:
        return False
    if target.lines is None:
        return True
    return node.lines[0] <= target.lines[1] and node.lines[1] >= target.lines[0]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quality", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--tokenizer", type=Path)
    parser.add_argument("--text", choices=["bare", "documented"], default="documented")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
