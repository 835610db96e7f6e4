"""`packhound eval --pack`: share of packs that hold what a fix changed, beside baselines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from statistics import quantiles

import click
from rich.console import Console
from rich.table import Table

from packhound.core.settings_reader import settings_from
from packhound.evaluation import OURS, PackOutcome, evaluate_packs, load_suite, summarize_packs
from packhound.pack import PackContext, no_changed_lines
from packhound.service import Engine


def score_packs(suite: Path, corpora: Path, out: Path | None, as_json: bool) -> None:
    """Print the share of reports whose gold functions are all shown, and all named, by a pack."""
    cases = [case for case in load_suite(suite) if case.functions]
    outcomes: list[PackOutcome] = []
    hidden = as_json or not Console(stderr=True).is_terminal
    with click.progressbar(length=len(cases), label="reports", hidden=hidden) as bar:
        for outcome in evaluate_packs(cases, corpora, _open_context):
            if not outcomes or outcomes[-1].case is not outcome.case:
                bar.update(1)
            outcomes.append(outcome)
    report = _report_json(outcomes)
    if out:
        out.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    if as_json:
        click.echo(json.dumps(report))
        return
    _print_table(outcomes)


def _report_json(outcomes: list[PackOutcome]) -> dict[str, object]:
    took = [outcome.took_ms for outcome in outcomes if outcome.method == OURS]
    return {
        "n": len({id(outcome.case) for outcome in outcomes}),
        "p95_ms": round(quantiles(took, n=20)[-1], 1) if len(took) > 1 else None,
        "methods": {
            method: {
                str(budget): {measure: asdict(figure) for measure, figure in figures.items()}
                for budget, figures in row.items()
            }
            for method, row in summarize_packs(outcomes).items()
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


def _print_table(outcomes: list[PackOutcome]) -> None:
    summary = summarize_packs(outcomes)
    budgets = list(next(iter(summary.values()), {}))
    heads = [f"{measure} {b:,}" for measure in ("shown", "named") for b in budgets]
    table = Table("method", *heads, box=None, pad_edge=False, header_style="bold")
    for method, row in summary.items():
        figures = [row[b][measure] for measure in ("shown", "named") for b in budgets]
        table.add_row(method, *(f"{f.mean:.3f} ({f.low:.2f}-{f.high:.2f})" for f in figures))
    Console(width=200).print(table)


@contextmanager
def _open_context(root: Path) -> Iterator[PackContext]:
    engine = Engine.open(root, settings_from({"index.persist": False, "ranking.gitHistory": False}))
    try:
        engine.settled()
        # Uncommitted changes of a checkout must not change a figure.
        yield replace(engine.pack_context(), changed=no_changed_lines)
    finally:
        engine.close()
