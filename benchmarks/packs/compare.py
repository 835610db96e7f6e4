"""Share of packs that hold what a fix changed, on bug reports and beside baselines.

    python -m benchmarks.packs.compare REPORTS.jsonl CORPORA [OUT.json]

CORPORA has one folder a report, named by its `instance_id`. A function is *shown* if its body is in
the prompt, whole or with an elided middle (for a baseline: at least half of its own lines); it is
*named* if at least the line that names it is.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import quantiles

from benchmarks.packs.baselines import LinesByPath, repository_map, ripgrep, top_files
from benchmarks.stored import save
from packhound.core.settings_reader import settings_from
from packhound.core.types import Node
from packhound.evaluation.cases import Case, Target, same_function
from packhound.evaluation.score import Figure, bootstrap_interval
from packhound.evaluation.suite import load_suite
from packhound.llm.counter import counter_for
from packhound.pack.context import PackContext, no_changed_lines
from packhound.pack.pipeline import pack
from packhound.pack.request import Pack, PackItem, PackRequest
from packhound.service.engine import Engine

BUDGETS = (4_000, 8_000, 16_000)
BASELINES = {"top files": top_files, "ripgrep": ripgrep, "repository map": repository_map}
OURS = "packhound"


@dataclass(frozen=True, slots=True)
class PackOutcome:
    """Result of one method on one case at one budget: all functions shown, all named."""

    case: Case
    method: str
    budget: int
    shown: bool
    named: bool
    took_ms: float


def main() -> None:
    reports, corpora, *out = map(Path, sys.argv[1:])
    outcomes: list[PackOutcome] = []
    for case in load_suite(reports):
        if case.functions:
            with open_context(corpora / case.folder) as context:
                outcomes += judge_case(context, case)
            print(case.folder, file=sys.stderr)
    report = report_json(outcomes)
    print(json.dumps(report["methods"], indent=1))
    for path in out:
        save(path, report)


@contextmanager
def open_context(root: Path) -> Iterator[PackContext]:
    engine = Engine.open(root, settings_from({"index.persist": False}))
    try:
        engine.settled()
        # Uncommitted changes of a checkout must not change a figure.
        yield replace(engine.packs.service().context(engine.snapshot), changed=no_changed_lines)
    finally:
        engine.close()


def judge_case(context: PackContext, case: Case) -> Iterator[PackOutcome]:
    """Yield all outcomes of one case."""
    gold = [nodes_of(context, target) for target in case.functions]
    counter = counter_for()
    for budget in BUDGETS:
        started = time.perf_counter()
        result = pack(context, PackRequest(case.text, budget))
        took_ms = (time.perf_counter() - started) * 1_000
        shown = _all_match(gold, partial(_pack_shows, result))
        named = _all_match(gold, partial(_pack_names, result))
        yield PackOutcome(case, OURS, budget, shown, named, took_ms)
        for name, method in BASELINES.items():
            started = time.perf_counter()
            lines = method(context, case.text, budget, counter)
            took_ms = (time.perf_counter() - started) * 1_000
            shown = _all_match(gold, partial(_lines_show, lines))
            named = _all_match(gold, partial(_lines_name, lines))
            yield PackOutcome(case, name, budget, shown, named, took_ms)


def _all_match(
    gold: Sequence[Sequence[tuple[str, Node]]], matches: Callable[[str, Node], bool]
) -> bool:
    """Return True if a node of every gold function matches."""
    return all(any(matches(path, node) for path, node in nodes) for nodes in gold)


def report_json(outcomes: list[PackOutcome]) -> dict[str, object]:
    took = [outcome.took_ms for outcome in outcomes if outcome.method == OURS]
    return {
        "n": len({id(outcome.case) for outcome in outcomes}),
        "p95_ms": round(quantiles(took, n=20)[-1], 1) if len(took) > 1 else None,
        "methods": {
            method: {
                str(budget): {measure: asdict(figure) for measure, figure in figures.items()}
                for budget, figures in row.items()
            }
            for method, row in summarize(outcomes).items()
        },
        "cases": [
            {
                "repository": outcome.case.repository,
                "case": outcome.case.folder,
                "method": outcome.method,
                "budget": outcome.budget,
                "shown": outcome.shown,
                "named": outcome.named,
            }
            for outcome in outcomes
        ],
    }


def summarize(outcomes: Sequence[PackOutcome]) -> dict[str, dict[int, dict[str, Figure]]]:
    """Return shares of cases by method, budget and measure (`shown`, `named`)."""
    groups: dict[tuple[str, int], list[PackOutcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.method, outcome.budget].append(outcome)
    table: dict[str, dict[int, dict[str, Figure]]] = defaultdict(dict)
    for (method, budget), group in groups.items():
        table[method][budget] = {
            "shown": _share([outcome.shown for outcome in group]),
            "named": _share([outcome.named for outcome in group]),
        }
    return dict(table)


def nodes_of(context: PackContext, target: Target) -> list[tuple[str, Node]]:
    """Return the nodes of a gold function in the index; none if it was not indexed."""
    entry = context.snapshot.files.get(target.path)
    function = target.function or ""
    nodes = entry.nodes if entry else ()
    return [(target.path, node) for node in nodes if same_function(function, node.qualname)]


def _pack_names(result: Pack, path: str, node: Node) -> bool:
    """Return True if an item has a line of the node."""
    return any(True for _ in _items_on(result, path, node))


def _pack_shows(result: Pack, path: str, node: Node) -> bool:
    """Return True if an item shows the node; an item that ends within a function shows no body."""
    return any(
        item.detail in ("elided", "full") and _covers(item.start_line, item.end_line, node)
        for item in _items_on(result, path, node)
    )


def _items_on(result: Pack, path: str, node: Node) -> Iterator[PackItem]:
    first, last = node.span.start_line, node.span.end_line
    for item in result.items:
        if item.path == path and item.start_line <= last and first <= item.end_line:
            yield item


def _covers(start: int, end: int, node: Node) -> bool:
    if node.kind in ("class", "struct", "interface", "trait", "module", "impl"):
        return start <= node.span.start_line + 12
    overlap = min(end, node.span.end_line) - max(start, node.span.start_line) + 1
    return 2 * overlap >= node.span.end_line - node.span.start_line + 1


def _lines_show(lines: LinesByPath, path: str, node: Node) -> bool:
    span = range(node.span.start_line, node.span.end_line + 1)
    file_lines = lines.get(path, set())
    return 2 * sum(line in file_lines for line in span) >= len(span)


def _lines_name(lines: LinesByPath, path: str, node: Node) -> bool:
    head = range(node.span.start_line, min(node.span.start_line + 12, node.span.end_line + 1))
    return any(line in lines.get(path, set()) for line in head)


def _share(values: Sequence[bool]) -> Figure:
    floats = [float(value) for value in values]
    low, high = bootstrap_interval(floats)
    return Figure(sum(floats) / len(floats), low, high, len(floats))


if __name__ == "__main__":
    main()
