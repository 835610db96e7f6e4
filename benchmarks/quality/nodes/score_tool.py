"""Score any search tool on graded, node-level queries.

    python -m benchmarks.quality.nodes.score_tool SUITE --corpora DIR [--out FILE] -- \
        COMMAND {query} {root}

COMMAND runs once per query and prints a JSON list of objects with `path`, `start_line` and
`end_line`, best first, and `name` if it has one. Prints NDCG@10, s@1, s@5 and r3@10, overall and by
kind, and writes them to FILE.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import defaultdict
from pathlib import Path

from packhound.core.types import Hit, NodeId, NodeRef, Span
from packhound.evaluation.cases import Case
from packhound.evaluation.graded import GRADED_LIMIT, TOP, best_ranks, match_answers, ndcg
from packhound.evaluation.suite import load_suite

MEASURES = ("ndcg@10", "s@1", "s@5", "r3@10")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    scores = defaultdict(list)
    for case in load_suite(options.suite):
        root = options.corpora / case.folder
        command = [part.format(query=case.text, root=root) for part in options.command]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        values = score(case, [hit_of(entry) for entry in json.loads(output)[:GRADED_LIMIT]])
        scores["all"].append(values)
        scores[case.category].append(values)
    means = {
        kind: [round(sum(column) / len(rows), 4) for column in zip(*rows, strict=True)]
        for kind, rows in sorted(scores.items())
    }
    for kind, row in means.items():
        print(f"{kind:4} {len(scores[kind]):4}", *(f"{mean:.3f}" for mean in row))
    if options.out:
        options.out.write_text(
            json.dumps({"measures": MEASURES, **means}, indent=1) + "\n", "utf-8"
        )


def score(case: Case, hits: list[Hit]) -> tuple[float, float, float, float]:
    """NDCG@10, s@1, s@5 and r3@10 of one query."""
    ranks = match_answers(case, hits)
    best = best_ranks(case, ranks)
    n_best = sum(answer.grade == 3 for answer in case.answers)
    return (
        ndcg(case, ranks),
        float(0 in best),
        float(any(rank < 5 for rank in best)),
        sum(rank < TOP for rank in best) / n_best,
    )


def hit_of(entry: dict) -> Hit:
    """A hit with what scoring looks at: path, name and lines."""
    name = entry.get("name", "")
    span = Span(0, 0, entry["start_line"] - 1, entry["end_line"] - 1)
    node = NodeRef("", entry["path"], "", "function", name, name, "", "", span, 0, NodeId(-1))
    return Hit(node, 0, 0.0, ())


if __name__ == "__main__":
    main()
