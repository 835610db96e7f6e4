"""Share of what a fix changed that is in a pack, by lines: bug reports at three budgets.

    python -m benchmarks.packs.evidence TREES CACHE OUT.json REPORTS.jsonl...

TREES has one folder a report, named by its `instance_id`; CACHE keeps their indexes. Of each pack
four things are read from its text: whether it has a line of every file of the fix, a line of every
function that the fix changed, every such function whole, and every line that the fix changed
(where the report has these). A report without functions in the index counts for files and lines.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from statistics import mean

from benchmarks.quality import corpora
from benchmarks.stored import save
from packhound.encoder.embedder import Embedder
from packhound.evaluation.cases import same_function
from packhound.files import read_text
from packhound.graph.graph import Graph
from packhound.index.snapshot import Snapshot
from packhound.pack.context import PackContext
from packhound.pack.pipeline import pack
from packhound.pack.request import PackRequest
from packhound.search.environment import SearchEnvironment
from packhound.search.pipeline import search

BUDGETS = (2_000, 2_500, 4_000, 8_000)
MEASURES = ("files", "functions_named", "functions_whole", "lines")
_GAP = re.compile(r"\.\.\. \d+(-\d+)?")
Lines = dict[str, set[int]]
"""Numbers of lines, 1-based, by path."""


def lines_of(text: str) -> Lines:
    """Return the numbers of the lines that a pack in JSON has, of each file."""
    lines: Lines = defaultdict(set)
    for file in json.loads(text)["files"] if text else ():
        number = int(re.split("[-,]", file["lines"])[0])
        for line in file["content"].split("\n"):
            if _GAP.fullmatch(line):
                number = int(re.split("[ -]", line)[-1]) + 1
                continue
            lines[file["path"]].add(number)
            number += 1
    return lines


def functions_of(snapshot: Snapshot, report: dict) -> list[tuple[str, range]]:
    """Return path and lines of each function that the fix changed."""
    functions = []
    for entry in report["gold"]:
        if "functions" in entry:
            spans = [function["lines"] for function in entry["functions"]]
            functions += [(entry["file"], range(first, last + 1)) for first, last in spans]
            continue
        indexed = snapshot.files.get(entry["file"])
        for name in entry["changes"].get("edited_entities", ()):
            name = name.partition(":")[2]
            spans = [n.span for n in indexed.nodes if same_function(name, n.qualname)]
            functions += [
                (entry["file"], range(s.start_line + 1, s.end_line + 2)) for s in spans[:1]
            ]
    return functions


def judge(report: dict, functions: list[tuple[str, range]], lines: Lines) -> dict[str, bool]:
    """Return which measures a pack reaches."""
    reached = {"files": all(lines.get(entry["file"]) for entry in report["gold"])}
    if functions:
        reached["functions_named"] = all(lines.get(p, set()) & set(s) for p, s in functions)
        reached["functions_whole"] = all(lines.get(p, set()) >= set(s) for p, s in functions)
    if all("lines" in entry for entry in report["gold"]):
        reached["lines"] = all(
            lines.get(entry["file"], set()) >= set(range(first, last + 1))
            for entry in report["gold"]
            for first, last in entry["lines"]
        )
    return reached


def context_of(root: Path, snapshot: Snapshot, environment: SearchEnvironment) -> PackContext:
    """Return the context of a snapshot whose files are on the disk."""
    graph = Graph()
    graph.update(snapshot.files)
    return PackContext(
        snapshot,
        str(root),
        cache(lambda query: search(snapshot, query, environment)),
        lambda path: read_text(root, path),
        graph,
    )


def figures_of(cases: list[dict], budget: int) -> dict[str, dict[str, float]]:
    """Return the share of cases that reach each measure, and of how many."""
    reached = [case["budgets"][budget] for case in cases]
    values = {m: [row[m] for row in reached if m in row] for m in MEASURES}
    return {m: {"share": round(mean(v), 3), "n": len(v)} for m, v in values.items() if v}


def main() -> None:
    """Measure and write one JSON object."""
    trees, indexes, out, *files = map(Path, sys.argv[1:])
    reports = [json.loads(line) for f in files for line in f.read_text("utf-8").splitlines()]
    embedder, cases = Embedder.open(), []
    for report in sorted(reports, key=lambda report: report["instance_id"]):
        root = trees / report["instance_id"]
        snapshot = corpora.snapshot_of(root, embedder, indexes, workers=1)
        context = context_of(root, snapshot, SearchEnvironment(str(root), embedder))
        functions = functions_of(snapshot, report)
        case = {"case": report["instance_id"], "repository": report["repo"], "budgets": {}}
        for budget in BUDGETS:
            result = pack(context, PackRequest(report["problem_statement"], budget, format="json"))
            case["budgets"][budget] = judge(report, functions, lines_of(result.text))
        cases.append(case)
    figures = {str(budget): figures_of(cases, budget) for budget in BUDGETS}
    save(out, {"figures": figures, "cases": cases})
    for budget, row in figures.items():
        print(budget, {measure: figure["share"] for measure, figure in row.items()}, len(cases))


if __name__ == "__main__":
    main()
